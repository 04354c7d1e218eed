/* SPDX-License-Identifier: BSD-3-Clause */
/* What one operation of a GPU thread takes: a load, store, atomic or fence on memory of its own GPU, of another one or of
 * the host, again and again by one work-group or many at a time. */
#include "workloads/interface/shared_rows.h"
#include "workloads/micro/probe_run.h"

enum operation { LOAD, LOAD_ACQUIRE, STORE_FENCE, STORE_RELEASE, FENCE, ATOMIC };
static const char *const operation_names[] = {
    "load", "load_acquire", "store_fence", "store_release", "fence", "atomic", NULL};
enum memory { HOST, GPU, PEER };
static const char *const memory_names[] = {"host", "gpu", "peer", NULL};
static const char *const scope_names[] = {"device", "system", NULL};

struct gpu_operation_spec {
    int64_t operation, memory, scope, work_groups, repeats;
    int64_t same_line; /* flag */
};

#define SPEC struct gpu_operation_spec
static const struct param params[] = {
    PARAM_ENUM(operation, SPEC, "load", operation_names,
               "What is timed: a load (past the L1), a load followed by an acquire, a store "
               "and a fence (store_release: the fence first), a fence alone, or an atomic that"
               " returns a value."),
    PARAM_ENUM(memory, SPEC, "gpu", memory_names,
               "Memory of the host, of the GPU, of another GPU."),
    PARAM_ENUM(scope, SPEC, "system", scope_names, "Scope of fences."),
    PARAM_COUNT(work_groups, SPEC, "1", "1", "4096", "Work-groups that do this at the same time."),
    PARAM_FLAG(same_line, SPEC, "false",
               "All work-groups use one line; otherwise each uses a line of its own."),
    SHARED_ROW(repeats, SPEC, "20"),
};
#undef SPEC
static PARAM_TABLE_SHARING(gpu_operation_params, "gpu_operation", struct gpu_operation_spec, params,
                           "What one load, store, atomic or fence of a GPU thread takes.");

struct operation_run {
    const struct gpu_operation_spec *spec;
    struct cluster *cluster;
    address lines;
    sim_time took_ps; /* by all work-groups */
    int64_t ended;    /* work-groups */
};

static void store_and_fence(struct memory_client *memory, address at, enum memory_scope scope)
{
    const uint64_t zero = 0;
    memory_client_store(memory, at, &zero, sizeof zero);
    memory_client_release(memory, scope);
}

static void operate(const struct operation_run *run, struct memory_client *memory, address at)
{
    const struct gpu_operation_spec *spec = run->spec;
    enum memory_scope scope = spec->scope == 0 ? SCOPE_DEVICE : SCOPE_SYSTEM;
    uint64_t word;
    switch ((enum operation)spec->operation) {
    case LOAD:
    case LOAD_ACQUIRE:
        memory_client_poll(memory, at, &word, sizeof word, POLL_WHOLE);
        if (spec->operation == LOAD_ACQUIRE)
            memory_client_acquire(memory, scope);
        break;
    case STORE_FENCE:
    case STORE_RELEASE: /* a row of them is a row of stores with fences between */
        store_and_fence(memory, at, scope);
        break;
    case FENCE:
        memory_client_release(memory, scope);
        break;
    case ATOMIC:
        memory_client_atomic(memory, at, ATOMIC_ADD, 0, 0);
        break;
    }
}

/* The first one warms up. */
static void program(struct work_group *wg, void *argument)
{
    struct operation_run *run = argument;
    address at = run->lines + (run->spec->same_line ? 0 : (address)wg->index * CACHE_LINE_BYTES);
    operate(run, &wg->memory, at);
    sim_time start_ps = process_now(wg->process);
    if (wg->index == 0)
        run_energy_begins(run->cluster, start_ps);
    for (int64_t i = 0; i < run->spec->repeats; i++)
        operate(run, &wg->memory, at);
    run->took_ps += process_now(wg->process) - start_ps;
    if (++run->ended == run->spec->work_groups)
        run_energy_ends(run->cluster, process_now(wg->process));
}

static void report(const struct operation_run *run, struct workload_result *result)
{
    int64_t operations = run->spec->work_groups * run->spec->repeats;
    workload_add_quantity(result, "time", UNIT_TIME, (run->took_ps + operations / 2) / operations);
    workload_observe(result, run->cluster, (double)operations);
    workload_add_quantity(result, "events", UNIT_COUNT,
                          (int64_t)event_executed(run->cluster->sim->events));
}

static bool run_gpu_operation(const struct machine_spec *machine, const void *argument,
                              uint64_t seed, struct workload_result *result, GError **error)
{
    struct operation_run run = {.spec = argument};
    struct probe_run probe;
    bool is_peer = run.spec->memory == PEER;
    if (!probe_run_start(&probe, machine, 1 + is_peer, seed, error))
        return false;
    run.cluster = probe.cluster;
    run.lines =
        probe_run_lines(&probe, is_peer, run.spec->memory == HOST ? MEMORY_HOST : MEMORY_GPU,
                        run.spec->work_groups, STORE_COARSE_GRAINED);
    bool good = probe_run_kernel(&probe, 0, run.spec->work_groups, program, &run, error) &&
                probe_run_finish(&probe, error);
    if (good)
        report(&run, result);
    probe_run_end(&probe);
    return good;
}

static const struct workload_rule rules[] = {
    {"memory", "operation", "|load|load_acquire|store_fence|store_release|atomic|"},
    {"scope", "operation", "|store_fence|store_release|fence|"},
    {"same_line", "operation", "|load|load_acquire|atomic|"},
    {NULL, NULL, NULL},
};

const struct workload gpu_operation_workload = {
    .name = "gpu_operation",
    .params = &gpu_operation_params,
    .run = run_gpu_operation,
    .rules = rules,
};
