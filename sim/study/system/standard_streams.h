/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes standard input, output and error safe, even if the program was started with some of them closed. */
#pragma once

/* Call it first in main: occupies those of the descriptors 0 to 2 that are closed, so that no file opened later gets one of them
 * and with it the program's output. Reading and writing there fail as on a closed one. On failure it ends the program with exit
 * code 1. */
void standard_streams_take(void);

/* Call it last: flushes standard output. Returns `code`; but 1 instead of 0, with a sentence on standard error, if output was
 * lost, for instance on a full disk. */
int standard_streams_close(int code);
