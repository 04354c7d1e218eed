/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs the points of a study that are not known yet: the meeting place of script, workers and
 * store. */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "study/model/study.h"
#include "study/run/progress.h"
#include "study/run/workers.h"
#include "study/store/store.h"

enum redo {
    REDO_NONE,
    REDO_FAILED, /* points that the store has as failed */
    REDO_ALL,
};

/* Runs a job: workers_run, or something that sends its points elsewhere. */
typedef bool runner_dispatch(void *context, const struct workers_job *job, GError **error);

/* What a run would take, found out without running it: of the points of a study, and of samples of what it estimates. */
struct runner_costs {
    size_t points, known, queued; /* in all; in the store; to be run */
    size_t tried,
        unfinished; /* of the queued ones, and how many of these were ended after RUNNER_TRIED_S */
    double
        queued_s; /* of all queued points, one after the other; at least so much if any is unfinished */
    uint64_t memory_bytes; /* the most that one of them held */
    char *failure;         /* of the first that failed otherwise; NULL: none did */
};

#define RUNNER_TRIED_S 5

struct runner_options {
    uint64_t seed;
    unsigned workers;
    struct result_store *store; /* NULL: none here */
    bool remembers;  /* whether calls of workloads are asked for and told, with `store` or by
                            `dispatch` */
    bool with_stats; /* rows get the statistics of their simulations, so that all are made anew */
    enum redo redo;
    size_t shard, shards; /* of all points, numbers shard, shard + shards, ...; 0 shards: all */
    gint64 time_limit_us;
    guint64 memory_limit_bytes;
    size_t
        doubtful; /* if so many points, the first ones to be run, all fail for one reason, the run ends with an error;
                        0: it goes on */
    struct runner_costs *
        costs; /* NULL, or what is added to, instead of running more than a few points for it and keeping them */
    enum progress_mode progress;
    const char *best; /* column whose least value is shown on the way, or NULL */
    bool *
        was_interrupted; /* NULL: a signal is an error. Else it sets this, and the rows so far are given */
    runner_dispatch *dispatch; /* NULL: worker processes of this machine */
    void *dispatch_context;
};

/* Runs what the store does not know, and gives a row for each point, NULL for those of other
 * shards; by the point's number. All that was finished is in the store, also when it fails. NULL
 * and an error if interrupted, if no worker can be started or if the store cannot be written. */
struct row **runner_run(struct study *study, const struct runner_options *options, GError **error);

/* The rows that the store has; NULL for points that it does not have. Nothing is simulated and nothing
 * written: where the store has a point under another text of the study, as when a figure was changed since,
 * the script makes its row from the results of workloads that the store has. NULL and an error if
 * interrupted, or if no worker can be started. */
struct row **runner_recall(struct study *study, const struct runner_options *options,
                           GError **error);
