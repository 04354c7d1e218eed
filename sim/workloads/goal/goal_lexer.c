/* SPDX-License-Identifier: BSD-3-Clause */
/* One pass, one character of look-ahead, a buffer of fixed size: traces are gigabytes of text. */
#include "workloads/goal/goal_lexer.h"

#include <glib.h>
#include <stdbool.h>

void goal_lexer_begin(struct goal_lexer *lexer, FILE *file, int64_t most_bytes)
{
    lexer->file = file;
    lexer->left_bytes = most_bytes;
    lexer->line = lexer->next_line = 1;
    lexer->token = GOAL_END_LINE;
    lexer->filled = lexer->at = 0;
    lexer->word[0] = '\0';
}

/* The next character, without consuming it; EOF at the end. */
static inline int peek(struct goal_lexer *lexer)
{
    if (G_UNLIKELY(lexer->at == lexer->filled)) {
        lexer->filled = fread(lexer->buffer, 1, sizeof lexer->buffer, lexer->file);
        lexer->at = 0;
        lexer->left_bytes -= (int64_t)lexer->filled;
        if (lexer->left_bytes < 0)
            lexer->filled = 0;
        if (lexer->filled == 0)
            return EOF;
    }
    return (unsigned char)lexer->buffer[lexer->at];
}

static inline void skip(struct goal_lexer *lexer)
{
    lexer->next_line += lexer->buffer[lexer->at++] == '\n';
}

static enum goal_token give(struct goal_lexer *lexer, enum goal_token token, const char *word)
{
    g_strlcpy(lexer->word, word, sizeof lexer->word);
    return lexer->token = token;
}

static enum goal_token read_word(struct goal_lexer *lexer)
{
    size_t length = 0;
    int c;
    while (g_ascii_isalnum(c = peek(lexer)) || c == '_') {
        if (length == GOAL_WORD_SIZE - 1)
            return give(lexer, GOAL_BAD, "a name of more than 127 letters");
        lexer->word[length++] = (char)c;
        skip(lexer);
    }
    lexer->word[length] = '\0';
    return lexer->token = GOAL_WORD;
}

static enum goal_token read_number(struct goal_lexer *lexer)
{
    uint64_t number = 0;
    int c;
    while (g_ascii_isdigit(c = peek(lexer))) {
        if (__builtin_mul_overflow(number, 10u, &number) ||
            __builtin_add_overflow(number, (uint64_t)(c - '0'), &number))
            return give(lexer, GOAL_BAD, "a number of more than 64 bits");
        skip(lexer);
    }
    lexer->number = number;
    return lexer->token = GOAL_NUMBER;
}

static void skip_line(struct goal_lexer *lexer)
{
    int c;
    while ((c = peek(lexer)) != EOF && c != '\n')
        skip(lexer);
}

/* Skips a block comment after its opening sign. False if it is not closed. */
static bool skip_block(struct goal_lexer *lexer)
{
    int before = 0, c;
    while ((c = peek(lexer)) != EOF) {
        skip(lexer);
        if (before == '*' && c == '/')
            return true;
        before = c;
    }
    return false;
}

/* Skips blanks and comments. False at a slash that begins no comment, or at a comment without an end. */
static bool skip_blanks(struct goal_lexer *lexer)
{
    for (;;) {
        int c = peek(lexer);
        if (c == ' ' || c == '\t' || c == '\r') {
            skip(lexer);
            continue;
        }
        if (c != '/')
            return true;
        skip(lexer);
        c = peek(lexer);
        if (c == '/')
            skip_line(lexer);
        else if (c != '*' || (skip(lexer), !skip_block(lexer)))
            return false;
    }
}

static enum goal_token read_any(struct goal_lexer *lexer)
{
    skip(lexer);
    if (peek(lexer) == '1') {
        skip(lexer);
        if (!g_ascii_isdigit(peek(lexer)))
            return give(lexer, GOAL_ANY, "-1");
    }
    return give(lexer, GOAL_BAD, "a negative number");
}

static enum goal_token read_sign(struct goal_lexer *lexer, int c)
{
    const char sign[] = {(char)c, '\0'};
    if (c == EOF)
        return give(lexer, GOAL_END_TEXT, "the end of the text");
    if (c == '-')
        return read_any(lexer);
    skip(lexer);
    if (c == '\n' || c == ';')
        return give(lexer, GOAL_END_LINE, c == ';' ? sign : "the end of the line");
    if (c == ':' || c == '{' || c == '}')
        return give(lexer, c == ':' ? GOAL_COLON : c == '{' ? GOAL_OPEN : GOAL_CLOSE, sign);
    return give(lexer, GOAL_BAD, g_ascii_isprint(c) ? sign : "a character that is no text");
}

enum goal_token goal_lexer_next(struct goal_lexer *lexer)
{
    if (lexer->token == GOAL_BAD || lexer->token == GOAL_END_TEXT)
        return lexer->token;
    bool clean = skip_blanks(lexer);
    int c = clean ? peek(lexer) : '/';
    lexer->line = lexer->next_line;
    if (!clean)
        return give(lexer, GOAL_BAD, "a comment that is not one or has no end");
    if (g_ascii_isalpha(c))
        return read_word(lexer);
    if (g_ascii_isdigit(c))
        return read_number(lexer);
    return read_sign(lexer, c);
}
