/* SPDX-License-Identifier: BSD-3-Clause */
/* What tests of single workloads share: a run from a text of settings. */
#pragma once

#include <glib.h>
#include <string.h>

#include "../designs.h"
#include "../last_error.h"
#include "../software_test.h"
#include "../workload_once.h"
#include "workloads/workloads.h"

struct workload_run {
    struct machine_spec machine;
    struct workload_result result;
};

/* A machine of all defaults but for its nodes, with GPUDirect. A process has one platform: the same nodes and links
 * throughout a test. */
static inline void workload_run_init(struct workload_run *run, int64_t nodes)
{
    memset(run, 0, sizeof *run);
    machine_spec_init(&run->machine, software_tables());
    run->machine.nodes = nodes;
    UCX(run->machine)->gpu_direct_bytes = INT64_C(1) << 40;
}

/* "name=value ...": true, or false and a sentence in last_words(). */
static inline bool workload_run_text(struct workload_run *run, const struct workload *workload,
                                     const char *settings)
{
    g_autofree void *spec = g_malloc0(workload->params->spec_size);
    memset(&run->result, 0, sizeof run->result);
    set_arguments(workload, spec, settings);
    return run_or_once(workload, &run->machine, spec, 1, &run->result, fresh_error());
}

static inline void workload_run_good(struct workload_run *run, const struct workload *workload,
                                     const char *settings)
{
    g_test_message("%s %s", workload->name, settings);
    if (!workload_run_text(run, workload, settings))
        g_error("%s %s: %s", workload->name, settings, last_words());
}

static inline int64_t workload_run_measure(const struct workload_run *run, const char *name)
{
    for (size_t i = 0; i < run->result.count; i++)
        if (strcmp(run->result.measures[i].name, name) == 0)
            return run->result.measures[i].quantity;
    g_error("no measure %s", name);
}

/* Calls `visit` for each named design that the workload accepts. */
static inline void workload_designs(const struct workload *workload,
                                    void (*visit)(const char *design))
{
    for (size_t i = 0; i < designs_count(); i++) {
        g_autoptr(GError) error = NULL;
        if (workload->accepts(&designs_at(i)->design, &error))
            visit(designs_at(i)->name);
    }
}
