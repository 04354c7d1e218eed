/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds what it looks for by GLib's patterns, which step over strings and comments: those match first, and are then dropped by
 * (*SKIP)(*FAIL). Lua knows the line of the call that got a table, not the line of a key in it; for a machine of fifty lines
 * that is not enough. So the source of the constructor is searched: braces are counted, and NAME = is looked for at the right
 * depth. */
#include "script/sandbox/grammar.h"

#include <glib.h>
#include <stdbool.h>
#include <string.h>

#include "core/check.h"

/* [[...]] or [==[...]==] */
#define LONG_BRACKET "\\[(=*+)\\[(?:[^]]++|\\](?!\\g{-1}\\]))*+(?:\\]\\g{-1}\\])?"
#define COMMENT "--(?:" LONG_BRACKET "|[^\\n]*+)"
#define QUOTED(quote) quote "(?:[^\\\\\\n" quote "]++|\\\\(?s:.))*+" quote "?"
#define STRING "(?:" LONG_BRACKET "|" QUOTED("\"") "|" QUOTED("'") ")"
#define STEP_OVER "(*SKIP)(*FAIL)|"
#define OVER_TEXTS COMMENT STEP_OVER STRING STEP_OVER
#define SPACE "(?:\\s|" COMMENT ")*+"
#define BLANK "[ \\t]*+"

/* The first match of the pattern in the text, which *pattern compiles at first use. The caller frees it. */
static GMatchInfo *matches(GRegex **compiled, const char *pattern, const char *text)
{
    GMatchInfo *match;
    if (!*compiled)
        *compiled = g_regex_new(pattern, G_REGEX_RAW | G_REGEX_OPTIMIZE, 0, NULL);
    g_regex_match(*compiled, text, 0, &match);
    return match;
}

/* --- comparisons -------------------------------------------------------------------------------- */

/* The names are no script's own: names that begin with two underscores are reserved for internal use. */
#define HEAD "local __order,__same=...;"

/* A value that no marker changes, if it is the whole operand. */
#define PLAIN "(?:nil|true|false)(?!\\w)|\\d(?:\\w|\\.(?!\\.))*+" SPACE "(?![-+*/%^.&|~<>=])"
#define PLAIN_TEXT "[\"'](?![-\\d\\\\])"

/* Shifts and attributes of locals, as in `local x <const>`, are no comparisons. */
#define ORDER                                                                                      \
    OVER_TEXTS "(?:<<|>>|<" SPACE "(?:const|close)(?!\\w)" SPACE ">)" STEP_OVER                    \
               "(?<operator>[<>]=?+)(?!" SPACE "(?:" PLAIN "))"
#define SAME OVER_TEXTS "(?<operator>[=~]=)(?!" SPACE "(?:" PLAIN "|" PLAIN_TEXT "))"

static char *replace(GRegex **compiled, const char *pattern, const char *text,
                     const char *replacement)
{
    g_autoptr(GMatchInfo) match = matches(compiled, pattern, text);
    if (!g_match_info_matches(match))
        return g_strdup(text);
    char *replaced = g_regex_replace(*compiled, text, -1, 0, replacement, 0, NULL);
    check_always(replaced != NULL, "a script's comparisons cannot be marked");
    return replaced;
}

char *grammar_mark(const char *text)
{
    static GRegex *order, *same;
    bool may_order = strpbrk(text, "<>"), may_equal = strstr(text, "==") || strstr(text, "~=");
    g_autofree char *ordered =
        may_order ? replace(&order, ORDER, text, " |__order\\g<operator> ") : g_strdup(text);
    g_autofree char *marked = may_equal
                                  ? replace(&same, SAME, ordered, " |__same\\g<operator> __same| ")
                                  : g_steal_pointer(&ordered);
    return strlen(marked) > strlen(text) ? g_strconcat(HEAD, marked, NULL) : NULL;
}

/* --- keys --------------------------------------------------------------------------------------- */

/* Where a group of the match begins in the text; -1: it is not part of the match. */
static int start_of(const GMatchInfo *match, int group)
{
    int start = -1;
    g_match_info_fetch_pos(match, group, &start, NULL);
    return start;
}

/* How many lines end between *from, which becomes `place`, and `place`. */
static int lines_until(const char *text, int *from, int place)
{
    int lines = 0;
    for (; *from < place; ++*from)
        lines += text[*from] == '\n';
    return lines;
}

