/* SPDX-License-Identifier: BSD-3-Clause */
/* Private to what tables tell by themselves (measured_facts.c): how their rows are read, and the parts that are files of their own. */
#ifndef GPUNETSIM_STUDY_CALIBRATION_MEASURED_FACTS_PARTS_H
#define GPUNETSIM_STUDY_CALIBRATION_MEASURED_FACTS_PARTS_H

#include "study/calibration/measured_facts.h"

#define TURN_OF "mean_ns_per_op_median"

/* Takes `value` and `source`. */
void facts_add(struct measured_facts *facts, const char *path, char *value, char *source);

/* The numbers of column `value` of the rows whose column `key` is `what` and, unless NULL, whose `param` is that; sorted. The caller
 * frees them with g_array_unref. */
GArray *facts_numbers(const struct delimited *table, const char *key, const char *what,
                      const char *param, const char *value);
int facts_compare(const void *a, const void *b);
/* 0: there is none. */
double facts_median(const GArray *sorted);

/* What was measured at a number, such as one of blocks. */
struct facts_point {
    double at, value;
};

/* The rows whose cells have the texts that `filter` names (column, text, column, text, NULL), as points: x is the
 * number behind `prefix` in column `number`, y the value of column `value`. Sorted by x; of several rows with one x the
 * median stays (of an even count, the lower middle one). The caller frees them with g_array_unref. */
GArray *facts_points(const struct delimited *table, const char *const *filter, const char *number,
                     const char *prefix, const char *value);
void facts_keep_medians(GArray *points);

/* As a machine file writes it; for the caller to g_free. */
char *facts_time_text(double ns);

/* host.atomic_turn, from a table of `scaling`. */
void facts_read_turn(struct measured_facts *facts, const struct delimited *table);
/* cuda.deep_sleep_after and deep_wake, from a table of `launch_blockingsync`. */
void facts_read_sleep(struct measured_facts *facts, const struct delimited *table);

/* facts->looks, from a table of `front_end`; and the parameters, from these and the loads. */
void facts_read_front_end(struct measured_facts *facts, const struct delimited *table);
void facts_add_front_end(struct measured_facts *facts);

#endif
