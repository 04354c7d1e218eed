/* SPDX-License-Identifier: BSD-3-Clause */
/* Files of measurements: the probe's tables (study/model/delimited.h), and what the OSU benchmarks and perftest print. Which tables those
 * texts are, and what tables tell of a machine, is said in Lua: scenarios/calibration/parts, texts.lua, facts.lua and twins.lua. */
#ifndef GPUNETSIM_SCRIPT_SEARCHES_MEASURED_H
#define GPUNETSIM_SCRIPT_SEARCHES_MEASURED_H

#include <glib.h>
#include <stdbool.h>

/* Appends the file to `lua` as one item of a Lua list. A table is { file = "PATH", folder = "FOLDER", table = "NAME", columns = { ... }, rows
 * = { ... } }, whose name is that of its file without folder and ending, and whose rows have their lines at place 0; a text is { file,
 * folder, format = "osu" or "perftest", lines = { ... } }. Lines end with or without a carriage return. False and one sentence with the
 * line if it is no such file, or a row has too few or too many columns. */
bool measured_append(GString *lua, const char *path, GError **error);

#endif
