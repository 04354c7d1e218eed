/* SPDX-License-Identifier: BSD-3-Clause */
#include "study/model/select.h"

#include <string.h>

#include "core/error.h"

/* Splits a text such as "a=1,b={c=2,d=3}" at the commas outside braces. */
static GPtrArray *split(const char *text)
{
    GPtrArray *parts = g_ptr_array_new_with_free_func(g_free);
    const char *start = text;
    int depth = 0;
    for (const char *at = text;; at++) {
        depth += *at == '{' ? 1 : *at == '}' ? -1 : 0;
        if (*at != '\0' && (*at != ',' || depth > 0))
            continue;
        if (at > start)
            g_ptr_array_add(parts, g_strndup(start, (gsize)(at - start)));
        if (*at == '\0')
            return parts;
        start = at + 1;
    }
}

static bool has_text(const struct value *value, const char *text)
{
    int64_t quantity;
    char *end;
    if (strcmp(value->text, text) == 0)
        return true;
    double number = g_ascii_strtod(text, &end);
    bool is_number = end > text && *end == '\0';
    if (value->kind == VALUE_NUMBER)
        return is_number && number == value->number;
    if (value->kind != VALUE_QUANTITY)
        return false;
    if (is_number)
        return number == (double)value->quantity;
    return unit_parse(text, value->unit, &quantity, NULL) && quantity == value->quantity;
}

static char *list_values(const struct axis *axis)
{
    GString *text = g_string_new(NULL);
    for (size_t i = 0; i < axis->count && i < 40; i++)
        g_string_append_printf(text, "%s%s", i ? ", " : "", axis->values[i].text);
    if (axis->count > 40)
        g_string_append(text, ", ...");
    return g_string_free(text, FALSE);
}

static char *list_axes(const struct study *study)
{
    GString *text = g_string_new(NULL);
    for (size_t i = 0; i < study->axis_count; i++)
        g_string_append_printf(text, "%s%s", i ? ", " : "", study->axes[i].name);
    return g_string_free(text, FALSE);
}

/* Reads "axis=value" into wanted[axis]. */
static bool read_choice(const struct study *study, const char *part, gssize *wanted, GError **error)
{
    const char *equals = strchr(part, '=');
    g_autofree char *name = g_strndup(part, equals ? (gsize)(equals - part) : strlen(part));
    if (!equals)
        return error_set(error, "point %s: write AXIS=VALUE", part);
    for (size_t i = 0; i < study->axis_count; i++) {
        const struct axis *axis = &study->axes[i];
        if (strcmp(axis->name, name) != 0)
            continue;
        if (wanted[i] >= 0)
            return error_set(error, "point: %s is there twice", name);
        for (size_t k = 0; k < axis->count && wanted[i] < 0; k++)
            wanted[i] = has_text(&axis->values[k], equals + 1) ? (gssize)k : -1;
        g_autofree char *known = list_values(axis);
        return wanted[i] >= 0 ||
               error_set(error, "point: %s takes no value %s in this study; it takes %s", name,
                         equals + 1, known);
    }
    g_autofree char *axes = list_axes(study);
    return error_set(error, "point: the study has no axis %s; it has %s", name,
                     *axes ? axes : "none");
}

static bool is_wanted(const struct study *study, size_t point, const gssize *wanted)
{
    for (size_t i = 0; i < study->axis_count; i++)
        if (wanted[i] >= 0 && study_axis_index(study, point, i) != (size_t)wanted[i])
            return false;
    return true;
}

GArray *points_select(const struct study *study, const char *text, GError **error)
{
    g_autoptr(GPtrArray) parts = split(text ? text : "");
    g_autofree gssize *wanted = g_new(gssize, study->axis_count + 1);
    for (size_t i = 0; i < study->axis_count; i++)
        wanted[i] = -1;
    for (guint i = 0; i < parts->len; i++)
        if (!read_choice(study, g_ptr_array_index(parts, i), wanted, error))
            return NULL;
    GArray *points = g_array_new(FALSE, FALSE, sizeof(guint));
    for (guint point = 0; point < study->point_count; point++)
        if (is_wanted(study, point, wanted))
            g_array_append_val(points, point);
    if (points->len > 0)
        return points;
    error_set(error, "point %s: no point of the study has all of these", text);
    g_array_unref(points);
    return NULL;
}

char *point_label(const struct study *study, size_t point)
{
    GString *text = g_string_new(NULL);
    for (size_t i = 0; i < study->axis_count; i++)
        if (study->axes[i].count > 1)
            g_string_append_printf(text, "%s%s %s", text->len ? ", " : "", study->axes[i].name,
                                   study->axes[i].values[study_axis_index(study, point, i)].text);
    return g_string_free(text->len ? text : g_string_append(text, "the only point"), FALSE);
}
