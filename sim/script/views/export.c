/* SPDX-License-Identifier: BSD-3-Clause */
#include "script/views/export.h"

#include "script/views/views.h"

char *export_text(const struct table *table, const char *format)
{
    g_autoptr(GError) error = NULL;
    g_auto(GStrv) texts =
        views_texts("export", "text", g_variant_new("(@ts)", views_table(table), format), &error);
    return g_strdup(texts ? texts[0] : error->message);
}
