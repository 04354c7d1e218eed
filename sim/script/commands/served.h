/* SPDX-License-Identifier: BSD-3-Clause */
/* `gpunetsim serve`, the process that simulates for a program which uses libgpunetsim. The library starts it, with one end of a
 * channel (study/system/channel.h) as descriptor 3, and sends requests, whose answers views/commands/serve.lua makes. Requests
 * and answers are lists of NUL-terminated texts; the first text of a request is its name. */
#pragma once

#include <glib.h>
#include <stdbool.h>

/* The type of a message on the channel. */
enum served { SERVED_REQUEST = 'r', SERVED_ANSWER = 'a', SERVED_FAULT = 'f' };

/* Goes on in a process that is no child of the client and ends when the client does. False and an error if there is no client
 * or if its version differs, "0.1.0 (git ...)", apart from the part in parentheses. */
bool served_begin(const char *version, GError **error);

/* Answers the next request with the error, which it frees; returns the exit code. */
int served_fail(GError *error);
