/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs points in worker processes; a point that leaves traces gets a process of its own.
 *
 * A platform that SimGrid simulates lives as long as its process, its clock never restarts, a failed check ends the process, and
 * no point may see what another left in memory. But the platform that a point needs before it can run is expensive and often
 * the same. So a worker builds this *ground* once and then forks; a point that needs another ground gets a new worker. A process
 * whose point left no traces runs the next point; if that point ends the process, or its result is in doubt, it runs again in a
 * new process. Results do not depend on the number of workers, nor on which points share one.
 *
 * The job decides what runs; the pool only carries bytes. */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>

/* The connection from a point's process to the process that keeps results. */
struct worker_link;

/* Asks a question; NULL if the answer is not known. The caller unrefs it. */
GBytes *worker_ask(struct worker_link *link, GBytes *question);
/* Sends news at once, without waiting for the point's end. */
void worker_tell(struct worker_link *link, GBytes *news);

/* What a point has left behind in its process. */
enum point_traces {
    POINT_LEFT_TRACES, /* or it is unknown: the process runs no other point */
    POINT_LEFT_NONE,   /* the process may run another point */
    /* it failed or came near a limit: its result counts only from a fresh process */
    POINT_IS_DOUBTFUL,
};

/* How a point ended. */
struct worker_outcome {
    GBytes *result; /* NULL: no result */
    char *failure;  /* why there is no result; else NULL */
    /* Something outside ended its process at each try, which says nothing about the point */
    bool is_from_outside;
    gint64 started_us; /* wall-clock time */
    gint64 duration_us;
};

/* The failure text of a point that took longer than the job's time limit, which the caller frees with g_free, and how it begins. */
char *workers_took_longer(gint64 limit_us);
#define WORKERS_TOOK_LONGER "it took longer than the limit"

struct workers_job {
    void *context;              /* first argument of all below */
    unsigned workers;           /* how many processes run at a time, at least 1 */
    gint64 time_limit_us;       /* for each point; 0: none */
    guint64 memory_limit_bytes; /* limit on each process's address space; 0: none */

    /* --- called in the process of a point; their changes are lost --- */

    /* The ground that a worker has to prepare before it forks the point (its platform), as bytes. NULL if there is none, or if it
     * cannot be known beforehand. */
    GBytes *(*survey)(void *context, size_t point);
    /* Whether the point can run on the ground that this process has prepared, if any. */
    bool (*fits)(void *context, size_t point);
    /* `fits` answers the same for all points and runs no script that might hang: a worker calls it before its first point, too. */
    bool fits_alike;
    GBytes *(*run)(void *context, size_t point, struct worker_link *link);
    /* What the last point has left behind; NULL: points always leave traces. */
    enum point_traces (*traces)(void *context);

    /* After `run`: whether the point has made something that its worker could have made once for all points. */
    bool (*lacks)(void *context);

    /* --- in a worker, before points are forked from it --- */

    /* Prepares the ground that `survey` returned, once in a worker, before it forks its points. */
    void (*build)(void *context, GBytes *ground);
    /* Makes what the first point lacked, once in a worker. NULL, together with `lacks`: nothing can be lacking. */
    void (*supply)(void *context);

    /* --- in the process that calls workers_run --- */

    /* The next point to be run; false if there is none left. */
    bool (*next)(void *context, size_t *point);
    /* Called a few times a second: true, with an error, once the whole run was stopped from elsewhere. May be NULL. */
    void (*tell)(void *context); /* called after SIGUSR1; NULL: nothing happens */
    bool (*is_stopped)(void *context, GError **error);
    /* May be NULL if no point calls worker_ask or worker_tell. */
    GBytes *(*answer)(void *context, GBytes *question);
    bool (*hear)(void *context, GBytes *news, GError **error);
    bool (*done)(void *context, size_t point, const struct worker_outcome *outcome, GError **error);
};

/* The number of cores of this machine. */
unsigned workers_default(void);

/* Whether a process with that wait status was ended from outside: by an operator, a batch system, or the kernel when short of
 * memory. */
bool workers_ended_from_outside(int status);
/* Describes how a process with that wait status, which gave no result, ended. The caller frees it with g_free. */
char *workers_tell_end(int status);

/* Runs points until there are no more. False and an error if interrupted, if no process can be made
 * or if a function of the job says so; all workers have ended then. */
bool workers_run(const struct workers_job *job, GError **error);
