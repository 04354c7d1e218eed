/* SPDX-License-Identifier: BSD-3-Clause */
/* Steps through the source text of a Lua script and knows comments, strings and ends of lines. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct scanner {
    const char *at; /* the next character; its text ends with a NUL */
    int line;       /* of that character, from 1 */
    size_t depth;   /* depth of braces, used by the caller */
};

/* Steps over one character; over `text` if it stands here. */
void scan_step(struct scanner *scanner);
bool scan_over(struct scanner *scanner, const char *text);

/* Steps over a comment, or over a string of any kind, if one begins here. */
bool scan_comment(struct scanner *scanner);
bool scan_string(struct scanner *scanner);

/* Whether a name or a number can contain the character. */
bool scan_is_name(char c);
