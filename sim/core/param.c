/* SPDX-License-Identifier: BSD-3-Clause */
/* Parameter tables: the only way by which numbers from users get into a spec.
 *
 * Bounds and defaults are text in the tables and are parsed where they are needed, so that the manual and the code cannot
 * differ: reading a machine file is no hot path. */
#include "core/param.h"

#include <glib.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/check.h"
#include "core/error.h"
#include "core/kept.h"
#include "core/percentiles.h"

#define NO_WORDS "none"

/* A value of any kind that is about to be stored in a spec. */
union param_value {
    int64_t integer;
    double ratio;
};

const struct param *param_find(const struct param_table *table, const char *name)
{
    for (size_t i = 0; i < table->count; i++) {
        if (strcmp(table->params[i].name, name) == 0)
            return &table->params[i];
    }
    return NULL;
}

/* --- text to value -----------------------------------------------------------------------------
 */

/* Plain decimal numbers only: strtod would also take "inf", "nan" and hexadecimal. */
static bool parse_ratio(const char *text, double *value)
{
    char *end;
    if (*text == '\0' || text[strspn(text, "0123456789.+-eE")] != '\0')
        return false;
    *value = g_ascii_strtod(text, &end);
    return *end == '\0' && isfinite(*value);
}

static size_t choice_count(const struct param *param)
{
    size_t count = 0;
    while (param->choices[count])
        count++;
    return count;
}

static bool parse_choice(const struct param *param, const char *text, int64_t *value,
                         GError **error)
{
    size_t count = choice_count(param);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(param->choices[i], text) == 0) {
            *value = (int64_t)i;
            return true;
        }
    }
    char *suggestion = param_suggestion(text, param->choices, count);
    error_set(error, "\"%s\" is not known%s", text, suggestion);
    g_free(suggestion);
    return false;
}

static bool parse_words(const struct param *param, const char *text, int64_t *value, GError **error)
{
    *value = 0;
    if (strcmp(text, NO_WORDS) == 0)
        return true;
    if (strlen(text) >= PARAM_TEXT_SIZE)
        return error_set(error, "the text is longer than %d characters", PARAM_TEXT_SIZE - 1);
    if (!param->record->valid(text, error))
        return false;
    *value = (int64_t)(intptr_t)text_kept(text);
    return true;
}

/* Parses a text by the kind of the parameter; does not check bounds. */
static bool parse_value(const struct param *param, const char *text, union param_value *value,
                        GError **error)
{
    switch (param->kind) {
    case PARAM_QUANTITY:
        return unit_parse(text, param->unit, &value->integer, error);
    case PARAM_RATIO:
        if (parse_ratio(text, &value->ratio))
            return true;
        return error_set(error, "\"%s\" is not a plain number", text);
    case PARAM_BOOL:
        value->integer = strcmp(text, "true") == 0;
        if (value->integer || strcmp(text, "false") == 0)
            return true;
        return error_set(error, "\"%s\" is not one of true, false", text);
    case PARAM_CHOICE:
        return parse_choice(param, text, &value->integer, error);
    case PARAM_PERCENTILES:
        return percentiles_parse(text, &value->integer, error);
    case PARAM_WORDS:
        return parse_words(param, text, &value->integer, error);
    case PARAM_RECORD: /* param_record.c */
    case PARAM_SHARED:
        break;
    }
    return false;
}

/* -1, 0 or 1 as a < b, a = b, a > b. */
static int compare(const struct param *param, union param_value a, union param_value b)
{
    if (param->kind == PARAM_RATIO)
        return (a.ratio > b.ratio) - (a.ratio < b.ratio);
    return (a.integer > b.integer) - (a.integer < b.integer);
}

static bool within_bounds(const struct param *param, union param_value value)
{
    union param_value bound;
    if (param->low && parse_value(param, param->low, &bound, NULL) &&
        compare(param, value, bound) < 0)
        return false;
    return !param->high || !parse_value(param, param->high, &bound, NULL) ||
           compare(param, value, bound) <= 0;
}

/* Writes the sentence for a value outside its bounds; `text` is the value as given. */
static void explain_bounds(const struct param *param, const char *text, GError **error)
{
    if (param->low && param->high)
        error_set(error, "\"%s\" is out of range; accepted: %s to %s", text, param->low,
                  param->high);
    else if (param->low)
        error_set(error, "\"%s\" is out of range; accepted: %s or more", text, param->low);
    else
        error_set(error, "\"%s\" is out of range; accepted: at most %s", text, param->high);
}

/* --- into and out of the spec ------------------------------------------------------------------
 */

static void store(const struct param *param, void *spec, union param_value value)
{
    char *field = (char *)spec + param->offset;
    if (param->kind == PARAM_RATIO)
        memcpy(field, &value.ratio, sizeof value.ratio);
    else
        memcpy(field, &value.integer, sizeof value.integer);
}

static union param_value fetch(const struct param *param, const void *spec)
{
    const char *field = (const char *)spec + param->offset;
    union param_value value;
    if (param->kind == PARAM_RATIO)
        memcpy(&value.ratio, field, sizeof value.ratio);
    else
        memcpy(&value.integer, field, sizeof value.integer);
    return value;
}

/* Puts "nic.doorbell_latency: " before the reason. */
static bool refuse(const struct param_table *table, const struct param *param, const char *reason,
                   GError **error)
{
    return error_set(error, "%s.%s: %s", table->component, param->name, reason);
}