/* A brace; or a key, and the table that is its value: "{ ... }", or a word with a table, "mpi { ... }". Groups before those of
 * the enumeration are of long brackets. */
#define BRACE_OR_KEY OVER_TEXTS "[{}]|(\\w++)" BLANK "=(?!=)(?=([ \\t\\n]*+\\w*+[ \\t\\n]*+\\{)?)"
enum { KEY = 3, TABLE = 4 };

int grammar_key_line(const char *text, int line, const char *const *keys, size_t depth)
{
    static GRegex *compiled;
    const char *start = text;
    size_t found = 0, braces = 0; /* the next key is at brace depth found + 1 */
    for (int i = 1; i < line && (start = strchr(start, '\n')); i++)
        start++;
    if (!start)
        return line;
    g_autoptr(GMatchInfo) match = matches(&compiled, BRACE_OR_KEY, start);
    for (; g_match_info_matches(match); g_match_info_next(match, NULL)) {
        g_autofree char *key = g_match_info_fetch(match, KEY);
        int place = start_of(match, 0);
        if (start_of(match, KEY) >= 0) {
            if (strcmp(key, keys[found]) != 0 || braces != found + 1)
                continue;
            if (++found == depth)
                return line + lines_until(start, &(int){0}, place);
            if (start_of(match, TABLE) < 0)
                return line;
        } else if (start[place] == '{') {
            braces++;
        } else if (braces == 0 || --braces <= found) {
            return line;
        }
    }
    return line;
}

/* A table constructor that is open, and how many blocks, such as functions, and parentheses are open in it: a name inside these
 * is no key. */
struct constructor {
    guint number;
    int inside;
};

/* What begins or ends a constructor, a block or a parenthesis; or a key behind a brace or a separator. The blocks of `for` and
 * `while` are opened by their `do`. */
#define TEXT_KEY(quote) "\\[" BLANK quote "([^\"'\\\\\\n]++)" quote BLANK "\\]"
#define ENTRY                                                                                      \
    OVER_TEXTS "[{,;]" SPACE "(?|(\\w++)|" TEXT_KEY("\"") "|" TEXT_KEY(                            \
        "'") ")" BLANK "=(?!=)|[{}()]|\\b(?:function|do|if|repeat|end|until)\\b"
enum { KEY_OF_ENTRY = 4 };

/* By how many blocks and parentheses more are open behind the match that begins with this letter. */
static int opened_by(char first)
{
    return (strchr("(fdir", first) != NULL) - (strchr(")eu", first) != NULL);
}

/* Notes a key in `lines`, by the number of its constructor. Returns the line of its earlier occurrence, or 0. */
static int note_key(GHashTable *lines, const struct constructor *in, const char *name, int line)
{
    char *known = g_strdup_printf("%u %s", in->number, name);
    int before = GPOINTER_TO_INT(g_hash_table_lookup(lines, known));
    g_hash_table_insert(lines, known, GINT_TO_POINTER(line));
    return before;
}

int grammar_duplicate_key(const char *text, char **key, int *first)
{
    static GRegex *compiled;
    g_autoptr(GMatchInfo) match = matches(&compiled, ENTRY, text);
    g_autoptr(GArray) open = g_array_new(FALSE, FALSE, sizeof(struct constructor));
    g_autoptr(GHashTable) lines = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    struct constructor next = {1, 0};
    int line = 1, seen = 0;
    for (; g_match_info_matches(match); g_match_info_next(match, NULL)) {
        char begin = text[start_of(match, 0)];
        if (begin == '{') {
            g_array_append_val(open, next);
            next.number++;
        } else if (begin == '}' && open->len > 0) {
            g_array_set_size(open, open->len - 1);
        }
        if (open->len == 0)
            continue;
        struct constructor *in = &g_array_index(open, struct constructor, open->len - 1);
        in->inside += opened_by(begin);
        int place = in->inside == 0 ? start_of(match, KEY_OF_ENTRY) : -1;
        if (place < 0)
            continue;
        g_autofree char *name = g_match_info_fetch(match, KEY_OF_ENTRY);
        line += lines_until(text, &seen, place);
        if ((*first = note_key(lines, in, name, line)) > 0) {
            *key = g_steal_pointer(&name);
            return line;
        }
    }
    return 0;
}
