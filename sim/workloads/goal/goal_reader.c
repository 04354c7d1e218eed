/* SPDX-License-Identifier: BSD-3-Clause */
/* A recursive-descent parser, one function for each rule:
 *
 *   text       num_ranks N { rank }
 *   rank       "rank" N "{" { statement } "}"
 *   statement  [ [ label ":" ] operation | label ( "requires" | "irequires" ) label ] end-of-line
 *   operation  "calc" N [ "cpu" N ]
 *            | "send" N "b" "to" N { "tag" N | "cpu" N | "nic" N }
 *            | "recv" N "b" "from" N { "tag" N | "cpu" N | "nic" N }
 *
 * Beyond what LogGOPSim's own reader takes: a semicolon ends a statement, as does the closing brace; ranks come in any order
 * and may be missing; attributes come in any order; there may be more than 256 streams. As in LogGOPSim, a label must be
 * defined before it is required, and -1 is any source or tag. */
#include "workloads/goal/goal_reader.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/error.h"
#include "core/text_file.h"
#include "workloads/goal/goal_binary.h"
#include "workloads/goal/goal_check.h"

/* --- words, numbers and signs: one pass, one character of look-ahead, since traces are gigabytes of text ---- */

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
static void lexer_begin(struct goal_lexer *lexer, FILE *file, int64_t most_bytes)
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

static enum goal_token scan_number(struct goal_lexer *lexer)
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

/* Reads the next token. Comments (// to the end of the line, and between / * and * /) are skipped; after GOAL_END_TEXT or
 * GOAL_BAD it returns the same again. */
static enum goal_token lexer_next(struct goal_lexer *lexer)
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
        return scan_number(lexer);
    return read_sign(lexer, c);
}

/* --- the reader ----------------------------------------------------------------------------- */

struct goal_reader {
    struct goal_lexer lexer;
    const char *name;
    GError **error;
    struct goal_schedule *schedule;
    uint32_t ranks, rank;
    GHashTable *labels; /* labels of the rank: name to number of the operation + 1 */
    GStringChunk *names;
};

static bool fail_at(struct goal_reader *reader, uint32_t line, const char *format, ...)
    G_GNUC_PRINTF(3, 4);
static bool fail_at(struct goal_reader *reader, uint32_t line, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    g_autofree char *sentence = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    return error_set(reader->error, "%s:%u: %s", reader->name, line, sentence);
}

/* Reports that the token is not the expected one. */
static bool unexpected(struct goal_reader *reader, const char *expected)
{
    const struct goal_lexer *lexer = &reader->lexer;
    if (lexer->token == GOAL_BAD)
        return fail_at(reader, lexer->line, "expected %s and found %s", expected, lexer->word);
    if (lexer->token == GOAL_NUMBER)
        return fail_at(reader, lexer->line, "expected %s and found %" PRIu64, expected,
                       lexer->number);
    return fail_at(reader, lexer->line, "expected %s and found \"%s\"", expected, lexer->word);
}

/* --- small parts ------------------------------------------------------------------------------ */

static inline bool next_is(struct goal_reader *reader, enum goal_token token)
{
    return lexer_next(&reader->lexer) == token;
}

static inline bool is_word(const struct goal_reader *reader, const char *word)
{
    return reader->lexer.token == GOAL_WORD && strcmp(reader->lexer.word, word) == 0;
}

/* Reads a number up to `most`. */
static bool read_number(struct goal_reader *reader, const char *what, uint64_t most,
                        uint64_t *number)
{
    if (!next_is(reader, GOAL_NUMBER))
        return unexpected(reader, what);
    *number = reader->lexer.number;
    if (*number <= most)
        return true;
    return fail_at(reader, reader->lexer.line,
                   "expected %s, at most %" PRIu64 ", and found %" PRIu64, what, most, *number);
}

/* Reads a number of 32 bits, or -1 for any. */
static bool read_number_or_any(struct goal_reader *reader, const char *what, bool any,
                               uint32_t *value)
{
    if (next_is(reader, GOAL_ANY) && any) {
        *value = LOGGP_ANY;
        return true;
    }
    if (reader->lexer.token != GOAL_NUMBER)
        return unexpected(reader, what);
    if (reader->lexer.number >= LOGGP_ANY)
        return fail_at(reader, reader->lexer.line, "%s must be less than 2^32 - 1", what);
    *value = (uint32_t)reader->lexer.number;
    return true;
}

static bool expect_word(struct goal_reader *reader, const char *word)
{
    lexer_next(&reader->lexer);
    if (is_word(reader, word))
        return true;
    g_autofree char *expected = g_strdup_printf("\"%s\"", word);
    return unexpected(reader, expected);
}

/* --- operations ------------------------------------------------------------------------------- */

static bool read_stream(struct goal_reader *reader, uint16_t *stream)
{
    uint64_t number = 0;
    if (!read_number(reader, "the number of a stream", GOAL_MAX_STREAMS - 1, &number))
        return false;
    *stream = (uint16_t)number;
    return true;
}

