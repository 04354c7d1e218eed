/* SPDX-License-Identifier: BSD-3-Clause */
/* Names as a reader of a figure knows them: of designs, axes, measures and their values. */
#ifndef GPUNETSIM_STUDY_FIGURE_LABEL_H
#define GPUNETSIM_STUDY_FIGURE_LABEL_H

#include "study/table/table.h"

/* "l2_hit_rate" as "L2 hit rate". The caller frees what these return with g_free. */
char *label_words(const char *name);

/* "latency_us" as "Latency (µs)", "delay_ns" of plain numbers as "Delay (ns)"; sizes have their unit at their values. */
char *label_column(const struct table_column *column);

/* "latency_us" as "Latency": of a curve beside an axis that says the unit. */
char *label_measure(const struct table_column *column);

/* The largest unit of which `number` of the column's own is 1 or more, as so many of the latter: 1000 (ms) for a
 * time of 20000 µs. 1 where there is no other. */
double label_unit_size(const struct table_column *column, double number);

/* A label of a study's own, with that unit behind it unless it ends in one. */
char *label_given(const char *label, const struct table_column *column, double unit_size);

/* The same of a column without a label of its own. */
char *label_column_in(const struct table_column *column, double unit_size);

/* "65536" of a size as "64 KiB", "comp-net" as its label in configs/designs.lua, "gpu_memory" as "GPU memory",
 * "nodes=2_chain" as "nodes = 2 chain", "copy_gpu0_8MiB" as "copy GPU 0 8 MiB". */
char *label_value(const struct table_column *column, const char *text);

/* Whether its values are sizes: a size with its unit, or numbers under the name "bytes". */
bool label_is_bytes(const struct table_column *column);

/* A value that says what it is of: "Work-groups 16", "no priorities", but "ComP-Net" and "Charm++". */
char *label_value_of(const struct table_column *column, const char *text);

#endif
