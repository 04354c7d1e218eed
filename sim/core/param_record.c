/* SPDX-License-Identifier: BSD-3-Clause */
/* Records as parameters: text to struct and back. A value that differs from a named value is written as the name and the fields
 * that differ, in the order of the table. */
#include <glib.h>
#include <string.h>

#include "core/error.h"
#include "core/home.h"
#include "core/param.h"

static int64_t *base_of(const struct param_record *record, void *value)
{
    return (int64_t *)(void *)((char *)value + record->base_offset);
}

bool param_record_equal(const struct param_record *record, const void *a, const void *b)
{
    for (size_t i = 0; i < record->table->count; i++)
        if (param_compare(&record->table->params[i], a, b) != 0)
            return false;
    return true;
}

void param_record_set_base(const struct param_record *record, void *value, size_t number)
{
    size_t count = record->count();
    bool is_known = number < count;
    if (is_known && param_record_equal(record, value, record->value(number)))
        count = 0;
    for (size_t i = 0; i < count; i++)
        if (param_record_equal(record, value, record->value(i))) {
            number = i;
            is_known = true;
            break;
        }
    *base_of(record, value) = is_known ? (int64_t)number + 1 : 0;
}

size_t param_record_find(const struct param_record *record, const char *name, GError **error)
{
    size_t count = record->count();
    for (size_t i = 0; i < count; i++)
        if (strcmp(record->name(i), name) == 0)
            return i;
    g_autofree char *path = NULL;
    if (count == 0 && record->file != NULL && (path = home_path(record->file, error)) == NULL) {
        g_prefix_error(error, "\"%s\" is not known: ", name);
        return SIZE_MAX;
    }
    g_autofree const char **names = g_new0(const char *, count + 1);
    for (size_t i = 0; i < count; i++)
        names[i] = record->name(i);
    g_autofree char *suggestion = param_suggestion(name, names, count);
    error_set(error, "\"%s\" is not known%s", name, suggestion);
    return SIZE_MAX;
}

/* --- to text ------------------------------------------------------------------------------------ */

/* The named value whose name begins the text of `value`, or NULL. */
static const void *named(const struct param_record *record, const void *value, const char **name)
{
    int64_t base;
    memcpy(&base, (const char *)value + record->base_offset, sizeof base);
    if (base < 1 || (size_t)base > record->count())
        return NULL;
    *name = record->name((size_t)base - 1);
    return record->value((size_t)base - 1);
}

char *param_record_format(const struct param_record *record, const void *value, bool is_whole,
                          char *text)
{
    const char *name = "";
    const void *origin = is_whole ? NULL : named(record, value, &name);
    g_autofree void *defaults = g_malloc0(record->table->spec_size);
    if (origin == NULL && !is_whole) {
        param_set_defaults(record->table, defaults);
        origin = defaults;
    }
    g_autoptr(GString) whole = g_string_new(name);
    char before = '{';
    for (size_t i = 0; i < record->table->count; i++) {
        const struct param *field = &record->table->params[i];
        char field_text[UNIT_TEXT_SIZE];
        if (!is_whole && param_compare(field, value, origin) == 0)
            continue;
        g_string_append_c(whole, before);
        g_string_append(whole, field->name);
        g_string_append_c(whole, '=');
        g_string_append(whole, param_format(field, value, field_text));
        before = ',';
    }
    if (before == ',' || *name == '\0')
        g_string_append(whole, before == ',' ? "}" : "{}");
    g_strlcpy(text, whole->str, PARAM_TEXT_SIZE);
    return text;
}

/* --- from text ---------------------------------------------------------------------------------- */

static bool set_field(const struct param_record *record, void *value, char *entry, GError **error)
{
    const struct param_table *table = record->table;
    char *equals = strchr(entry, '=');
    if (equals == NULL)
        return error_set(error, "\"%s\" has no value; write name{%s=...}", entry,
                         table->params[0].name);
    *equals = '\0';
    const struct param *field = param_find(table, g_strstrip(entry));
    if (field != NULL)
        return param_set_text(table, field, value, g_strstrip(equals + 1), error);
    g_autofree char *suggestion = param_suggestion_of(table, entry);
    return error_set(error, "unknown axis \"%s\"%s", entry, suggestion);
}

/* Sets fields from the text between the braces: "server=gpu_warp,queue.memory=host". */
static bool set_fields(const struct param_record *record, void *value, const char *text,
                       GError **error)
{
    g_auto(GStrv) entries = g_strsplit(text, ",", -1);
    if (*g_strstrip(entries[0] ? entries[0] : (char[]){""}) == '\0' && (!entries[0] || !entries[1]))
        return true;
    for (char **entry = entries; *entry != NULL; entry++)
        if (!set_field(record, value, *entry, error))
            return false;
    return true;
}

bool param_record_set_text(const struct param_record *record, void *value, const char *text,
                           GError **error)
{
    const char *brace = strchr(text, '{');
    size_t length = strlen(text);
    g_autofree char *name = brace ? g_strndup(text, (gsize)(brace - text)) : g_strdup(text);
    g_autofree void *read = g_malloc0(record->table->spec_size);
    size_t number = SIZE_MAX;
    if (!brace || *name != '\0') {
        number = param_record_find(record, name, error);
        if (number == SIZE_MAX)
            return false;
        memcpy(read, record->value(number), record->table->spec_size);
    } else {
        param_set_defaults(record->table, read);
    }
    if (brace) {
        g_autofree char *fields = g_strndup(brace + 1, length - (size_t)(brace - text) - 1);
        size_t end = strlen(fields);
        if (end == 0 || fields[end - 1] != '}') {
            return error_set(error, "\"%s\" has no closing brace at its end", text);
        }
        fields[end - 1] = '\0';
        if (!set_fields(record, read, fields, error))
            return false;
    }
    param_record_set_base(record, read, number);
    if (!record->valid(read, error))
        return false;
    memcpy(value, read, record->table->spec_size);
    return true;
}