/* Reads attributes up to the first token that is no attribute, which is not consumed. */
static bool read_attributes(struct goal_reader *reader, struct goal_op *op)
{
    bool is_message = op->kind != LOGGP_CALCULATE;
    while (lexer_next(&reader->lexer) == GOAL_WORD) {
        bool good = false;
        if (is_message && is_word(reader, "tag"))
            good = read_number_or_any(reader, "a tag", true, &op->tag);
        else if (is_word(reader, "cpu"))
            good = read_stream(reader, &op->cpu);
        else if (is_message && is_word(reader, "nic"))
            good = read_stream(reader, &op->nic);
        else
            return unexpected(reader, is_message
                                          ? "\"tag\", \"cpu\", \"nic\" or the end of the line"
                                          : "\"cpu\" or the end of the line");
        if (!good)
            return false;
    }
    return true;
}

/* Reads an operation after "send", "recv" or "calc". */
static bool read_operation(struct goal_reader *reader, struct goal_op *op)
{
    bool is_send = op->kind == LOGGP_SEND;
    op->line = reader->lexer.line;
    if (op->kind == LOGGP_CALCULATE)
        return read_number(reader, "a number of nanoseconds", INT64_MAX, &op->size) &&
               read_attributes(reader, op);
    return read_number(reader, "a number of bytes", INT64_MAX, &op->size) &&
           expect_word(reader, "b") && expect_word(reader, is_send ? "to" : "from") &&
           read_number_or_any(reader, "a rank", !is_send, &op->peer) && read_attributes(reader, op);
}

/* The kind of operation that the current word begins, or 0. */
static uint8_t operation_kind(const struct goal_reader *reader)
{
    return is_word(reader, "send")   ? LOGGP_SEND
           : is_word(reader, "recv") ? LOGGP_RECEIVE
           : is_word(reader, "calc") ? LOGGP_CALCULATE
                                     : 0;
}

static bool add_operation(struct goal_reader *reader, const char *label)
{
    struct goal_op op = {.kind = operation_kind(reader)};
    if (op.kind == 0)
        return unexpected(reader, "\"send\", \"recv\" or \"calc\"");
    if (!read_operation(reader, &op))
        return false;
    uint32_t number = goal_schedule_add(reader->schedule, &op);
    if (!label)
        return true;
    char *key = g_string_chunk_insert(reader->names, label);
    return g_hash_table_insert(reader->labels, key, GSIZE_TO_POINTER((size_t)number + 1)) ||
           fail_at(reader, op.line, "rank %u has two operations called %s", reader->rank, label);
}

/* --- statements ------------------------------------------------------------------------------- */

static bool find_label(struct goal_reader *reader, const char *label, uint32_t *op)
{
    size_t found = GPOINTER_TO_SIZE(g_hash_table_lookup(reader->labels, label));
    if (found == 0)
        return fail_at(reader, reader->lexer.line, "rank %u has no operation called %s before here",
                       reader->rank, label);
    *op = (uint32_t)(found - 1);
    return true;
}

/* Reads a requirement after "requires" or "irequires". */
static bool read_requirement(struct goal_reader *reader, const char *label, bool start)
{
    uint32_t waiter = 0, on = 0;
    if (!next_is(reader, GOAL_WORD))
        return unexpected(reader, "the label of an operation");
    if (!find_label(reader, label, &waiter) || !find_label(reader, reader->lexer.word, &on))
        return false;
    goal_schedule_require(reader->schedule, waiter, on, start);
    lexer_next(&reader->lexer);
    return true;
}

static bool read_labelled(struct goal_reader *reader)
{
    char label[GOAL_WORD_SIZE];
    g_strlcpy(label, reader->lexer.word, sizeof label);
    if (next_is(reader, GOAL_COLON)) {
        lexer_next(&reader->lexer);
        return add_operation(reader, label);
    }
    if (is_word(reader, "requires") || is_word(reader, "irequires"))
        return read_requirement(reader, label, reader->lexer.word[0] == 'i');
    return unexpected(reader, "\":\", \"requires\" or \"irequires\"");
}

/* Reads up to the closing brace, which is not consumed. Each statement leaves the token after it. */
static bool read_statements(struct goal_reader *reader)
{
    lexer_next(&reader->lexer);
    while (reader->lexer.token != GOAL_CLOSE) {
        if (reader->lexer.token == GOAL_END_LINE) {
            lexer_next(&reader->lexer);
            continue;
        }
        if (reader->lexer.token != GOAL_WORD)
            return unexpected(reader, "an operation, a label or \"}\"");
        if (!(operation_kind(reader) ? add_operation(reader, NULL) : read_labelled(reader)))
            return false;
        if (reader->lexer.token != GOAL_END_LINE && reader->lexer.token != GOAL_CLOSE)
            return unexpected(reader, "the end of the line");
    }
    return true;
}

