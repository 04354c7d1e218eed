/* SPDX-License-Identifier: BSD-3-Clause */
#include "models/cp/cp.h"

#include <stdio.h>

#include "core/clock.h"

/* Instructions of a thread for each line of its private data that it touches: estimated, 10 to 40 (a
 * third of instructions access memory, most of them stack and hottest lines). */
#define INSTRUCTIONS_A_TOUCH 20

PARAM_TABLE_OF_SHARING(cp_params, "cp", struct cp_spec, CP_ROWS,
                       "Command processors: cores on the GPU behind its L2.");

struct cp_core {
    struct cache *dcache;
    address private_data; /* of its thread */
    uint64_t private_lines;
    struct rng touches;
};

struct cp {
    struct sim *sim;
    const struct cp_spec *spec;
    struct gpu *gpu;
    struct cp_core *cores;
};

static void core_init(struct cp *cp, int64_t number)
{
    const struct cp_spec *spec = cp->spec;
    struct cp_core *core = &cp->cores[number];
    core->dcache = cache_new(spec->dcache.size_bytes, spec->dcache.ways, true);
    char path[128];
    snprintf(path, sizeof path, "%s.cp%lld", gpu_path(cp->gpu), (long long)number);
    rng_init(&core->touches, cp->sim->seed, path);
}

struct cp *cp_new(struct sim *sim, const struct cp_spec *spec, struct gpu *gpu)
{
    struct cp *cp = g_new0(struct cp, 1);
    cp->sim = sim;
    cp->spec = spec;
    cp->gpu = gpu;
    cp->cores = g_new0(struct cp_core, (gsize)spec->cores);
    for (int64_t i = 0; i < spec->cores; i++)
        core_init(cp, i);
    return cp;
}

void cp_free(struct cp *cp)
{
    if (cp == NULL)
        return;
    for (int64_t i = 0; i < cp->spec->cores; i++)
        cache_free(cp->cores[i].dcache);
    g_free(cp->cores);
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
    param_uses_all_but(&cp->sim->uses, &cp_params, "loads_in_flight", "active_power",
                       "polling_power", "stalled_power", "idle_power", NULL);
    thread->cp = cp;
    thread->core = core;
    thread->process = process;
    memory_client_init(&thread->memory, gpu_memory(cp->gpu), cp->cores[core].dcache,
                       cycles_ps(cp->spec->dcache.latency_cycles, cp->spec->core.clock_Hz),
                       L2_FROM_CP);
    thread->memory.process = process;
    thread->memory.turn = (int16_t)(POLL_TURN_CORES + core);
    thread->memory.runs_ahead = true; /* its data cache is its own */
}

sim_time cp_thread_time_ps(const struct cp_thread *thread, int64_t instructions)
{
    const struct cp_spec *spec = thread->cp->spec;
    return instructions_ps(instructions, spec->core.instructions_per_cycle, spec->core.clock_Hz);
}

void cp_thread_load_all(struct cp_thread *thread, const struct memory_load *loads, size_t count)
{
    memory_client_load_all(&thread->memory, loads, count, thread->cp->spec->core.loads_in_flight);
}

void cp_thread_serve_queues(struct cp_thread *thread, int64_t queues)
{
    struct cp *cp = thread->cp;
    struct cp_core *core = &cp->cores[thread->core];
    int64_t bytes = cp->spec->private_data_bytes + queues * cp->spec->private_data_a_queue_bytes;
    core->private_lines = ((uint64_t)bytes + CACHE_LINE_BYTES - 1) / CACHE_LINE_BYTES;
    if (bytes == 0)
        return;
    core->private_data = store_allocate(gpu_memory(cp->gpu)->store, bytes, STORE_PRIVATE);
    uint64_t kept = MIN(core->private_lines, (uint64_t)cache_way_count(core->dcache));
    for (uint64_t i = kept;
         i-- > 0;) { /* the most used lines last; lines beyond the cache's size leave no trace */
        cache_way way = cache_insert(core->dcache, core->private_data / CACHE_LINE_BYTES + i, NULL);
        cache_set_private(core->dcache, way);
    }
}

/* The next digit of a random fraction, to the base `base`. */
static uint64_t take_digit(uint64_t *fraction, uint64_t base)
{
    sim_uint128 product = (sim_uint128)*fraction * base;
    *fraction = (uint64_t)product;
    return (uint64_t)(product >> 64);
}

/* Draws the line of a touch by the 80-20 rule, applied again within the 20 %. */
static uint64_t draw_line(uint64_t *fraction, uint64_t lines)
{
    while (lines > 1 && take_digit(fraction, 5) < 4)
        lines = (lines + 4) / 5;
    return take_digit(fraction, lines);
}

/* Touches lines of private data. One touch in three is a store, as in most code. One random number has enough digits for a touch. */
static void touch_private_data(struct cp_thread *thread, int64_t touches)
{
    struct cp_core *core = &thread->cp->cores[thread->core];
    for (int64_t i = 0; i < touches; i++) {
        uint64_t fraction = rng_next(&core->touches);
        bool is_write = take_digit(&fraction, 3) == 0;
        uint64_t line = draw_line(&fraction, core->private_lines);
        memory_client_touch(&thread->memory, core->private_data + line * CACHE_LINE_BYTES,
                            is_write);
    }
}

int64_t cp_thread_touches(const struct cp_thread *thread, int64_t instructions)
{
    if (thread->cp->cores[thread->core].private_lines == 0)
        return 0;
    return instructions / INSTRUCTIONS_A_TOUCH;
}

void cp_thread_touch_data(struct cp_thread *thread, int64_t instructions)
{
    touch_private_data(thread, cp_thread_touches(thread, instructions));
}
