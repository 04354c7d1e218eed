/* SPDX-License-Identifier: BSD-3-Clause */
/* Lua scripts: sandboxed states that read machine files and studies.
 *
 * A script sees the language's safe part (no os, io, debug, load, dofile, collectgarbage,
 * string.dump), `require` of files below the project's or the script's own folders, and the
 * project's words:
 *
 *   machine { ... }                          a machine from component tables (models/node.h)
 *   published(value, source) measured(value, source)
 *   estimated(value, low, high, why) fitted(value, low, high, claim_ids, why)
 *   study { title, machine, vary, where, trials, run, plot, claims, measured }
 *   design { from = "comp-net", server = "gpu_warp", name = "..." }   a point on the axes of designs
 *   pow2("8B", "1MiB")  range(first, last, step)
 *   p.bytes * 2, r.latency:us(), quantity("1MiB")                 quantities compute (machine/quantity_lua.h)
 *   zip { ... }  random(count, { ... })  latin(count, { ... })    axes that advance together
 *   get_latency { ... }                      one function a workload (workloads/interface/workload.h)
 *
 *   schedule { ranks, device, ... }          a GOAL schedule (program/goal_lua.c)
 *   program { design, nodes, ... }           a workload whose parties are Lua functions (program/program.h)
 *
 * Scripts have a memory limit and an instruction limit; a global that is read before it is set is
 * an error. Every error is a GError of one sentence: file:line, what was wrong, what is accepted.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>

#include "study/model/machine.h"
#include "study/model/study.h"

/* Reads FILE. NULL and an error if it is not a good study. `overrides` ("nic.doorbell_latency=5ns",
 * NULL-ended, may be NULL) replace machine parameters in every point, or axes of all designs
 * ("design.polling_rounds=1"). */
struct study *study_load(const char *path, const char *const *overrides, GError **error);

/* The same from given files (of struct script_file, the main one first): `require` finds only these, and none on disk. */
struct study *study_load_files(const GPtrArray *files, const char *const *overrides,
                               GError **error);

/* The files from which the study was read, of struct script_file, the main one first. */
const GPtrArray *study_files(const struct study *study);
void study_free(struct study *study);

/* Reads a machine file (a Lua file that returns a machine, or a function that makes one). */
struct machine *machine_load(const char *path, const char *const *overrides, GError **error);

/* Runs a Lua file that returns a list of records, each a list of `width` texts. The caller frees the array of NULL-ended lists
 * of texts with g_ptr_array_unref; NULL and an error if it returns anything else. */
GPtrArray *script_records(const char *path, size_t width, GError **error);

/* Parses FILE and runs its top level without running any point, with overrides as in study_load. Returns true, or false and an
 * error. *study is the study that FILE describes, which the caller frees with study_free, or NULL if FILE describes a machine;
 * `study` may be NULL. */
bool script_read(const char *path, const char *const *overrides, struct study **study,
                 GError **error);
