/* Lua tells the line of the call that got a table, not the line of a key in it; for a machine of
 * fifty lines that is not enough. So the constructor is read once more, just deep enough: strings
 * and comments are skipped, braces counted, and NAME = looked for at the depth where it belongs. */
#include "script/sandbox/locate.h"

#include <glib.h>
#include <stdbool.h>
#include <string.h>

#include "script/sandbox/scan.h"

/* Steps over a name; true if it is `key` and a single `=` follows, which is stepped over, too. */
static bool match_key(struct scanner *scanner, const char *key)
{
    const char *start = scanner->at;
    while (scan_is_name(*scanner->at))
        scan_step(scanner);
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
        scan_step(&scanner);
    size_t found = 0; /* keys found so far; the next one stands at brace depth found + 1 */
    while (*scanner.at) {
        int key_line = scanner.line;
        if (scan_comment(&scanner) || scan_string(&scanner))
            continue;
        if (scan_is_name(*scanner.at)) {
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
        scan_step(&scanner);
    }
    return line;
}