static bool end_rank(struct goal_reader *reader)
{
    uint32_t stuck = 0, count = 0;
    g_hash_table_remove_all(reader->labels);
    g_string_chunk_clear(reader->names);
    if (goal_schedule_end(reader->schedule, &stuck, &count))
        return true;
    uint32_t line = goal_schedule_op(reader->schedule, reader->rank, stuck)->line;
    return fail_at(reader, line,
                   "%u operations of rank %u wait in or behind a circle of requirements, the first "
                   "of them here",
                   count, reader->rank);
}

/* Reads a rank after "rank". */
static bool read_rank(struct goal_reader *reader)
{
    uint64_t rank = 0;
    if (reader->ranks == 0)
        return fail_at(reader, reader->lexer.line, "num_ranks must come before the first rank");
    if (!read_number(reader, "the number of a rank", reader->ranks - 1, &rank))
        return false;
    reader->rank = (uint32_t)rank;
    if (!goal_schedule_begin(reader->schedule, reader->rank))
        return fail_at(reader, reader->lexer.line, "rank %u was described before", reader->rank);
    if (!next_is(reader, GOAL_OPEN))
        return unexpected(reader, "\"{\"");
    return read_statements(reader) && end_rank(reader);
}

/* Reads the number after "num_ranks". */
static bool read_num_ranks(struct goal_reader *reader)
{
    uint64_t ranks = 0;
    uint32_t line = reader->lexer.line;
    if (reader->ranks != 0)
        return fail_at(reader, line, "num_ranks is told twice");
    if (!read_number(reader, "the number of ranks", GOAL_MAX_RANKS, &ranks))
        return false;
    if (ranks == 0)
        return fail_at(reader, line, "there must be at least one rank");
    reader->ranks = (uint32_t)ranks;
    reader->schedule = goal_schedule_new(reader->ranks);
    return true;
}

static bool read_text(struct goal_reader *reader)
{
    while (lexer_next(&reader->lexer) != GOAL_END_TEXT) {
        bool good = true;
        if (is_word(reader, "rank"))
            good = read_rank(reader);
        else if (is_word(reader, "num_ranks"))
            good = read_num_ranks(reader);
        else if (reader->lexer.token != GOAL_END_LINE)
            good = unexpected(reader, "\"rank\" or \"num_ranks\"");
        if (!good)
            return false;
    }
    return reader->ranks != 0 ||
           fail_at(reader, reader->lexer.line, "the text has no num_ranks and no ranks");
}

/* --- the whole -------------------------------------------------------------------------------- */

static const struct text_kind goal_text = {.name = "a GOAL schedule",
                                           .most_bytes = INT64_C(16) << 30,
                                           .or_from = ", or from standard input as -"};

/* Checks that the text was read to its end. */
static bool check_stream(struct goal_reader *reader, bool is_good)
{
    int number = errno;
    bool is_cut = reader->lexer.left_bytes < 0, is_faulty = ferror(reader->lexer.file);
    if (is_cut || is_faulty)
        g_clear_error(reader->error); /* the error at the place where the text was cut off */
    if (is_cut)
        return text_file_too_large(reader->name, &goal_text, reader->error);
    if (is_faulty)
        return fail_at(reader, reader->lexer.line, "cannot be read: %s", g_strerror(number));
    return is_good;
}

static struct goal_schedule *read_as_text(FILE *file, const char *name, GError **error)
{
    g_autofree struct goal_reader *reader = g_new0(struct goal_reader, 1);
    reader->name = name;
    reader->error = error;
    reader->labels = g_hash_table_new(g_str_hash, g_str_equal);
    reader->names = g_string_chunk_new(4096);
    lexer_begin(&reader->lexer, file, goal_text.most_bytes);
    bool good = check_stream(reader, read_text(reader));
    g_hash_table_destroy(reader->labels);
    g_string_chunk_free(reader->names);
    if (good)
        return reader->schedule;
    if (reader->schedule)
        goal_schedule_free(reader->schedule);
    return NULL;
}

struct goal_schedule *goal_read(FILE *file, const char *name, GError **error)
{
    int first = getc(file);
    if (first != EOF)
        ungetc(first, file);
    struct goal_schedule *schedule = first == GOAL_BINARY_FIRST_BYTE
                                         ? goal_binary_read(file, name, error)
                                         : read_as_text(file, name, error);
    if (schedule == NULL || goal_check(schedule, name, error))
        return schedule;
    goal_schedule_free(schedule);
    return NULL;
}

struct goal_schedule *goal_read_file(const char *path, GError **error)
{
    if (strcmp(path, "-") == 0)
        return goal_read(stdin, "standard input", error);
    FILE *file = text_file_open(path, &goal_text, error);
    if (!file)
        return NULL;
    struct goal_schedule *schedule = goal_read(file, path, error);
    fclose(file);
    return schedule;
}
