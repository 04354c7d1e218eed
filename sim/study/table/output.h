/* SPDX-License-Identifier: BSD-3-Clause */
/* Files that are there whole or not at all, and that replace nothing which is not ours. Everything that a
 * command leaves behind, other than a store, goes through here.
 *
 * A file is ours if it is as this program wrote it: beside its outputs stands a list of them with their
 * digests (OUTPUT_LIST). Files that are not, because somebody else wrote or changed them, are replaced only
 * if the rules say so; a file that the command reads is never replaced. What a killed command left half
 * written is removed by the next one that writes into the folder. */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdio.h>

/* The list of a folder: a line a file, digest, name, owner. */
#define OUTPUT_LIST ".gpunetsim-files"

struct output_rules {
    bool force;                /* also what is not ours */
    const char *const *inputs; /* NULL-ended: files that are read, and stores; may be NULL */
    GPtrArray *
        planned; /* char *: the files for which output_prepare_file was asked so far, so that no two outputs are
                           one; NULL: the command writes one alone */
    const char
        *owner; /* the file of a study whose own folder this is: what another study wrote there is
                          not replaced. NULL: no matter who */
};

/* Writes `content` (`length` bytes) to `path`: to a temporary name in the same folder first, then
 * synced and renamed, so that neither a full disk nor a signal leaves a half-written file under
 * `path`. "-" is standard output; what exists and is not a regular file (a device, a pipe) is
 * written as it stands, and a link stays one. False and one sentence if it cannot be written
 * (ERROR_RUN) or must not be replaced (ERROR_USE); nothing is left behind then. */
bool output_write(const char *path, const char *content, size_t length,
                  const struct output_rules *rules, GError **error);

/* The same with what `write` gives the stream. It returns false with an error, or with errno set. */
typedef bool output_writer(void *context, FILE *file, GError **error);
bool output_write_stream(const char *path, output_writer *write, void *context,
                         const struct output_rules *rules, GError **error);

/* Makes the folder `path` with its parents where they are missing, and proves that a file can be
 * made in it. To be called before a run, so that hours are not spent on results which cannot be
 * kept. False and one sentence (ERROR_USE). */
bool output_prepare_folder(const char *path, GError **error);

/* The same for the folder of the file `path`, which is not made; also false if the file is there and must
 * not be replaced, is an input, or is planned already, by whatever name. True for "-" and devices. */
bool output_prepare_file(const char *path, const struct output_rules *rules, GError **error);

/* Removes the file if it is as this program wrote it for the rules' owner. */
void output_remove(const char *path, const struct output_rules *rules);

/* Whether two paths are one file, which need not be there. */
bool output_is_same_file(const char *one, const char *other);
