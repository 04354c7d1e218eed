/* SPDX-License-Identifier: BSD-3-Clause */
/* The worker's side: the worker, and the processes that it forks for its points. */
#pragma once

#include <sys/types.h>

#include "study/run/workers.h"

/* Types of messages on a worker's channel. */
enum worker_message {
    /* to the worker, which passes it on to a point's process: run this point (guint64) */
    WORKER_POINT = 'P',
    WORKER_ASK = 'A',    /* from a point: a question */
    WORKER_KNOWN = 'K',  /* the answer */
    WORKER_BLANK = 'B',  /* the answer is not known */
    WORKER_TELL = 'T',   /* from a point: news */
    WORKER_RESULT = 'R', /* from a point: its result, the last message */
    WORKER_END = 'E',    /* from the worker: the point's process has ended (gint32 wait status) */
    WORKER_FREE = 'F',   /* to the worker from a point's process: it can run another point */
    WORKER_UNFIT = 'U',  /* from the worker: the point needs a new worker, and this one ends */
};

/* As fork(), but the child never outlives this process, however this one ends. */
pid_t worker_fork(void);

/* Runs `work` in a process of its own, which may send one message through the channel. Returns the message, NULL if none has come,
 * and the wait status; -1: no process could be made, and errno is set. */
GBytes *worker_apart(void (*work)(void *context, int channel), void *context, int *status);

/* Serves points until the channel's other end is closed. */
_Noreturn void worker_serve(const struct workers_job *job, int channel);
