/* SPDX-License-Identifier: BSD-3-Clause */
/* Measurements in files, as what a calibration's study is made of.
 *
 *   probe's tables     see study/model/delimited.h
 *   OSU benchmarks     "# OSU ... Latency Test", "... Bandwidth Test" or "... Bi-Directional Bandwidth Test", then lines of a size and
 *                      a value, microseconds or megabytes a second
 *   perftest           what ib_write_lat, ib_write_bw and their like print: a line "#bytes #iterations ..." that names t_typical
 *                      or BW average, then lines of numbers
 *
 * A table's name is that of its file without folder and ending; those of the others are osu_latency, osu_bandwidth,
 * osu_bidirectional, osu_multi_latency, osu_multi_pair, perftest_latency and perftest_bandwidth, with the columns bytes and value, in the
 * units of OSU. Their rows have beside them what the text says of the run: of OSU buffers (device, host, mixed), pairs, window; of
 * perftest operation (write, read, send, atomic), memory (gpu), both_ways (yes), queues, tx_depth, cq_mod, inline,
 * outstanding_reads. Lines end with or without a carriage return. */
#ifndef GPUNETSIM_STUDY_CALIBRATION_MEASURED_H
#define GPUNETSIM_STUDY_CALIBRATION_MEASURED_H

#include <glib.h>
#include <stdbool.h>

#include "study/calibration/measured_facts.h"

/* Appends the file's rows to `lua`, as one item { file = "PATH", folder = "FOLDER", table = "NAME", columns = { ... }, rows = { ... } }, of a
 * Lua list; what a table tells of the machine without a simulation goes to `facts`, and of a table of the host's GPUs nothing but
 * { gpus_in = "FOLDER" } to the list. A row has its line at place 0. False and one sentence with the line if it is none of these, a row has
 * too few or too many columns, or a value of OSU or perftest is not above 0. */
bool measured_append(GString *lua, const char *path, struct measured_facts *facts, GError **error);

/* Appends a text in quotes, as Lua reads it. */
void measured_append_quoted(GString *lua, const char *text);

#endif
