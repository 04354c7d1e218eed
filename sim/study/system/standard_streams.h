/* SPDX-License-Identifier: BSD-3-Clause */
/* Standard input, output and error of a program, whatever it was started with. */
#pragma once

/* First of all in main: takes those of the descriptors 0 to 2 that are closed, so that no file that is opened later gets one of
 * them and what is printed into it. To read or to write there fails as if it were closed. Ends the program with exit code 1 if
 * that cannot be done. */
void standard_streams_take(void);

/* Last of all: empties the buffer of standard output. Returns `code`; or, with a sentence on standard error, 1 instead of 0 if what was
 * printed has not arrived, as on a full disk. */
int standard_streams_close(int code);
