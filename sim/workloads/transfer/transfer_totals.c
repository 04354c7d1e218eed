/* SPDX-License-Identifier: BSD-3-Clause */
/* What two ranks of a world add up to: the times of their cores by account and by state, what their UCX workers have
 * counted; and the levels of their heaps, and of what the runtime has in stock. */
#include <glib.h>

#include "protocols/ucx/ucx.h"
#include "workloads/transfer/transfer_messenger.h"

/* States that a rank's core has before its program ends. */
static const enum agent_state states[] = {AGENT_ACTIVE, AGENT_POLLING, AGENT_STALLED};

/* Accounts of both, then counts of both together, then times by state of each. */
#define TOTAL_COUNTS (2 * CPU_ACCOUNTS)
#define TOTAL_STATES (TOTAL_COUNTS + UCX_COUNTS)
#define TOTALS (TOTAL_STATES + 2 * G_N_ELEMENTS(states))

#define LEVELS_OF_RANK 3
#define LEVELS (2 * LEVELS_OF_RANK)

struct world_totals messenger_totals(void *own_world)
{
    (void)own_world;
    return (struct world_totals){TOTALS, LEVELS};
}

static void gather_levels(const struct messenger_world *own, int64_t place, int64_t *levels)
{
    const struct heap *heap = &own->job->processes[place].heap;
    levels[0] = heap->used_bytes;
    levels[1] = heap->touched_bytes;
    levels[2] = runtime_stock(own->runtime, (int32_t)place);
}

void messenger_gather(void *own_world, const int64_t *places, int64_t *numbers)
{
    const struct messenger_world *own = own_world;
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
        for (size_t i = 0; i < G_N_ELEMENTS(states); i++)
            numbers[TOTAL_STATES + (size_t)end * G_N_ELEMENTS(states) + i] =
                cpu->state_ps[states[i]];
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
        [CPU_WAIT] = prefix "wait",                                                                \
    }
    NAMES("time_"), NAMES("peer_time_")
#undef NAMES
};

/* Per message. */
static void report_growth(const int64_t *growth, int64_t messages, struct workload_result *result)
{
    for (int end = 0; end < 2; end++) {
        for (int account = 0; account < CPU_ACCOUNTS; account++) {
            int64_t total_ps = growth[end * CPU_ACCOUNTS + account];
            workload_add_quantity(result, account_measures[end][account], UNIT_TIME,
                                  (total_ps + messages / 2) / messages);
        }
    }
    for (enum ucx_count i = 0; i < UCX_COUNTS; i++)
        workload_add_ratio(result, ucx_count_names[i],
                           (double)growth[TOTAL_COUNTS + i] / (double)messages);
}

/* What both cores of a pair drew per message, in all and by state. Ranks of one end have cores of one kind: those of the
 * first and of the last place. */
static void report_energy(const struct messenger_world *own, const int64_t *growth,
                          int64_t messages, struct workload_result *result)
{
    static const char *const names[] = {"energy_active", "energy_polling", "energy_stalled"};
    const struct job_process *ends[] = {own->job->processes,
                                        &own->job->processes[own->job->count - 1]};
    int64_t energies_fJ[G_N_ELEMENTS(states)], sum_fJ = 0;
    for (size_t i = 0; i < G_N_ELEMENTS(states); i++) {
        sim_uint128 energy_fJ = 0, count = (sim_uint128)messages;
        for (size_t end = 0; end < 2; end++)
            energy_fJ += product_128(growth[TOTAL_STATES + end * G_N_ELEMENTS(states) + i],
                                     ends[end]->cpu.spec->power_mW[states[i]]);
        energies_fJ[i] = (int64_t)((energy_fJ + count / 2) / count);
        sum_fJ += energies_fJ[i];
    }
    workload_add_quantity(result, "rank_energy", UNIT_ENERGY, sum_fJ);
    workload_add_absent_energy(result, "energy");
    for (size_t i = 0; i < G_N_ELEMENTS(states); i++)
        workload_add_quantity(result, names[i], UNIT_ENERGY, energies_fJ[i]);
}

void messenger_report_totals(void *own_world, const int64_t *totals, int64_t messages,
                             struct workload_result *result)
{
    report_growth(totals, messages, result);
    report_energy(own_world, totals, messages, result);
}
