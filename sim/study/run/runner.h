/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs the points of a study that are not known yet; connects script, workers and store. */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "study/model/study.h"
#include "study/run/workers.h"
#include "study/store/store.h"

enum redo {
    REDO_NONE,
    REDO_FAILED, /* runs again the points that failed in the store */
    REDO_ALL,
};

/* Runs a job: workers_run, or something that sends its points elsewhere. */
typedef bool runner_dispatch(void *context, const struct workers_job *job, GError **error);

#define RUNNER_TRIED_S 5

/* What is told of a run as it goes on, for views/progress.lua. */
struct runner_news {
    const char *
        event; /* "begin", "known" (a point was known before), "point" (has ended), "asked" by SIGUSR1, or "end" */
    const char *name;                   /* the study's */
    size_t points, known, done, failed; /* `done` includes those that were known before */
    gint64 run_us, point_us;            /* since the run has begun; what the point has taken */
    const struct row *row;              /* the point's; NULL: none */
};
typedef void runner_tell(void *context, const struct runner_news *news);

struct runner_options {
    uint64_t seed;
    unsigned workers;
    struct result_store *store; /* NULL: no store in this process */
    /* whether results of workloads are looked up and kept, in `store` or by `dispatch` */
    bool remembers;
    bool with_stats; /* rows get the statistics of their simulations, so all points run again */
    enum redo redo;
    size_t shard, shards; /* runs only points shard, shard + shards, ...; 0 shards: all */
    gint64 time_limit_us;
    guint64 memory_limit_bytes;
    /* the run ends with an error if its first `doubtful` points all fail for one reason; 0: never */
    size_t doubtful;
    /* only a few of the points that are not known are run, for RUNNER_TRIED_S each at most, and no results are kept */
    bool tries;
    runner_tell *tell; /* NULL: nobody is told */
    void *tell_context;
    /* NULL: a signal is an error. Else a signal sets it, and the rows so far are returned */
    bool *was_interrupted;
    runner_dispatch *dispatch; /* NULL: worker processes of this machine */
    void *dispatch_context;
};

/* Runs the points that the store does not have. Returns a row for each point, by the point's number (struct row *, freed with the
 * array); NULL for points of other shards. All finished points are in the store, also after a failure. NULL and an error if
 * interrupted, if no worker can be started or if the store cannot be written. */
GPtrArray *runner_run(struct study *study, const struct runner_options *options, GError **error);

/* Returns the rows that the store has, and NULL for other points. Simulates and writes nothing. If the store has a point under
 * another text of the study, for instance because a figure was changed since, the script makes the row from the stored results
 * of workloads. NULL and an error if interrupted, or if no worker can be started. */
GPtrArray *runner_recall(struct study *study, const struct runner_options *options, GError **error);
