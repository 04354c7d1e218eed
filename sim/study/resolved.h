/* SPDX-License-Identifier: BSD-3-Clause */
/* A run as one file of JSON, resolved.json: the texts of the study and of all files that it requires, what was changed
 * on the command line, and the seed. From it the run is made again, whatever has become of the files. */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "study/model/study.h"

/* The text of resolved.json. `overrides` is NULL-ended; NULL: none. For the reader's sake it has the axes and the
 * machine of the first point too. The caller frees it with g_free. */
char *resolved_json(struct study *study, const char *const *overrides, uint64_t seed);

/* Whether a file is meant to be one: its name ends in .json. */
bool resolved_is(const char *path);

/* What a run that is made again is told. */
struct resolved {
    struct study *study;
    char **overrides; /* those of the file, then the new ones */
    uint64_t seed;
    char *version; /* of the program that wrote it, if it was another than this; else NULL */
};

/* Reads resolved.json and the study in it, with more overrides (NULL: none). False and one sentence if the file is none,
 * or if the study in it is no longer the same: the named designs of the project are others. `resolved` is to be cleared in
 * any case, but for its study. */
bool resolved_read(const char *path, const char *const *overrides, struct resolved *resolved,
                   GError **error);
void resolved_clear(struct resolved *resolved);
