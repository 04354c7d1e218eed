/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by service.c, service_thread.c, trigger.c and device_library.c, and private to them. */
#pragma once

#include "protocols/shmem/aggregate.h"
#include "protocols/shmem/inbox.h"
#include "protocols/shmem/poll_sweep.h"
#include "protocols/shmem/service.h"
#include "protocols/shmem/trigger.h"

/* The room of a work-group's words in the symmetric heap. One word is used; the size stays, since a smaller one moves all that is
 * allocated behind it, and with it which lines of the caches meet. */
#define WORDS_BYTES 384

/* A line to be copied: from where in the GPU's memory to where in the host's. */
struct line_copy {
    address from, to;
};

struct service_thread {
    struct service *service;
    struct agent_thread thread; /* that it runs as */
    struct agent *agent;        /* the thread's */
    int64_t number,
        first; /* its own number; and that of the queue at which its next round begins */
    struct shmem shmem;
    GArray *unmarked;  /* struct unmarked of blocking entries, in the order of issue */
    GArray *done;      /* entries to be marked together; empty outside of a round */
    GPtrArray *fenced; /* consumers held up by a fence; with fence = by_context only */
    struct line_copy *copies;
    struct aggregate *aggregate; /* of a design that gathers puts, or NULL */
    struct peer_path peer;       /* to GPUs of its node; without an agent if the design has none */
    struct peer_copies *copies_to_peers; /* or NULL */
    struct poll_sweep *sweep;            /* or NULL: every look is made */
    int64_t rounds; /* that it has made over its queues, up to polling_rounds */
    int64_t polls;
    int64_t looks_at; /* number of the queue that it looks at now */
    uint32_t track;   /* for spans of what it serves, if observers ask for them */
};

struct service {
    struct cluster *cluster;
    struct site *site;
    const struct design *design;
    const struct agent_kind *kind; /* of the agents that serve */
    enum memory_scope scope;       /* the design's */
    struct software software;
    struct operation_log *log;
    struct stat_units served; /* times from one served entry to the next, by any thread */
    struct mutex_stats locks;
    struct shmem_interface *interfaces; /* one for each thread, or one for all */
    int64_t interface_count, sharers;   /* of each */
    uint64_t *contexts;                 /* operations under way, by queue */
    struct ring_queue *queues; /* one a work-group, or shared ones; behind them the inbox's */
    struct ring_consumer *consumers;
    struct aggregate_memory aggregates;
    struct inbox inbox;             /* behind the work-groups' queues, of a design that has one */
    struct trigger_queue *triggers; /* likewise, of a design with triggers; or NULL */
    struct peer_room *
        *peer_rooms;      /* of work-groups, then of threads, where these move data; else NULL */
    uint64_t *operations; /* behind the queues' `operations` */
    address words;        /* WORDS_BYTES for each work-group */
    int64_t work_groups, queue_count;
    bool *entries_done; /* behind the queues' `is_done` */
    struct service_thread *threads;
    int64_t thread_count;
    sim_time nop_ps;       /* what serving an empty entry takes */
    bool by_runtime_calls; /* queues are read and written by calls of the GPU's runtime */
    bool stopping;
};

/* A service thread's life, as an agent_program: `argument` is the struct service_thread. */
void service_thread_run(struct agent *agent, void *argument);

/* Opens its way to the node's other GPUs, if the design's server moves data there; when its agent runs. */
void service_thread_opens_peers(struct service_thread *thread);

/* The life of a thread that posts commands for work-groups that pull triggers: it keeps each of its queues full. */
void service_post_run(struct agent *agent, void *argument);
