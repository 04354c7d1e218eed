/* SPDX-License-Identifier: BSD-3-Clause */
/* What two ranks of a world add up to: the times of their cores by account and by state, what their UCX workers have
 * counted; and the levels of their heaps, and of what the runtime has in stock. */

#include "protocols/ucx/ucx.h"
#include "workloads/transfer/transfer_messenger.h"

/* Accounts of both, then counts of both together. */
#define TOTAL_COUNTS (2 * CPU_ACCOUNTS)
#define TOTALS (TOTAL_COUNTS + UCX_COUNTS)

#define LEVELS_OF_RANK 3
#define LEVELS (2 * LEVELS_OF_RANK)

struct world_totals world_totals(const struct world *world)
{
    return world_has_words(world) ? (struct world_totals){0}
                                  : (struct world_totals){TOTALS, LEVELS};
}

static void gather_levels(const struct messenger_world *own, int64_t place, int64_t *levels)
{
    const struct heap *heap = &own->job->processes[place].heap;
    levels[0] = heap->used_bytes;
    levels[1] = heap->touched_bytes;
    levels[2] = runtime_stock(own->runtime, (int32_t)place);
}

void world_gather(const struct world *world, const int64_t *places, int64_t *numbers)
{
    const struct messenger_world *own = world->own;
    if (world_has_words(world))
        return;
    struct ucx *ucx = runtime_ucx(own->runtime);
    for (size_t k = TOTAL_COUNTS; k < TOTALS; k++)
        numbers[k] = 0;
    for (int end = 0; end < 2; end++) {
        const struct cpu *cpu = &own->job->processes[places[end]].cpu;
        const struct ucx_worker *worker = ucx_worker(ucx, (int32_t)places[end]);
        for (int account = 0; account < CPU_ACCOUNTS; account++)
            numbers[end * CPU_ACCOUNTS + account] = cpu->time_ps[account];
        for (enum ucx_count i = 0; i < UCX_COUNTS; i++)
            numbers[TOTAL_COUNTS + i] += ucx_count(worker, i);
        gather_levels(own, places[end], numbers + TOTALS + end * LEVELS_OF_RANK);
    }
}

/* --- results ---------------------------------------------------------------------------------- */

/* cpu_account_names with "time_" or "peer_time_" before them: measures need names that last. */
static const char *const account_measures[2][CPU_ACCOUNTS] = {
#define NAMES(prefix)                                                                              \
    {                                                                                              \
        [CPU_APPLICATION] = prefix "application", [CPU_CUDA] = prefix "cuda",                      \
        [CPU_COPY] = prefix "copy", [CPU_ALLOCATE] = prefix "allocate",                            \
        [CPU_LIBRARY] = prefix "ucx", [CPU_PACK] = prefix "pack",                                  \
        [CPU_SCHEDULE] = prefix "schedule", [CPU_CALLBACK] = prefix "callback",                    \
        [CPU_MATCH] = prefix "match", [CPU_INTERPRETER] = prefix "interpreter",                    \
        [CPU_SYSTEM] = prefix "system", [CPU_WAIT] = prefix "wait",                                \
    }
    NAMES("time_"), NAMES("peer_time_")
#undef NAMES
};

void world_report_totals(const struct world *world, const int64_t *growth, int64_t messages,
                         struct workload_result *result)
{
    if (world_has_words(world))
        return;
    for (int end = 0; end < 2; end++) {
        for (int account = 0; account < CPU_ACCOUNTS; account++) {
            int64_t total_ps = growth[end * CPU_ACCOUNTS + account];
            if (account == CPU_SYSTEM && total_ps == 0)
                continue;
            workload_add_quantity(result, account_measures[end][account], UNIT_TIME,
                                  (total_ps + messages / 2) / messages);
        }
    }
    for (enum ucx_count i = 0; i < UCX_COUNTS; i++)
        workload_add_ratio(result, ucx_count_names[i],
                           (double)growth[TOTAL_COUNTS + i] / (double)messages);
}
