/* SPDX-License-Identifier: BSD-3-Clause */
/* Provenance. One table serves `gpunetsim params` and the report. */
#include "study/table/provenance.h"

static char *source_text(const struct provenance *entry)
{
    const char *source = entry->source ? entry->source : "";
    if (!entry->claims)
        return g_strdup(source);
    const char *how = entry->kind == SOURCE_INFERRED ? "inferred from" : "fitted to";
    return g_strdup_printf("%s %s%s%s", how, entry->claims, *source ? "; " : "", source);
}

struct table *provenance_table(const struct machine *machine)
{
    static const char *const names[] = {"parameter", "value", "origin", "range", "source"};
    struct table *table = table_of_texts(names, G_N_ELEMENTS(names));
    for (guint i = 0; i < machine->provenance->len; i++) {
        const struct provenance *entry = g_ptr_array_index(machine->provenance, i);
        g_autofree char *source = source_text(entry);
        g_autofree char *range =
            entry->low && entry->high ? g_strdup_printf("%s..%s", entry->low, entry->high) : NULL;
        const char *const texts[] = {entry->path, entry->value, source_kind_name(entry->kind),
                                     range, source};
        table_append(table, texts);
    }
    return table;
}
