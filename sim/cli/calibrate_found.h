/* SPDX-License-Identifier: BSD-3-Clause */
/* What calibrate MACHINE DATA... has found, as it is shown and written. */
#ifndef GPUNETSIM_CLI_CALIBRATE_FOUND_H
#define GPUNETSIM_CLI_CALIBRATE_FOUND_H

#include <glib.h>
#include <stdbool.h>

#include "study/calibration/determine.h"
#include "study/table/table.h"

struct calibrate_found {
    struct machine *machine; /* as it was given */
    struct machine_fit *fit; /* its x: what was found */
    struct determination *known;
};

/* From now on the determined values are as they will be written, to three digits, and the others as they were. */
void calibrate_round(struct calibrate_found *found);

/* Prints how near rows are by experiment, what is left out, the values that were found, and those that the rows leave open: with rows of
 * `catalogue` (may be NULL) that would determine them. False and an error if such rows cannot be run. */
bool calibrate_print(const struct calibrate_found *found, struct machine_fit *catalogue,
                     GError **error);

/* A line a row: experiment, row, use, measured and simulated in microseconds, off_percent. To be freed with table_free. */
struct table *calibrate_rows(const struct calibrate_found *found);

/* The machine's file, of the `count` files `data`. The caller frees it with g_free. */
char *calibrate_text(struct calibrate_found *found, char *const *data, int count);

#endif
