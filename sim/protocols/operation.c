#include "protocols/operation.h"

#include <glib.h>
#include <string.h>

#include "core/check.h"

static const struct stat_info stage_info[OPERATION_STAGES] = {
    [OPERATION_START] = {"start", "ps", "always 0"},
    [OPERATION_POSTED] = {"posted", "ps", "from the call until the entry's status is stored"},
    [OPERATION_SEEN] = {"seen", "ps", "until the server has seen it"},
    [OPERATION_SERVED] = {"served", "ps", "until the command is written and the doorbell rung"},
    [OPERATION_DOORBELL] = {"doorbell", "ps", "until the doorbell is at the NIC"},
    [OPERATION_FETCHED] = {"fetched", "ps", "until the NIC has the command"},
    [OPERATION_ON_WIRE] = {"on_wire", "ps", "until the first packet sets out"},
    [OPERATION_DELIVERED] = {"delivered", "ps", "until the last byte is in its memory"},
    [OPERATION_COMPLETED] = {"completed", "ps", "until the server marks the entry"},
    [OPERATION_NOTICED] = {"noticed", "ps", "until the work-group has seen the mark"},
};
static const struct stat_info latency_info = {"latency", "ps", "from the call to its return"};

struct operation {
    sim_time at_ps[OPERATION_STAGES]; /* 0: not passed yet */
};

struct operation_log {
    struct sim *sim;
    GHashTable *under_way; /* number -> struct operation; looked up, never walked */
    uint64_t begun;
    struct stat_histogram *stages[OPERATION_STAGES];
    struct stat_histogram *latency;
};

const char *operation_stage_name(enum operation_stage stage)
{
    return stage_info[stage].name;
}

struct operation_log *operation_log_new(struct sim *sim, const char *path)
{
    struct operation_log *log = g_new0(struct operation_log, 1);
    log->sim = sim;
    log->under_way = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free);
    for (int stage = OPERATION_POSTED; stage < OPERATION_STAGES; stage++)
        log->stages[stage] = stat_histogram_new(sim->stats, path, &stage_info[stage]);
    log->latency = stat_histogram_new(sim->stats, path, &latency_info);
    return log;
}

void operation_log_free(struct operation_log *log)
{
    if (log == NULL)
        return;
    g_hash_table_unref(log->under_way);
    g_free(log);
}

uint64_t operation_begin(struct operation_log *log)
{
    uint64_t number = ++log->begun;
    struct operation *operation = g_new0(struct operation, 1);
    operation->at_ps[OPERATION_START] = sim_now(log->sim);
    g_hash_table_insert(log->under_way, g_memdup2(&number, sizeof number), operation);
    return number;
}

void operation_stamp(struct operation_log *log, uint64_t number, enum operation_stage stage,
                     sim_time at_ps)
{
    struct operation *operation = g_hash_table_lookup(log->under_way, &number);
    if (operation != NULL)
        operation->at_ps[stage] = at_ps;
}

void operation_end(struct operation_log *log, uint64_t number)
{
    struct operation *operation = g_hash_table_lookup(log->under_way, &number);
    check_always(operation != NULL, "operation %llu is not under way", (unsigned long long)number);
    operation->at_ps[OPERATION_NOTICED] = sim_now(log->sim);
    sim_time reached_ps = operation->at_ps[OPERATION_START];
    for (int stage = OPERATION_POSTED; stage < OPERATION_STAGES; stage++) {
        sim_time at_ps = operation->at_ps[stage];
        sim_time limit_ps = operation->at_ps[OPERATION_NOTICED];
        at_ps = at_ps < reached_ps ? reached_ps : at_ps > limit_ps ? limit_ps : at_ps;
        stat_record(log->stages[stage], at_ps - reached_ps);
        reached_ps = at_ps;
    }
    stat_record(log->latency,
                operation->at_ps[OPERATION_NOTICED] - operation->at_ps[OPERATION_START]);
    g_hash_table_remove(log->under_way, &number);
}

void operation_forget(struct operation_log *log, uint64_t number)
{
    g_hash_table_remove(log->under_way, &number);
}

void operation_observe_nic(void *observer, uint64_t number, enum nic_stage stage, sim_time at_ps)
{
    static const enum operation_stage of_nic[] = {
        [NIC_STAGE_DOORBELL] = OPERATION_DOORBELL,
        [NIC_STAGE_FETCHED] = OPERATION_FETCHED,
        [NIC_STAGE_ON_WIRE] = OPERATION_ON_WIRE,
        [NIC_STAGE_DELIVERED] = OPERATION_DELIVERED,
    };
    operation_stamp(observer, number, of_nic[stage], at_ps);
}

const struct stat_histogram *operation_stage_times(const struct operation_log *log,
                                                   enum operation_stage stage)
{
    return log->stages[stage];
}

const struct stat_histogram *operation_latencies(const struct operation_log *log)
{
    return log->latency;
}

static void forget(struct stat_histogram *histogram)
{
    memset(histogram, 0, sizeof *histogram);
}

void operation_log_reset(struct operation_log *log)
{
    for (int stage = OPERATION_POSTED; stage < OPERATION_STAGES; stage++)
        forget(log->stages[stage]);
    forget(log->latency);
}
