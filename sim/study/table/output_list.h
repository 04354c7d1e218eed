/* SPDX-License-Identifier: BSD-3-Clause */
/* The list of the files in a folder that this program wrote: OUTPUT_LIST (output.h). */
#pragma once

enum output_origin {
    OUTPUT_OURS,
    OUTPUT_OF_ANOTHER, /* this program wrote it for another study */
    OUTPUT_FOREIGN,    /* somebody else wrote or changed it */
};

/* Who wrote the regular file `path`. `owner` is the file of a study; NULL: the files of all studies are ours. */
enum output_origin output_list_origin(const char *path, const char *owner);

/* Notes that the file `path` is about to get the content of the file `source`. 0, or errno. */
int output_list_add(const char *path, const char *source, const char *owner);
