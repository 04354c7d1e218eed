/* SPDX-License-Identifier: BSD-3-Clause */
/* Which files of a folder this program wrote: OUTPUT_LIST (output.h). */
#pragma once

enum output_origin {
    OUTPUT_OURS,
    OUTPUT_OF_ANOTHER, /* this program wrote it for another study */
    OUTPUT_FOREIGN,    /* somebody else wrote or changed it */
};

/* Where the regular file `path` is from. `owner`, the file of a study, may be NULL: any study's is ours. */
enum output_origin output_list_origin(const char *path, const char *owner);

/* Notes that the file `path` is about to get the content of the file `source`. 0, or errno. */
int output_list_add(const char *path, const char *source, const char *owner);
