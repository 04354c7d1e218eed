/* SPDX-License-Identifier: BSD-3-Clause */
/* Measurements in files, as what a calibration's study is made of.
 *
 *   probe's tables     lines that begin with # and tell; the last of them names the columns, separated by tabs
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
#include <stdint.h>

/* What a table of the host's GPUs says (the probe's `platform`); 0: nothing. */
struct measured_platform {
    int64_t gpus, compute_units, clock_MHz;
    char *source; /* which file; NULL: none */
};
void measured_platform_clear(struct measured_platform *platform);

/* Appends the file's rows to `lua`, as one item { file = "PATH", table = "NAME", columns = { ... }, rows = { ... } }, of a Lua list;
 * a table of the host's GPUs fills `platform` instead. False and one sentence with the line if it is none of these, or a row has too
 * few or too many columns. */
bool measured_append(GString *lua, const char *path, struct measured_platform *platform,
                     GError **error);

/* Appends a text in quotes, as Lua reads it. */
void measured_append_quoted(GString *lua, const char *text);

#endif
