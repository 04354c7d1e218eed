/* SPDX-License-Identifier: BSD-3-Clause */
/* A quantity's column has a fixed unit, so that each column of a file of results has one unit; the decimal point is shifted in
 * the digits, and nothing is rounded. */
#include "study/model/value.h"

#include <glib.h>
#include <inttypes.h>
#include <string.h>

#include "workloads/interface/workload.h"

/* The column suffix of each kind, and by how many places its decimal point is left of the base unit's. */
static const struct column_unit {
    const char *suffix;
    int places;
} column_units[] = {
    [UNIT_TIME] = {"_us", 6},       [UNIT_BYTES] = {"_bytes", 0}, [UNIT_RATE] = {"_GBps", 9},
    [UNIT_FREQUENCY] = {"_GHz", 9}, [UNIT_POWER] = {"_W", 3},     [UNIT_ENERGY] = {"_uJ", 9},
    [UNIT_COUNT] = {"", 0},
};

struct value value_quantity(int64_t quantity, enum unit_kind unit)
{
    char text[UNIT_TEXT_SIZE];
    return (struct value){.kind = VALUE_QUANTITY,
                          .unit = unit,
                          .quantity = quantity,
                          .text = g_strdup(unit_format(quantity, unit, text))};
}

struct value value_number(double number)
{
    char text[UNIT_TEXT_SIZE];
    return (struct value){
        .kind = VALUE_NUMBER, .number = number, .text = g_strdup(unit_format_number(number, text))};
}

/* An absent value with the unit of its column; UNIT_COUNT if that is not known. */
static struct value value_absent(enum unit_kind unit)
{
    return (struct value){.kind = VALUE_TEXT, .unit = unit, .text = g_strdup(VALUE_ABSENT)};
}

bool value_is_absent(const struct value *value)
{
    return value->kind == VALUE_TEXT && strcmp(value->text, VALUE_ABSENT) == 0;
}

struct value value_of_measure(const struct workload_measure *measure)
{
    if (measure->is_absent)
        return value_absent(measure->unit);
    return measure->is_ratio ? value_number(measure->ratio)
                             : value_quantity(measure->quantity, measure->unit);
}

bool value_to_quantity_of(struct value *value, enum unit_kind unit)
{
    if (value->kind != VALUE_TEXT || !unit_parse(value->text, unit, &value->quantity, NULL))
        return false;
    value->kind = VALUE_QUANTITY;
    value->unit = unit;
    return true;
}

bool value_to_quantity(struct value *value)
{
    if (value->kind == VALUE_TEXT && strcmp(value->text, "0") == 0)
        return false; /* of which kind? */
    for (int unit = 0; unit < UNIT_COUNT; unit++) {
        if (value_to_quantity_of(value, (enum unit_kind)unit))
            return true;
    }
    return false;
}

void value_clear(struct value *value)
{
    g_clear_pointer(&value->text, g_free);
}

char *value_column(const char *name, const struct value *value)
{
    bool has_unit = value->kind == VALUE_QUANTITY || value_is_absent(value);
    const char *suffix = has_unit ? column_units[value->unit].suffix : "";
    bool says_so = value->kind == VALUE_QUANTITY && value->unit == UNIT_BYTES &&
                   g_str_has_suffix(name, "bytes");
    return g_strconcat(name, says_so ? "" : suffix, NULL);
}

char *value_column_text(const struct value *value)
{
    if (value->kind != VALUE_QUANTITY)
        return g_strdup(value->text);
    uint64_t magnitude =
        value->quantity < 0 ? 0 - (uint64_t)value->quantity : (uint64_t)value->quantity;
    uint64_t one = 1;
    int places = column_units[value->unit].places;
    for (int i = 0; i < places; i++)
        one *= 10;
    uint64_t fraction = magnitude % one;
    while (places > 0 && fraction % 10 == 0) {
        fraction /= 10;
        places--;
    }
    const char *sign = value->quantity < 0 ? "-" : "";
    if (places == 0)
        return g_strdup_printf("%s%" PRIu64, sign, magnitude / one);
    return g_strdup_printf("%s%" PRIu64 ".%0*" PRIu64, sign, magnitude / one, places, fraction);
}

char *value_size_text(int64_t bytes)
{
    char size[UNIT_TEXT_SIZE];
    unit_format(bytes, UNIT_BYTES, size);
    size_t digits = strspn(size, "-0123456789.");
    return g_strdup_printf("%.*s %s", (int)digits, size, size + digits);
}

bool value_column_is_whole(const struct value *value)
{
    return value->kind == VALUE_NUMBER || column_units[value->unit].places == 0;
}
