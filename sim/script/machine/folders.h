/* SPDX-License-Identifier: BSD-3-Clause */
/* Where `require` looks. */
#pragma once

#include <glib.h>

/* The folder of the project that a file belongs to: the nearest folder above it that holds
 * configs/; else $GPUNETSIM_ROOT; else two above the program's folder (build/release/gpunetsim) if
 * that holds configs/; else NULL. `require` looks in the script's folder, its parents up to the
 * first that holds configs/, and in the two others, in this order. Absolute; the caller frees it
 * with g_free. */
char *script_project_root(const char *path);

/* Adds to `folders` (char *) those for a main file at `path`, in the order in which they are looked in: the script's
 * folder, its parents up to the one that holds configs/, then the project's root. */
void folders_find(GPtrArray *folders, const char *path);
