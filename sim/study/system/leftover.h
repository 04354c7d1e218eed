/* SPDX-License-Identifier: BSD-3-Clause */
/* Removes files that a killed process left behind. A temporary file or folder is locked as long as its maker lives, so one with
 * such a name and no lock belongs to no process. */
#pragma once

/* Removes from `folder` this user's files and folders whose names begin with `prefix` and that no process has locked. Such a
 * folder's files are removed with it, but no folders within. */
void leftover_remove(const char *folder, const char *prefix);

/* Makes a file or a folder, named PREFIX and six characters, in `folder`, locked until the descriptor is closed.
 * `path` is g_freed by the caller. -1 and errno if it cannot be made. */
int leftover_new_file(const char *folder, const char *prefix, char **path);
int leftover_new_folder(const char *folder, const char *prefix, char **path);

/* Removes such a folder with its files and closes its descriptor. */
void leftover_drop(const char *path, int fd);
