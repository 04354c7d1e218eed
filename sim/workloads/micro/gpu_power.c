/* SPDX-License-Identifier: BSD-3-Clause */
/* What a GPU draws in a steady state: at rest, with work-groups that poll, with bytes that its memory moves, with bytes to and from the
 * host or another GPU. Rates are what other workloads measure. */
#include "models/gpu/gpu.h"
#include "workloads/interface/workload.h"

struct gpu_power_spec {
    int64_t spinning, memory_rate_Bps, link_rate_Bps;
};

#define SPEC struct gpu_power_spec
static const struct param params[] = {
    PARAM_COUNT(spinning, SPEC, "0", "0", "1000000", "Work-groups that poll or serve."),
    PARAM_RATE(memory_rate, SPEC, "0B/s", "0B/s", "1000TB/s",
               "Rate at which kernels read and write the GPU's own memory."),
    PARAM_RATE(link_rate, SPEC, "0B/s", "0B/s", "1000TB/s",
               "Rate between the GPU's memory and the host or another GPU, by copies or kernels."),
};
#undef SPEC
static PARAM_TABLE(gpu_power_params, "gpu_power", struct gpu_power_spec, params,
                   "Power of a GPU in a steady state.");

static bool run_gpu_power(const struct machine_spec *machine, const void *argument, uint64_t seed,
                          struct workload_result *result, GError **error)
{
    const struct gpu_power_spec *spec = argument;
    (void)seed;
    if (!machine_kinds_share(machine, &gpu_params, NULL, "gpu_power", error))
        return false;
    double power_mW = gpu_power_mW(&machine->gpu, spec->spinning, (double)spec->memory_rate_Bps,
                                   (double)spec->link_rate_Bps);
    param_uses_only(&result->uses, &gpu_params, "idle_power", NULL);
    if (spec->spinning > 0)
        param_uses_only(&result->uses, &gpu_params, "spin_power", NULL);
    if (spec->memory_rate_Bps > 0 || spec->link_rate_Bps > 0)
        param_uses_only(&result->uses, &gpu_params, "memory_energy", NULL);
    if (spec->link_rate_Bps > 0)
        param_uses_only(&result->uses, &gpu_params, "link_energy", NULL);
    workload_add_quantity(result, "power", UNIT_POWER, (int64_t)(power_mW + 0.5));
    return true;
}

const struct workload gpu_power_workload = {
    .name = "gpu_power",
    .params = &gpu_power_params,
    .run = run_gpu_power,
};
