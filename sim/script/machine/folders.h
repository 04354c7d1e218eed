/* SPDX-License-Identifier: BSD-3-Clause */
/* Where `require` looks. */
#pragma once

#include <glib.h>

/* Adds to `folders` (char *) those for a main file at `path`, in the order in which they are looked in: the script's
 * folder, its parents up to the first that holds configs/, then the program's own (core/home.h). */
void folders_find(GPtrArray *folders, const char *path);
