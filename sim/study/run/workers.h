/* SPDX-License-Identifier: BSD-3-Clause */
/* Points run in worker processes, each point that leaves traces in a process of its own.
 *
 * A platform that SimGrid simulates lives as long as its process, its clock never starts
 * again, a failed check ends the process, and what one point leaves behind in memory must not be
 * seen by the next. But what has to stand before a point can run (the platform) is dear and often
 * the same. So a worker builds this *ground* once and forks after it; a point that needs
 * another ground gets a worker anew. A process whose point has left no traces takes the next one; if that
 * ends the process, or its result is in doubt, it runs again in a new one. Results do not depend on the number of
 * workers, nor on which points share one.
 *
 * What is run is the job's business: the pool carries bytes. */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>

/* The way from a point's process to the one that keeps results. */
struct worker_link;

/* Asks; NULL if the answer is not known. The caller unrefs it. */
GBytes *worker_ask(struct worker_link *link, GBytes *question);
/* Tells something that does not have to wait for the point's end. */
void worker_tell(struct worker_link *link, GBytes *news);

/* What a point that was run leaves behind in its process. */
enum point_traces {
    POINT_LEFT_TRACES, /* or it cannot be told: the process runs no other */
    POINT_LEFT_NONE,   /* the process may run another one */
    POINT_IS_DOUBTFUL, /* it failed, or came near a limit: what a process that has run others gave is not taken */
};

/* How a point ended. */
struct worker_outcome {
    GBytes *result; /* NULL if there is none */
    char *failure;  /* why not; else NULL */
    /* Somebody else ended its process, each time that it was tried: it says nothing about the point */
    bool is_from_outside;
    gint64 started_us; /* of wall-clock time */
    gint64 duration_us;
};

/* Beginning of the failure text of a point that took longer than the job's time limit. */
#define WORKERS_TOOK_LONGER "it took longer than the limit"

struct workers_job {
    void *context;              /* first argument of all below */
    unsigned workers;           /* processes at a time, at least 1 */
    gint64 time_limit_us;       /* for each point; 0: none */
    guint64 memory_limit_bytes; /* of address space; 0: none */

    /* --- in the process of a point; what they change is lost --- */

    /* What has to be prepared in a worker before the point can be forked from it (its platform), as bytes. NULL if
     * nothing has to be, or if it cannot be known beforehand. */
    GBytes *(*survey)(void *context, size_t point);
    /* Whether the point can run on what this process has prepared, if anything. */
    bool (*fits)(void *context, size_t point);
    /* It is the same for all points, and asks no script that might hang: a worker calls it, too, before its first point. */
    bool fits_alike;
    GBytes *(*run)(void *context, size_t point, struct worker_link *link);
    enum point_traces (*traces)(
        void *
            context); /* what the last point has left behind; NULL: points always leave something */

    /* After `run`: whether the point has made something that its worker could have made for all of them. */
    bool (*lacks)(void *context);

    /* --- in a worker, before points are forked from it --- */

    /* Prepares what `survey` has returned, once in a worker; its points are forked afterwards. */
    void (*build)(void *context, GBytes *ground);
    /* Makes what the first point has lacked, once in a worker. NULL, as `lacks`: there is no such thing. */
    void (*supply)(void *context);

    /* --- in the process that calls workers_run --- */

    /* The next point to be run; false if there is none left. */
    bool (*next)(void *context, size_t *point);
    /* Asked some times a second: true, with an error, once somebody else has stopped it all. May be
     * NULL. */
    void (*tell)(void *context); /* SIGUSR1 has come; NULL: nothing is told */
    bool (*is_stopped)(void *context, GError **error);
    /* May be NULL if no point asks or tells. */
    GBytes *(*answer)(void *context, GBytes *question);
    bool (*hear)(void *context, GBytes *news, GError **error);
    bool (*done)(void *context, size_t point, const struct worker_outcome *outcome, GError **error);
};

/* The cores of this machine. */
unsigned workers_default(void);

/* Whether a process of that wait status was ended by somebody else: by an operator, a batch system, the kernel that was short of
 * memory. */
bool workers_ended_from_outside(int status);
/* How a process of that wait status ended, which has handed on nothing. The caller frees it with g_free. */
char *workers_tell_end(int status);

/* Runs points until there are no more. False and an error if interrupted, if no process can be made
 * or if a function of the job says so; all workers have ended then. */
bool workers_run(const struct workers_job *job, GError **error);
