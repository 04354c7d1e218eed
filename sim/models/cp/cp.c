#include "models/cp/cp.h"

#include <glib.h>

#include "core/check.h"
#include "core/clock.h"

#define SPEC struct cp_spec
static const struct param params[] = {
    PARAM_COUNT(cores, SPEC, "2", "1", "64", "Command processor cores on the GPU."),
    PARAM_FREQUENCY(clock, SPEC, "2GHz", "1MHz", "10GHz", "Clock of a core."),
    PARAM_NUMBER(instructions_per_cycle, SPEC, "1.0", "0.01", "16",
                 "Instructions a cycle that a core sustains on the network software."),
    PARAM_BYTES(dcache_size, SPEC, "32KiB", "64B", "16MiB", "Data cache of a core."),
    PARAM_COUNT(dcache_ways, SPEC, "8", "1", "1024", "Associativity of the data cache."),
    PARAM_COUNT(dcache_latency_cycles, SPEC, "4", "0", "100000",
                "Cycles from a load to a hit in the data cache."),
};
#undef SPEC
PARAM_TABLE(cp_params, "cp", struct cp_spec, params,
            "Command processors: cores on the GPU behind its L2.");

struct cp {
    struct sim *sim;
    const struct cp_spec *spec;
    struct gpu *gpu;
    struct cache **dcaches; /* one a core */
};

struct cp *cp_new(struct sim *sim, const struct cp_spec *spec, struct gpu *gpu)
{
    struct cp *cp = g_new0(struct cp, 1);
    cp->sim = sim;
    cp->spec = spec;
    cp->gpu = gpu;
    cp->dcaches = g_new0(struct cache *, (gsize)spec->cores);
    for (int64_t i = 0; i < spec->cores; i++)
        cp->dcaches[i] = cache_new(spec->dcache_size_bytes, spec->dcache_ways, true);
    return cp;
}

void cp_free(struct cp *cp)
{
    if (cp == NULL)
        return;
    for (int64_t i = 0; i < cp->spec->cores; i++)
        cache_free(cp->dcaches[i]);
    g_free(cp->dcaches);
    g_free(cp);
}

const struct cp_spec *cp_spec_of(const struct cp *cp)
{
    return cp->spec;
}

void cp_thread_init(struct cp_thread *thread, struct cp *cp, int64_t core, struct process *process)
{
    check_always(core >= 0 && core < cp->spec->cores, "CP core %lld of %lld", (long long)core,
                 (long long)cp->spec->cores);
    thread->cp = cp;
    thread->core = core;
    thread->process = process;
    memory_client_init(&thread->memory, gpu_memory(cp->gpu), cp->dcaches[core],
                       cycles_ps(cp->spec->dcache_latency_cycles, cp->spec->clock_Hz), L2_FROM_CP);
    thread->memory.process = process;
}

void cp_thread_execute(struct cp_thread *thread, int64_t instructions)
{
    const struct cp_spec *spec = thread->cp->spec;
    process_sleep(thread->process,
                  instructions_ps(instructions, spec->instructions_per_cycle, spec->clock_Hz));
}
