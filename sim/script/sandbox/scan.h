/* SPDX-License-Identifier: BSD-3-Clause */
/* Steps through the source text of a Lua script: what is a comment, what a string, where a line ends. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct scanner {
    const char *at; /* the next character; its text ends with a NUL */
    int line;       /* it stands on, from 1 */
    size_t depth;   /* of braces, for the caller */
};

/* Over one character; over `text` if it stands here. */
void scan_step(struct scanner *scanner);
bool scan_over(struct scanner *scanner, const char *text);

/* Over a comment, a string of any kind, if one begins here. */
bool scan_comment(struct scanner *scanner);
bool scan_string(struct scanner *scanner);

/* Whether names, and numbers, can have it. */
bool scan_is_name(char c);
