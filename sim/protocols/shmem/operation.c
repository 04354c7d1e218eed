/* SPDX-License-Identifier: BSD-3-Clause */
#include "protocols/shmem/operation.h"

#include <glib.h>
#include <string.h>

static const struct stat_info latency_info = {"latency", "ps", "from the call to its return"};

struct operation_log {
    struct sim *sim;
    char *path;
    struct observe_origin origin;
    struct observe_listener listener;
    struct stat_info infos[STAGES_SERVED];
    struct stat_histogram *stages[STAGES_SERVED];
    struct stat_histogram *latency;
};

static void record(void *self, const struct observed_operation *operation)
{
    struct operation_log *log = self;
    for (int stage = 0; stage < STAGES_SERVED; stage++) {
        const struct observed_part *part = &operation->parts[stage];
        stat_record(log->stages[stage], part->to_ps - part->from_ps);
    }
    stat_record(log->latency, operation->to_ps - operation->from_ps);
}

static void forget(struct stat_histogram *histogram)
{
    memset(histogram, 0, sizeof *histogram);
}

static void reset(void *self)
{
    struct operation_log *log = self;
    for (int stage = 0; stage < STAGES_SERVED; stage++)
        forget(log->stages[stage]);
    forget(log->latency);
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
    for (int stage = 0; stage < STAGES_SERVED; stage++) {
        log->infos[stage] =
            (struct stat_info){stage_infos[stage].name, "ps", stage_infos[stage].description};
        log->stages[stage] = stat_histogram_new(sim->stats, path, &log->infos[stage]);
    }
    log->latency = stat_histogram_new(sim->stats, path, &latency_info);
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

const struct observe_origin *operation_log_origin(const struct operation_log *log)
{
    return &log->origin;
}

const struct stat_histogram *operation_stage_times(const struct operation_log *log,
                                                   enum stage stage)
{
    return log->stages[stage];
}

const struct stat_histogram *operation_latencies(const struct operation_log *log)
{
    return log->latency;
}
