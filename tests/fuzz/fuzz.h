/* SPDX-License-Identifier: BSD-3-Clause */
/* What fuzz targets share. A target is one file fuzz_NAME.c with LLVMFuzzerTestOneInput, which gives its
 * bytes to one reader of the project. Whatever the bytes are, the reader has to give a result or a
 * sentence: all else (a crash, a sanitizer's report, an empty error) ends the process, and libFuzzer
 * keeps the bytes. docs/change/testing.md tells how to run them. */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What libFuzzer calls. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);

/* The project's folder, where configs/ is. Also what $GPUNETSIM_ROOT becomes. */
const char *fuzz_root(void);

/* A copy of the bytes as text, without their NULs' meaning: the first ends it. The caller frees it. */
char *fuzz_text(const uint8_t *data, size_t size);

/* The path NAME in this process's own folder, which goes when the process ends. The caller frees it. */
char *fuzz_path(const char *name);

/* The same, with the bytes written there. */
char *fuzz_file(const char *name, const void *data, size_t size);

/* Ends the process with the sentence unless `condition` holds. */
void fuzz_expect(bool condition, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* What an error says; "" where there is none. */
const char *fuzz_message(const GError *error);

/* Expects an error of at least one word where `good` is false, and none where it is true; frees it. */
void fuzz_expect_told(bool good, GError *error);

/* Runs `work(argument)` in a child of this process, for what one process can do only once (SimGrid's
 * platform). What it crashes on, this process ends on. A child that takes longer than 0.2 s of CPU
 * time or more memory than a GiB is ended without a word: bounds allow for runs of hours. Coverage counts. */
void fuzz_in_child(void (*work)(void *argument), void *argument);

/* --- structure from bytes --- */

struct fuzz_bytes {
    const uint8_t *data;
    size_t left;
};

/* The next byte; 0 when there is none left. */
uint8_t fuzz_byte(struct fuzz_bytes *bytes);

/* A number from the next eight bytes, 0 to UINT64_MAX. */
uint64_t fuzz_number(struct fuzz_bytes *bytes);
