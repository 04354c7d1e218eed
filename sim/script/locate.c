/* Lua tells the line of the call that got a table, not the line of a key in it; for a machine of
 * fifty lines that is not enough. So the constructor is read once more, just deep enough: strings
 * and comments are skipped, braces counted, and NAME = looked for at the depth where it belongs. */
#include "script/locate.h"

#include <glib.h>
#include <stdbool.h>
#include <string.h>

struct scanner {
    const char *at;
    int line;
    size_t depth; /* of braces */
};

static void step(struct scanner *scanner)
{
    scanner->line += *scanner->at == '\n';
    scanner->at++;
}

static bool step_over(struct scanner *scanner, const char *text)
{
    size_t length = strlen(text);
    if (strncmp(scanner->at, text, length) != 0)
        return false;
    for (size_t i = 0; i < length; i++)
        step(scanner);
    return true;
}

/* [[...]] or [==[...]==] */
static bool skip_long_bracket(struct scanner *scanner)
{
    size_t level = scanner->at[0] == '[' ? strspn(scanner->at + 1, "=") : 0;
    if (scanner->at[0] != '[' || scanner->at[1 + level] != '[')
        return false;
    GString *end = g_string_new("]");
    for (size_t i = 0; i < level; i++)
        g_string_append_c(end, '=');
    g_string_append_c(end, ']');
    while (*scanner->at && !step_over(scanner, end->str))
        step(scanner);
    g_string_free(end, TRUE);
    return true;
}

static bool skip_comment(struct scanner *scanner)
{
    if (!step_over(scanner, "--"))
        return false;
    if (!skip_long_bracket(scanner)) {
        while (*scanner->at && *scanner->at != '\n')
            step(scanner);
    }
    return true;
}

static bool skip_string(struct scanner *scanner)
{
    char quote = *scanner->at;
    if (quote != '"' && quote != '\'')
        return skip_long_bracket(scanner);
    step(scanner);
    while (*scanner->at && *scanner->at != quote && *scanner->at != '\n') {
        if (*scanner->at == '\\' && scanner->at[1])
            step(scanner);
        step(scanner);
    }
    if (*scanner->at == quote)
        step(scanner);
    return true;
}

static bool is_name_char(char c)
{
    return g_ascii_isalnum(c) || c == '_';
}

/* Steps over a name; true if it is `key` and a single `=` follows, which is stepped over, too. */
static bool match_key(struct scanner *scanner, const char *key)
{
    const char *start = scanner->at;
    while (is_name_char(*scanner->at))
        step(scanner);
    size_t length = (size_t)(scanner->at - start);
    const char *next = scanner->at + strspn(scanner->at, " \t");
    if (length != strlen(key) || strncmp(start, key, length) != 0 || next[0] != '=' ||
        next[1] == '=')
        return false;
    scanner->at = next + 1;
    return true;
}

static bool opens_table(const struct scanner *scanner)
{
    return scanner->at[strspn(scanner->at, " \t\n")] == '{';
}

int locate_key(const char *text, int line, const char *const *keys, size_t depth)
{
    struct scanner scanner = {.at = text, .line = 1};
    while (*scanner.at && scanner.line < line)
        step(&scanner);
    size_t found = 0; /* keys found so far; the next one stands at brace depth found + 1 */
    while (*scanner.at) {
        int key_line = scanner.line;
        if (skip_comment(&scanner) || skip_string(&scanner))
            continue;
        if (is_name_char(*scanner.at)) {
            if (!match_key(&scanner, keys[found]) || scanner.depth != found + 1)
                continue;
            if (++found == depth)
                return key_line;
            if (!opens_table(&scanner))
                return line;
            continue;
        }
        if (*scanner.at == '}' && (scanner.depth == 0 || --scanner.depth <= found))
            return line;
        scanner.depth += *scanner.at == '{';
        step(&scanner);
    }
    return line;
}
