/* SPDX-License-Identifier: BSD-3-Clause */
/* A run of a workload as a test makes it. */
#pragma once

#include <glib.h>
#include <string.h>

#include "sanitized.h"
#include "workloads/interface/workload.h"

/* workload_run, which runs several times where phases are drawn; under sanitizers once: further runs do the same again. A test that
 * judges means of them defines WORKLOAD_MEANS before it includes anything. */
#ifdef WORKLOAD_MEANS
#define RUNS_ONCE 0
#else
#define RUNS_ONCE IS_SANITIZED
#endif

static inline bool run_or_once(const struct workload *workload, const struct machine_spec *machine,
                               const void *spec, uint64_t seed, struct workload_result *result,
                               GError **error)
{
    return RUNS_ONCE ? workload->run(machine, spec, seed, result, error)
                     : workload_run(workload, machine, spec, seed, result, error);
}

/* The defaults, and what the words ("name=value ...") say. */
static inline void set_arguments(const struct workload *workload, void *spec, const char *arguments)
{
    g_auto(GStrv) words = g_strsplit(arguments, " ", -1);
    param_set_defaults(workload->params, spec);
    for (char **word = words; *word; word++) {
        g_autoptr(GError) error = NULL;
        char *equals = strchr(*word, '=');
        *equals = '\0';
        const struct param *param = param_find(workload->params, *word);
        if (!param || !param_set_text(workload->params, param, spec, equals + 1, &error))
            g_error("%s: %s", *word, error ? error->message : "there is no such parameter");
    }
}
