/* SPDX-License-Identifier: BSD-3-Clause */
#include "study/claims/claims_tsv.h"

#include <stdarg.h>
#include <string.h>

#include "core/error.h"
#include "core/text_file.h"

static void free_row(gpointer data)
{
    struct claims_row *row = data;
    g_strfreev(row->fields);
    g_free(row);
}

bool claims_tsv_fail(GError **error, const char *path, size_t line, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    g_autofree char *sentence = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    error_set(error, "%s:%zu: %s", path, line, sentence);
    return false;
}

static bool bad_header(const char *path, char **names, GError **error)
{
    g_autofree char *list = g_strjoinv(", ", names);
    return claims_tsv_fail(error, path, 1, "the first line must name the columns %s", list);
}

static bool add_row(GPtrArray *rows, const char *path, size_t line, const char *text, guint width,
                    GError **error)
{
    struct claims_row *row = g_new(struct claims_row, 1);
    *row = (struct claims_row){line, g_strsplit(text, "\t", -1)};
    g_ptr_array_add(rows, row);
    return g_strv_length(row->fields) == width ||
           claims_tsv_fail(error, path, line, "a row has %u fields, separated by tabs", width);
}

GPtrArray *claims_tsv_read(const char *path, const char *header, GError **error)
{
    static const struct text_kind table = {
        .name = "a table of claims", .most_bytes = 16 << 20, .is_utf8 = true};
    g_autofree char *content = text_file_read(path, &table, NULL, error);
    if (!content)
        return NULL;
    g_auto(GStrv) names = g_strsplit(header, "\t", -1);
    g_auto(GStrv) lines = g_strsplit(content, "\n", -1);
    GPtrArray *rows = g_ptr_array_new_with_free_func(free_row);
    bool good = g_strcmp0(lines[0], header) == 0 || bad_header(path, names, error);
    for (size_t i = 1; good && lines[0] && lines[i]; i++) {
        if (*lines[i])
            good = add_row(rows, path, i + 1, lines[i], g_strv_length(names), error);
    }
    if (!good)
        g_clear_pointer(&rows, g_ptr_array_unref);
    return rows;
}
