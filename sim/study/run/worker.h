/* SPDX-License-Identifier: BSD-3-Clause */
/* The side of a worker, and of the processes it forks for its points. */
#pragma once

#include <sys/types.h>

#include "study/run/workers.h"

/* Types of messages on a worker's channel. */
enum worker_message {
    WORKER_POINT = 'P',  /* to the worker, and on to a point's process: run this (guint64) */
    WORKER_ASK = 'A',    /* from a point */
    WORKER_KNOWN = 'K',  /* the answer */
    WORKER_BLANK = 'B',  /* there is no answer */
    WORKER_TELL = 'T',   /* from a point */
    WORKER_RESULT = 'R', /* from a point: its last words */
    WORKER_END = 'E',    /* from the worker: the point's process has ended (gint32 wait status) */
    WORKER_FREE = 'F',   /* to the worker from a point's process: it could take another */
    WORKER_UNFIT = 'U',  /* from the worker: the point needs another one, and it goes */
};

/* Forks a process that does not outlive this one, however this one ends. As fork(). */
pid_t worker_fork(void);

/* Serves points until the channel's other end is closed. */
_Noreturn void worker_serve(const struct workers_job *job, int channel);
