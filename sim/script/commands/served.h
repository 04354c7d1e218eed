/* SPDX-License-Identifier: BSD-3-Clause */
/* `gpunetsim serve`, the process that simulates for a program which uses libgpunetsim. The library starts it, with one end of a
 * channel (study/system/channel.h) as descriptor 3, and sends requests, whose answers views/commands/serve.lua makes. Both are
 * texts, each with its end; the first one of a request is its name. */
#pragma once

#include <glib.h>
#include <stdbool.h>

/* The type of a message on the channel. */
enum served { SERVED_REQUEST = 'r', SERVED_ANSWER = 'a', SERVED_FAULT = 'f' };

/* Goes on in a process that is nobody's child and ends with its client. False and an error if there is no client, or one of
 * another version, "0.1.0 (git ...)"; git's name does not matter. */
bool served_begin(const char *version, GError **error);

/* Answers the next request with the error, which it frees; returns the exit code. */
int served_fail(GError *error);
