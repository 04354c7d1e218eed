/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes files whole or not at all, without replacing files of others. All outputs of a command except a store go through here.
 *
 * A file is ours if it is unchanged since this program wrote it: a list with digests stands beside the outputs (OUTPUT_LIST).
 * Files that somebody else wrote or changed are replaced only if the rules say so; a file that the command reads is never
 * replaced. Half-written files of a killed command are removed by the next command that writes into the folder. */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdio.h>

/* The list of a folder: one line for each file, with digest, name and owner. */
#define OUTPUT_LIST ".gpunetsim-files"

struct output_rules {
    bool force; /* replace also files that are not ours */
    /* NULL-ended: files that the command reads, and stores; may be NULL */
    const char *const *inputs;
    /* char *: the files passed to output_prepare_file so far, so that no two outputs are the same file; NULL: the command writes
     * only one */
    GPtrArray *planned;
    /* the file of the study that owns the folder: another study's outputs are not replaced. NULL: any study's are */
    const char *owner;
};

/* Writes `content` (`length` bytes) to `path`: to a temporary name in the same folder first, then synced and renamed, so that
 * neither a full disk nor a signal leaves a half-written file under `path`. "-" is standard output; an existing file that is
 * not regular (a device, a pipe) is written in place, and a link stays a link. False and one sentence if it cannot be written
 * (ERROR_RUN) or must not be replaced (ERROR_USE); nothing is left behind then. */
bool output_write(const char *path, const char *content, size_t length,
                  const struct output_rules *rules, GError **error);

/* The same, but `write` writes the content to the stream; it returns false with an error, or with errno set. */
typedef bool output_writer(void *context, FILE *file, GError **error);
bool output_write_stream(const char *path, output_writer *write, void *context,
                         const struct output_rules *rules, GError **error);

/* Makes the folder `path` and missing parents, and checks that a file can be made in it. Call it before a run, so that no hours
 * are spent on results that cannot be kept. False and one sentence (ERROR_USE). */
bool output_prepare_folder(const char *path, GError **error);

/* The same for the folder of the file `path`, but does not make the folder; also false if the file exists and must not be
 * replaced, is an input, or is planned already under any name. True for "-" and devices. */
bool output_prepare_file(const char *path, const struct output_rules *rules, GError **error);

/* Removes the file if it is unchanged since this program wrote it for the rules' owner. */
void output_remove(const char *path, const struct output_rules *rules);

/* Whether two paths name the same file, which need not exist. */
bool output_is_same_file(const char *one, const char *other);
