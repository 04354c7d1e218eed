/* SPDX-License-Identifier: BSD-3-Clause */
/* Totals of two ranks of a world: the times of their cores by account and by state, and the counts of their UCX workers; and
 * levels: those of their heaps, and of the runtime's stocks. */

#include "protocols/ucx/ucx.h"
#include "workloads/transfer/transfer_messenger.h"

/* The accounts of both ranks, then the counts of both together. */
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
    struct ucx *ucx = own->runtime->ucx;
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

/* The measure of an account of the first or the second rank. The library's is called ucx. */
static const char *account_measure(int end, int account)
{
    g_autofree char *name =
        g_strconcat(end == 0 ? "time_" : "peer_time_",
                    account == CPU_LIBRARY ? "ucx" : cpu_account_names[account], NULL);
    return g_intern_string(name);
}

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
            workload_add_quantity(result, account_measure(end, account), UNIT_TIME,
                                  (total_ps + messages / 2) / messages);
        }
    }
    for (enum ucx_count i = 0; i < UCX_COUNTS; i++)
        workload_add_ratio(result, ucx_count_names[i],
                           (double)growth[TOTAL_COUNTS + i] / (double)messages);
}
