/* Lua tells the line of the call that got a table, not the line of a key in it; for a machine of
 * fifty lines that is not enough. So the constructor is read once more, just deep enough: strings
 * and comments are skipped, braces counted, and NAME = looked for at the depth where it belongs. */
#include "script/sandbox/locate.h"

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

/* --- quantities that are compared as text -------------------------------------------------------
 */

/* What stands before a token. A string after an operand is the argument of a call. */
enum before { BEFORE_OTHER, BEFORE_OPERAND, BEFORE_ORDER, BEFORE_QUANTITY };

static bool is_keyword(const char *name, size_t length)
{
    static const char *const keywords[] = {"and",  "do",    "else", "elseif", "if",
                                           "in",   "local", "not",  "or",     "return",
                                           "then", "until", "while"};
    for (size_t i = 0; i < G_N_ELEMENTS(keywords); i++) {
        if (strlen(keywords[i]) == length && strncmp(keywords[i], name, length) == 0)
            return true;
    }
    return false;
}

/* Steps over < <= > or >=; shifts are none of these. */
static bool step_over_order(struct scanner *scanner)
{
    if (*scanner->at != '<' && *scanner->at != '>')
        return false;
    if (step_over(scanner, "<<") || step_over(scanner, ">>"))
        return false;
    step(scanner);
    step_over(scanner, "=");
    return true;
}

/* The next token begins here. Sets what it is to the one after it; true if it is a string. */
static bool step_token(struct scanner *scanner, enum before *before)
{
    const char *start = scanner->at;
    if (skip_string(scanner))
        return true;
    if (is_name_char(*start)) {
        while (is_name_char(*scanner->at))
            step(scanner);
        bool is_operand = !is_keyword(start, (size_t)(scanner->at - start));
        *before = is_operand ? BEFORE_OPERAND : BEFORE_OTHER;
        return false;
    }
    if (step_over_order(scanner)) {
        *before = BEFORE_ORDER;
        return false;
    }
    if (scanner->at == start)
        step(scanner);
    *before = *start == ')' || *start == ']' || *start == '}' ? BEFORE_OPERAND : BEFORE_OTHER;
    return false;
}

static bool is_quantity_between(const char *start, const char *end,
                                bool (*is_quantity)(const char *text))
{
    if (end - start < 2)
        return false;
    char *literal = g_strndup(start + 1, (gsize)(end - start - 2));
    bool is_one = is_quantity(literal);
    g_free(literal);
    return is_one;
}

int locate_text_order(const char *text, bool (*is_quantity)(const char *text))
{
    struct scanner scanner = {.at = text, .line = 1};
    enum before before = BEFORE_OTHER;
    while (*scanner.at) {
        if (g_ascii_isspace(*scanner.at)) {
            step(&scanner);
            continue;
        }
        if (skip_comment(&scanner))
            continue;
        const char *start = scanner.at;
        enum before last = before;
        bool is_string = step_token(&scanner, &before);
        if (!is_string && last == BEFORE_QUANTITY && before == BEFORE_ORDER)
            return scanner.line;
        if (!is_string)
            continue;
        bool found = last != BEFORE_OPERAND && is_quantity_between(start, scanner.at, is_quantity);
        if (found && last == BEFORE_ORDER)
            return scanner.line;
        before = found ? BEFORE_QUANTITY : BEFORE_OPERAND;
    }
    return 0;
}

/* --- fields that are compared ------------------------------------------------------------------- */

/* What came before, as far as it matters. */
struct field_scan {
    const char *start; /* of the last name */
    size_t length;
    bool is_name, is_after_dot,
        is_field; /* the last token: a name; the dot behind one; that behind it */
    char *left;   /* field before the last order, or NULL */
    int since;    /* tokens since that */
};

static void note_token(struct field_scan *scan, const char *start, const char *end)
{
    bool is_name = is_name_char(*start) && !is_keyword(start, (size_t)(end - start));
    scan->is_field = is_name && scan->is_after_dot;
    scan->is_after_dot = *start == '.' && end == start + 1 && scan->is_name;
    scan->is_name = is_name;
    scan->start = start;
    scan->length = (size_t)(end - start);
    scan->since++;
}

int locate_field_order(const char *text,
                       bool (*is_quantity)(const char *field, const void *context),
                       const void *context)
{
    struct scanner scanner = {.at = text, .line = 1};
    struct field_scan scan = {0};
    enum before before = BEFORE_OTHER;
    int line = 0;
    while (*scanner.at && line == 0) {
        if (g_ascii_isspace(*scanner.at)) {
            step(&scanner);
            continue;
        }
        if (skip_comment(&scanner))
            continue;
        const char *start = scanner.at;
        bool was_field = scan.is_field;
        g_autofree char *field = was_field ? g_strndup(scan.start, scan.length) : NULL;
        step_token(&scanner, &before);
        note_token(&scan, start, scanner.at);
        if (before == BEFORE_ORDER) {
            g_free(scan.left);
            scan.left = was_field && is_quantity(field, context) ? g_steal_pointer(&field) : NULL;
            scan.since = 0;
        } else if (scan.is_field && scan.left != NULL && scan.since == 3) {
            g_autofree char *right = g_strndup(scan.start, scan.length);
            line = is_quantity(right, context) ? scanner.line : 0;
        }
    }
    g_free(scan.left);
    return line;
}

/* --- keys that stand twice in a table ----------------------------------------------------------- */

/* A table constructor that is open. */
struct constructor {
    GHashTable *lines;  /* of its keys, by key */
    int blocks, parens; /* open in it: functions with what is in them; what is in these is no key */
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

/* The key that is written here, NAME = or ["text"] =; NULL if there is none. The caller frees it with g_free. */
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
        while (is_name_char(*at))
            at++;
        end = at;
    }
    at += strspn(at, " \t");
    return end > start && at[0] == '=' && at[1] != '=' ? g_strndup(start, (gsize)(end - start))
                                                       : NULL;
}

/* Notes a key of the innermost constructor; the line on which it stands already, or 0. */
static int note_key(const struct constructor *constructor, const char *key, int line)
{
    int before = GPOINTER_TO_INT(g_hash_table_lookup(constructor->lines, key));
    if (before == 0)
        g_hash_table_insert(constructor->lines, g_strdup(key), GINT_TO_POINTER(line));
    return before;
}

/* Steps over a token and keeps account of what is open. */
static void step_open(struct scanner *scanner, GPtrArray *open)
{
    const char *start = scanner->at;
    struct constructor *in = open->len ? g_ptr_array_index(open, open->len - 1) : NULL;
    if (skip_string(scanner))
        return;
    if (is_name_char(*start)) {
        while (is_name_char(*scanner->at))
            step(scanner);
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
    step(scanner);
}

int locate_duplicate_key(const char *text, char **key, int *first)
{
    struct scanner scanner = {.at = text, .line = 1};
    g_autoptr(GPtrArray) open = g_ptr_array_new_with_free_func(constructor_free);
    bool may_be_key = false; /* a field of a constructor begins here */
    while (*scanner.at) {
        if (g_ascii_isspace(*scanner.at)) {
            step(&scanner);
            continue;
        }
        if (skip_comment(&scanner))
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
