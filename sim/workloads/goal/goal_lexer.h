/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads words, numbers and signs of a GOAL text as a stream. */
#pragma once

#include <stdint.h>
#include <stdio.h>

enum goal_token {
    GOAL_WORD,   /* a letter, then letters, digits and underscores */
    GOAL_NUMBER, /* digits; at most 2^64 - 1 */
    GOAL_ANY,    /* -1 */
    GOAL_COLON,
    GOAL_OPEN,     /* { */
    GOAL_CLOSE,    /* } */
    GOAL_END_LINE, /* a new line or a semicolon */
    GOAL_END_TEXT,
    GOAL_BAD, /* no token; `word` says what is wrong */
};

#define GOAL_WORD_SIZE 128

struct goal_lexer {
    FILE *file;
    uint32_t line; /* the token's line, from 1 */
    enum goal_token token;
    uint64_t number;           /* GOAL_NUMBER */
    char word[GOAL_WORD_SIZE]; /* the token as written; for GOAL_BAD the error */

    char buffer[65536];
    size_t filled, at;
    uint32_t next_line; /* of the character at `at` */
    /* how many may still be read; below 0: the text was too large and was cut */
    int64_t left_bytes;
};

/* Begins at the start of `file` (the caller's), of which at most `most_bytes` are read; reads no token yet. */
void goal_lexer_begin(struct goal_lexer *lexer, FILE *file, int64_t most_bytes);

/* Reads the next token. Comments (// to the end of the line, and between / * and * /) are skipped; after GOAL_END_TEXT or
 * GOAL_BAD it returns the same again. */
enum goal_token goal_lexer_next(struct goal_lexer *lexer);
