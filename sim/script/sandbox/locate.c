/* SPDX-License-Identifier: BSD-3-Clause */
/* Lua knows the line of the call that got a table, not the line of a key in it; for a machine of fifty lines that is not
 * enough. So the source of the constructor is searched: strings and comments are skipped, braces counted, and NAME = is looked
 * for at the right depth. */
#include "script/sandbox/locate.h"

#include <glib.h>
#include <stdbool.h>
#include <string.h>

#include "script/sandbox/scan.h"

/* Steps over a name; true if it is `key` and a single `=` follows, which is also stepped over. */
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

/* Whether a table begins here: "{ ... }", or a word with a table, "mpi { ... }". */
static bool opens_table(const struct scanner *scanner)
{
    const char *at = scanner->at + strspn(scanner->at, " \t\n");
    while (scan_is_name(*at))
        at++;
    return at[strspn(at, " \t\n")] == '{';
}

int locate_key(const char *text, int line, const char *const *keys, size_t depth)
{
    struct scanner scanner = {.at = text, .line = 1};
    while (*scanner.at && scanner.line < line)
        scan_step(&scanner);
    size_t found = 0; /* keys found so far; the next one is at brace depth found + 1 */
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

/* --- keys that stand twice in a table ----------------------------------------------------------- */

/* A table constructor that is open. */
struct constructor {
    GHashTable *lines;  /* lines of its keys, by key */
    int blocks, parens; /* open in it, such as functions; a name inside these is no key */
};

static void constructor_free(gpointer data)
{
    struct constructor *constructor = data;
    g_hash_table_unref(constructor->lines);
    g_free(constructor);
}

static struct constructor *constructor_new(void)
{
    struct constructor *constructor = g_new0(struct constructor, 1);
    constructor->lines = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    return constructor;
}

/* How many blocks a word opens; those of `for` and `while` are opened by their `do`. */
static int blocks_of(const char *word, size_t length)
{
    static const struct {
        const char *word;
        int blocks;
    } words[] = {{"function", 1}, {"do", 1}, {"if", 1}, {"repeat", 1}, {"end", -1}, {"until", -1}};
    for (size_t i = 0; i < G_N_ELEMENTS(words); i++)
        if (strlen(words[i].word) == length && strncmp(words[i].word, word, length) == 0)
            return words[i].blocks;
    return 0;
}

/* The key that begins here, NAME = or ["text"] =; NULL if there is none. The caller frees it with g_free. */
static char *key_here(const char *at)
{
    const char *start = at, *end;
    if (*at == '[') {
        at += 1 + strspn(at + 1, " \t");
        char quote = *at;
        start = at + 1;
        end = quote == '"' || quote == '\'' ? strpbrk(start, "\"'\\\n") : NULL;
        if (!end || *end != quote)
            return NULL;
        at = end + 1 + strspn(end + 1, " \t");
        if (*at++ != ']')
            return NULL;
    } else {
        while (scan_is_name(*at))
            at++;
        end = at;
    }
    at += strspn(at, " \t");
    return end > start && at[0] == '=' && at[1] != '=' ? g_strndup(start, (gsize)(end - start))
                                                       : NULL;
}

/* Notes a key of the innermost constructor. Returns the line of its earlier occurrence, or 0. */
static int note_key(const struct constructor *constructor, const char *key, int line)
{
    int before = GPOINTER_TO_INT(g_hash_table_lookup(constructor->lines, key));
    if (before == 0)
        g_hash_table_insert(constructor->lines, g_strdup(key), GINT_TO_POINTER(line));
    return before;
}

/* Steps over a token and keeps the list of open constructors and blocks. */
static void step_open(struct scanner *scanner, GPtrArray *open)
{
    const char *start = scanner->at;
    struct constructor *in = open->len ? g_ptr_array_index(open, open->len - 1) : NULL;
    if (scan_string(scanner))
        return;
    if (scan_is_name(*start)) {
        while (scan_is_name(*scanner->at))
            scanner->at++;
        if (in)
            in->blocks += blocks_of(start, (size_t)(scanner->at - start));
        return;
    }
    if (*start == '{')
        g_ptr_array_add(open, constructor_new());
    else if (*start == '}' && in)
        g_ptr_array_set_size(open, (gint)open->len - 1);
    else if (in)
        in->parens += (*start == '(') - (*start == ')');
    scan_step(scanner);
}

int locate_duplicate_key(const char *text, char **key, int *first)
{
    struct scanner scanner = {.at = text, .line = 1};
    g_autoptr(GPtrArray) open = g_ptr_array_new_with_free_func(constructor_free);
    bool may_be_key = false; /* a field of a constructor begins here */
    while (*scanner.at) {
        if (g_ascii_isspace(*scanner.at)) {
            scan_step(&scanner);
            continue;
        }
        if (scan_comment(&scanner))
            continue;
        const struct constructor *in = open->len ? g_ptr_array_index(open, open->len - 1) : NULL;
        g_autofree char *here =
            may_be_key && in && in->blocks == 0 && in->parens == 0 ? key_here(scanner.at) : NULL;
        *first = here ? note_key(in, here, scanner.line) : 0;
        if (*first > 0) {
            *key = g_steal_pointer(&here);
            return scanner.line;
        }
        may_be_key = strchr("{,;", *scanner.at) != NULL;
        step_open(&scanner, open);
    }
    return 0;
}
