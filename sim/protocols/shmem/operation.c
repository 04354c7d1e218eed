/* SPDX-License-Identifier: BSD-3-Clause */
#include "protocols/shmem/operation.h"

static void record(void *self, const struct observed_operation *operation)
{
    struct operation_log *log = self;
    for (int stage = 0; stage < STAGES_SERVED; stage++) {
        const struct observed_part *part = &operation->parts[stage];
        stat_record(log->stages[stage], part->to_ps - part->from_ps);
    }
    stat_record(log->latency, operation->to_ps - operation->from_ps);
}

static void reset(void *self)
{
    struct operation_log *log = self;
    for (int stage = 0; stage < STAGES_SERVED; stage++)
        stat_histogram_reset(log->stages[stage]);
    stat_histogram_reset(log->latency);
}

struct operation_log *operation_log_new(struct sim *sim, const char *path,
                                        const struct design *design)
{
    struct operation_log *log = g_new0(struct operation_log, 1);
    log->sim = sim;
    log->path = g_strdup(path);
    log->origin = (struct observe_origin){
        .path = log->path, .callers = "work-group", .is_served = true, .design = design};
    log->listener = (struct observe_listener){
        .self = log, .origin = &log->origin, .operation = record, .reset = reset};
    for (int stage = 0; stage < STAGES_SERVED; stage++)
        log->stages[stage] = stat_histogram_new(
            sim->stats, path, STAT(stage_infos[stage].name, "ps", stage_infos[stage].description));
    log->latency =
        stat_histogram_new(sim->stats, path, STAT("latency", "ps", "from the call to its return"));
    observe_listen(&sim->observe, &log->listener);
    return log;
}

void operation_log_free(struct operation_log *log)
{
    if (log == NULL)
        return;
    observe_leave(&log->sim->observe, &log->listener);
    g_free(log->path);
    g_free(log);
}
