/* SPDX-License-Identifier: BSD-3-Clause */
/* Values of axes and measures, and their columns. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/units.h"

/* A value of an axis or a measure. */
enum value_kind { VALUE_TEXT, VALUE_NUMBER, VALUE_QUANTITY };
struct value {
    enum value_kind kind;
    enum unit_kind unit; /* VALUE_QUANTITY */
    int64_t quantity;    /* in base units */
    double number;
    char *text; /* the value as text; numbers and quantities as the user would write them */
};

/* The text of a measure that the run does not model. */
#define VALUE_ABSENT "not modelled"
bool value_is_absent(const struct value *value);

/* The value of a workload's measure. */
struct workload_measure;
struct value value_of_measure(const struct workload_measure *measure);

/* The column of a value called `name`: "latency" as a time becomes "latency_us", and so "_bytes"
 * (unless the name ends in "bytes"), "_GBps", "_GHz", "_W", "_uJ"; counts, numbers and texts keep
 * their name. And its text in that column: exact, without unit, whatever the locale.
 * The caller frees both with g_free. */
char *value_column(const char *name, const struct value *value);
char *value_column_text(const struct value *value);

/* 65536 as "64 KiB". The caller frees it with g_free. */
char *value_size_text(int64_t bytes);

/* Makes a text that is a quantity into one. False, and *value unchanged, if it is not. */
bool value_to_quantity(struct value *value);
bool value_to_quantity_of(struct value *value, enum unit_kind unit);

/* A quantity or a plain number as a value, with its text. */
struct value value_quantity(int64_t quantity, enum unit_kind unit);
struct value value_number(double number);

void value_clear(struct value *value);

/* Whether the texts in the value's column are whole numbers; true of a plain number. */
bool value_column_is_whole(const struct value *value);
