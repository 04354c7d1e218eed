/* SPDX-License-Identifier: BSD-3-Clause */
/* Just enough of Lua's grammar to step through a text. */
#include "script/sandbox/scan.h"

#include <glib.h>
#include <string.h>

void scan_step(struct scanner *scanner)
{
    scanner->line += *scanner->at == '\n';
    scanner->at++;
}

bool scan_over(struct scanner *scanner, const char *text)
{
    size_t length = strlen(text);
    if (strncmp(scanner->at, text, length) != 0)
        return false;
    for (size_t i = 0; i < length; i++)
        scan_step(scanner);
    return true;
}

/* [[...]] or [==[...]==] */
static bool skip_long_bracket(struct scanner *scanner)
{
    size_t level = scanner->at[0] == '[' ? strspn(scanner->at + 1, "=") : 0;
    if (scanner->at[0] != '[' || scanner->at[1 + level] != '[')
        return false;
    g_autofree char *end = g_strdup_printf("]%.*s]", (int)level, scanner->at + 1);
    while (*scanner->at && !scan_over(scanner, end))
        scan_step(scanner);
    return true;
}

bool scan_comment(struct scanner *scanner)
{
    if (!scan_over(scanner, "--"))
        return false;
    if (!skip_long_bracket(scanner))
        scanner->at += strcspn(scanner->at, "\n");
    return true;
}

bool scan_string(struct scanner *scanner)
{
    char quote = *scanner->at;
    if (quote != '"' && quote != '\'')
        return skip_long_bracket(scanner);
    const char ends[] = {quote, '\\', '\n', '\0'};
    scanner->at++;
    while (*(scanner->at += strcspn(scanner->at, ends)) == '\\') {
        if (scanner->at[1])
            scan_step(scanner);
        scan_step(scanner);
    }
    if (*scanner->at == quote)
        scan_step(scanner);
    return true;
}

bool scan_is_name(char c)
{
    return g_ascii_isalnum(c) || c == '_';
}
