/* SPDX-License-Identifier: BSD-3-Clause */
#include "script/sandbox/compare.h"

#include <glib.h>
#include <stdbool.h>
#include <string.h>

#include "script/sandbox/scan.h"

/* The names are no script's own: names that begin with two underscores are reserved for internal use. */
#define HEAD "local __order,__same=...;"

static const char *const operators[] = {"<=", ">=", "==", "~=", "<", ">"};

/* The comparison operator at `at`, or NULL. Shifts and attributes of locals are no comparisons. */
static const char *comparison_at(const char *at)
{
    if (strchr("<>=~", *at) == NULL || strncmp(at, "<<", 2) == 0 || strncmp(at, ">>", 2) == 0)
        return NULL;
    for (size_t i = 0; i < G_N_ELEMENTS(operators); i++)
        if (strncmp(at, operators[i], strlen(operators[i])) == 0)
            return operators[i];
    return NULL;
}

/* The next character behind spaces and comments. */
static const char *next_token(const char *at)
{
    struct scanner scanner = {.at = at};
    while (g_ascii_isspace(*scanner.at) || scan_comment(&scanner))
        if (g_ascii_isspace(*scanner.at))
            scan_step(&scanner);
    return scanner.at;
}

static bool is_word(const char *at, const char *word)
{
    size_t length = strlen(word);
    return strncmp(at, word, length) == 0 && !scan_is_name(at[length]);
}

/* The length of the attribute that begins here, as in `local x <const>`; 0 if there is none. */
static size_t attribute_length(const char *at)
{
    const char *name = next_token(at + 1);
    bool is_one = *at == '<' && (is_word(name, "const") || is_word(name, "close"));
    const char *end = is_one ? next_token(name + strlen("const")) : "";
    return *end == '>' ? (size_t)(end + 1 - at) : 0;
}

/* Whether the operand that begins here is just a value that no marker changes; for an equality also a text that is no quantity. */
static bool is_plain(const char *at, bool is_order)
{
    if (is_word(at, "nil") || is_word(at, "true") || is_word(at, "false"))
        return true;
    if (*at == '"' || *at == '\'')
        return !is_order && !g_ascii_isdigit(at[1]) && at[1] != '-' && at[1] != '\\';
    if (!g_ascii_isdigit(*at))
        return false;
    while (scan_is_name(*at) || (*at == '.' && at[1] != '.'))
        at++;
    at = next_token(at);
    return *at == '\0' || strchr("+-*/%^.&|~<>=", *at) == NULL;
}

/* Appends the comparison at the scanner with its markers, and steps over it. */
static bool append_comparison(GString *marked, struct scanner *scanner, const char *comparison)
{
    bool is_order = *comparison == '<' || *comparison == '>';
    bool is_marked = !is_plain(next_token(scanner->at + strlen(comparison)), is_order);
    scan_over(scanner, comparison);
    if (is_marked && is_order)
        g_string_append_printf(marked, " |__order%s ", comparison);
    else if (is_marked)
        g_string_append_printf(marked, " |__same%s __same| ", comparison);
    else
        g_string_append(marked, comparison);
    return is_marked;
}

char *compare_mark(const char *text)
{
    struct scanner scanner = {.at = text};
    GString *marked = g_string_new(HEAD);
    bool has_mark = false;
    const char *from = text; /* the text has been copied up to here */
    while (*(scanner.at += strcspn(scanner.at, "<>=~-\"'["))) {
        const char *start = scanner.at, *comparison = comparison_at(start);
        size_t attribute = *start == '<' ? attribute_length(start) : 0;
        if (attribute > 0)
            scanner.at += attribute;
        else if (comparison != NULL) {
            g_string_append_len(marked, from, start - from);
            has_mark = append_comparison(marked, &scanner, comparison) || has_mark;
            from = scanner.at;
        } else if (strncmp(start, "<<", 2) == 0 || strncmp(start, ">>", 2) == 0)
            scanner.at += 2;
        else if (!scan_comment(&scanner) && !scan_string(&scanner))
            scan_step(&scanner);
    }
    g_string_append(marked, from);
    return g_string_free(marked, !has_mark);
}
