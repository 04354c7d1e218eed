/* Files that are there whole or not at all. Everything that a study leaves behind goes through
 * here. */
#ifndef GPUNETSIM_STUDY_OUTPUT_H
#define GPUNETSIM_STUDY_OUTPUT_H

#include <glib.h>
#include <stdbool.h>

/* Writes `content` (`length` bytes) to `path`: to a temporary name in the same folder first, then
 * synced and renamed, so that neither a full disk nor a signal leaves a half-written file under
 * `path`. "-" is standard output; what exists and is not a regular file (a device, a pipe) is
 * written as it stands. False and one sentence (STUDY_ERROR_RUN) if it cannot be written; nothing
 * is left behind then. */
bool output_write(const char *path, const char *content, size_t length, GError **error);

/* Makes the folder `path` with its parents where they are missing, and proves that a file can be
 * made in it. To be called before a run, so that hours are not spent on results which cannot be
 * kept. False and one sentence (STUDY_ERROR_USE). */
bool output_prepare_folder(const char *path, GError **error);

/* The same for the folder of the file `path`, which is not made; true for "-". */
bool output_prepare_file(const char *path, GError **error);

#endif
