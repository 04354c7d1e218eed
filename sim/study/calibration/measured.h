/* Measurements in files, as what a calibration's study is made of.
 *
 *   probe's tables     lines that begin with # and tell; the last of them names the columns, separated by tabs
 *   OSU benchmarks     "# OSU ... Latency" or "... Bandwidth", then lines of a size and a value
 *   perftest           a line "#bytes ..." that names "t_typical" or "BW average", then lines of numbers
 *
 * A table's name is that of its file without folder and ending, "eN_" before and "_small" behind it; those of the other two
 * are osu_latency, osu_bandwidth, perftest_latency, perftest_bandwidth, with the columns bytes and value. */
#ifndef GPUNETSIM_STUDY_CALIBRATION_MEASURED_H
#define GPUNETSIM_STUDY_CALIBRATION_MEASURED_H

#include <glib.h>
#include <stdbool.h>

/* Appends the file's rows to `lua`, as one item { table = "NAME", rows = { ... } }, of a Lua list. False and one sentence with the
 * line if it is none of these, or a row has too few or too many columns. */
bool measured_append(GString *lua, const char *path, GError **error);

#endif
