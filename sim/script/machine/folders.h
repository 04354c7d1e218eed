/* SPDX-License-Identifier: BSD-3-Clause */
/* The folders in which `require` looks. */
#pragma once

#include <glib.h>

/* Adds to `folders` (char *) the folders for a main file at `path`, in the order of the search: the script's
 * folder, its parents up to the first that holds configs/, then the program's own (core/home.h). */
void folders_find(GPtrArray *folders, const char *path);
