/* SPDX-License-Identifier: BSD-3-Clause */
/* Puts the rows that several tables share into each of them. */
#include <string.h>

#include "core/check.h"
#include "core/param.h"

/* The default of the row `name` among "size=64KiB,ways=2", or `otherwise`; NULL: it must be given. */
static const char *default_of(char *const *defaults, const char *name, const char *otherwise)
{
    size_t length = strlen(name);
    for (char *const *entry = defaults; *entry != NULL; entry++)
        if (strncmp(*entry, name, length) == 0 && (*entry)[length] == '=')
            return (*entry)[length + 1] ? g_intern_string(*entry + length + 1) : NULL;
    return otherwise;
}

/* Fails if a default is for a row that does not exist. */
static void check_defaults(const struct param *share, char *const *defaults)
{
    for (char *const *entry = defaults; *entry != NULL; entry++) {
        g_autofree char *name = g_strndup(*entry, strcspn(*entry, "="));
        check_always(param_find(share->record->table, name), "\"%s\" has no row \"%s\"",
                     share->record->table->component, name);
    }
}

static void take(GArray *rows, const struct param *share)
{
    g_auto(GStrv) defaults = g_strsplit(share->default_text ? share->default_text : "", ",", -1);
    check_defaults(share, defaults);
    for (size_t i = 0; i < share->record->table->count; i++) {
        struct param row = share->record->table->params[i];
        g_autofree char *name = g_strconcat(share->name, row.name, NULL);
        g_autofree char *description = g_strconcat(share->description, row.description, NULL);
        row.default_text = default_of(defaults, row.name, row.default_text);
        row.name = g_intern_string(name);
        row.description = g_intern_string(description);
        row.offset += share->offset;
        if (row.record == NULL)
            row.record = share->record;
        g_array_append_val(rows, row);
    }
}

void param_take_shared(struct param_table *table)
{
    GArray *rows = g_array_new(FALSE, FALSE, sizeof(struct param));
    for (size_t i = 0; i < table->count; i++)
        if (table->params[i].kind == PARAM_SHARED)
            take(rows, &table->params[i]);
        else
            g_array_append_val(rows, table->params[i]);
    table->count = rows->len;
    table->params = (struct param *)(void *)g_array_free(rows, FALSE);
}
