/* SPDX-License-Identifier: BSD-3-Clause */
#include "workloads/workloads.h"

#include "script/workload/scripted.h"

static const struct param_table none_yet = {.component = "", .description = ""};

#define NOTHING(name)
#define WORKLOAD_OF_LUA(called)                                                                    \
    static bool run_##called(const struct machine_spec *machine, const void *spec, uint64_t seed,  \
                             struct workload_result *result, GError **error)                       \
    {                                                                                              \
        return scripted_run(&called##_workload, machine, spec, seed, result, error);               \
    }                                                                                              \
    struct workload called##_workload = {.name = #called, .params = &none_yet, .run = run_##called};
WORKLOADS(NOTHING, WORKLOAD_OF_LUA)

#define WORKLOAD_ADDRESS(name) &name##_workload,
const struct workload *const workloads[] = {WORKLOADS(WORKLOAD_ADDRESS, WORKLOAD_ADDRESS) NULL};

bool workload_load(const struct workload *workload, GError **error)
{
    static struct workload *const in_lua[] = {WORKLOADS(NOTHING, WORKLOAD_ADDRESS)};
    for (size_t i = 0; i < G_N_ELEMENTS(in_lua); i++)
        if (in_lua[i] == workload)
            return scripted_load(in_lua[i], error);
    return true;
}

bool workloads_load(GError **error)
{
    bool good = true;
    for (size_t i = 0; workloads[i]; i++)
        good = workload_load(workloads[i], good ? error : NULL) && good;
    return good;
}