/* The same before the reason that the error has already. */
static bool refuse_for(const struct param_table *table, const struct param *param, GError **error)
{
    g_prefix_error(error, "%s.%s: ", table->component, param->name);
    return false;
}

bool param_set_text(const struct param_table *table, const struct param *param, void *spec,
                    const char *text, GError **error)
{
    union param_value value;
    if (param->kind == PARAM_RECORD)
        return param_record_set_text(param->record, (char *)spec + param->offset, text, error) ||
               refuse_for(table, param, error);
    if (!parse_value(param, text, &value, error))
        return refuse_for(table, param, error);
    if (!within_bounds(param, value)) {
        explain_bounds(param, text, error);
        return refuse_for(table, param, error);
    }
    store(param, spec, value);
    return true;
}

bool param_set_missing(const struct param_table *table, const struct param *param, void *spec,
                       GError **error)
{
    if (!param->default_text)
        return error_set(error, "%s.%s is missing and has no default", table->component,
                         param->name);
    return param->kind != PARAM_RECORD ||
           param_set_text(table, param, spec, param->default_text, error);
}

static void format_value(const struct param *param, union param_value value, char *text)
{
    switch (param->kind) {
    case PARAM_QUANTITY:
        unit_format(value.integer, param->unit, text);
        return;
    case PARAM_RATIO:
        unit_format_number(value.ratio, text);
        return;
    case PARAM_BOOL:
        g_strlcpy(text, value.integer ? "true" : "false", UNIT_TEXT_SIZE);
        return;
    case PARAM_CHOICE:
        g_strlcpy(text, param->choices[value.integer], UNIT_TEXT_SIZE);
        return;
    case PARAM_PERCENTILES:
        percentiles_format(value.integer, text);
        return;
    case PARAM_WORDS:
        g_strlcpy(text, value.integer ? param_words(value.integer) : NO_WORDS, PARAM_TEXT_SIZE);
        return;
    case PARAM_RECORD:
    case PARAM_SHARED:
        break;
    }
}

/* How many values a parameter of this kind can have, numbered from 0; INT64_MAX + 1 for quantities. */
static double value_count(const struct param *param)
{
    if (param->kind == PARAM_BOOL)
        return 2;
    return param->kind == PARAM_CHOICE ? (double)choice_count(param) : 0x1p63;
}

/* The number as a value of the kind. False if the kind has no such value. */
static bool number_value(const struct param *param, double number, union param_value *value)
{
    if (param->kind == PARAM_RATIO) {
        value->ratio = number;
        return isfinite(number);
    }
    double low = param->kind == PARAM_QUANTITY ? -0x1p63 : 0;
    if (!(number >= low && number < value_count(param)))
        return false;
    value->integer = (int64_t)number;
    return !((double)value->integer < number) && !((double)value->integer > number);
}

bool param_set_number(const struct param_table *table, const struct param *param, void *spec,
                      double number, GError **error)
{
    char text[UNIT_TEXT_SIZE];
    union param_value value;
    if (param->kind == PARAM_RECORD)
        return refuse(table, param, "needs a name, not a number", error);
    if (param->kind == PARAM_WORDS)
        return refuse(table, param, "needs a text, not a number", error);
    if (param->kind == PARAM_PERCENTILES)
        return param_set_text(table, param, spec, unit_format_number(number, text), error);
    if (!number_value(param, number, &value)) {
        char reason[100];
        unit_format_number(number, text);
        snprintf(reason, sizeof reason, "%s is not a %s", text,
                 param->kind == PARAM_RATIO ? "finite number" : "whole number in its range");
        return refuse(table, param, reason, error);
    }
    format_value(param, value, text);
    return param_set_text(table, param, spec, text, error);
}

bool param_parse_number(const struct param *param, const char *text, double *number, GError **error)
{
    union param_value value;
    if (!parse_value(param, text, &value, error))
        return false;
    *number = param->kind == PARAM_RATIO ? value.ratio : (double)value.integer;
    return true;
}

static char *format(const struct param *param, const void *spec, bool is_whole, char *text)
{
    if (param->kind == PARAM_RECORD)
        return param_record_format(param->record, (const char *)spec + param->offset, is_whole,
                                   text);
    format_value(param, fetch(param, spec), text);
    return text;
}

char *param_format(const struct param *param, const void *spec, char *text)
{
    return format(param, spec, false, text);
}

char *param_format_whole(const struct param *param, const void *spec, char *text)
{
    return format(param, spec, true, text);
}

int param_compare(const struct param *param, const void *a, const void *b)
{
    if (param->kind == PARAM_RECORD)
        return !param_record_equal(param->record, (const char *)a + param->offset,
                                   (const char *)b + param->offset);
    return compare(param, fetch(param, a), fetch(param, b));
}

void param_set_defaults(const struct param_table *table, void *spec)
{
    memset(spec, 0, table->spec_size);
    for (size_t i = 0; i < table->count; i++) {
        const struct param *param = &table->params[i];
        g_autoptr(GError) error = NULL;
        bool fits =
            !param->default_text || param_set_text(table, param, spec, param->default_text, &error);
        if (param->kind == PARAM_RECORD) /* its name may come later, or never */
            continue;
        check_always(fits, "the default is not valid: %s", error->message);
    }
}
