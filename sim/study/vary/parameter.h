/* SPDX-License-Identifier: BSD-3-Clause */
/* A parameter as it can be varied: a number of a machine, with the range that its file gives it; or an axis of designs. */
#pragma once

#include <glib.h>
#include <stdbool.h>

#include "core/param.h"
#include "study/model/machine.h"

/* Numbers are those of param_set_number: base units, a ratio, 0 or 1, a choice's number. */
struct vary_parameter {
    char *path; /* "nic.doorbell_latency" */
    const struct param_table *table;
    const struct param *param;
    double now; /* NaN: an axis of designs, whose value a row tells (vary_parameter_settle) */
    char *text; /* the same as a user writes it; "": NaN */
    enum source_kind source;
    bool has_range; /* an estimated or fitted value's */
    double low, high;
};
void vary_parameter_clear(struct vary_parameter *parameter);

/* The machine's parameter "nic.rate", or the axis "design.polling_rounds", also with the value that it has: as rows list what was
 * read. False and one sentence if there is none, or if it
 * is no single value. */
bool vary_parameter_find(const struct machine *machine, const char *path,
                         struct vary_parameter *parameter, GError **error);

/* Whether it is an axis of designs. Its present value, from what a row says was read; false if that does not name it. */
bool vary_is_axis(const struct vary_parameter *parameter);
bool vary_parameter_settle(struct vary_parameter *parameter, const char *read);

/* Whether it has neighbours: a quantity or a ratio, no flag and no choice. */
bool vary_is_number(const struct vary_parameter *parameter);

/* Whether the machine with this value is a good one: a cache needs a whole number of sets. Of an axis of designs: true. */
bool vary_is_taken(const struct machine *machine, const struct vary_parameter *parameter,
                   double number);

/* Its bounds in the table; infinite where there are none. */
void vary_bounds(const struct vary_parameter *parameter, double *low, double *high);

/* A value as a user writes it, and as an override "nic.rate=10GB/s". The caller frees both with g_free. */
char *vary_text(const struct vary_parameter *parameter, double number);
char *vary_override(const struct vary_parameter *parameter, double number);

/* How many values a flag or choice has. */
size_t vary_choices(const struct vary_parameter *parameter);
