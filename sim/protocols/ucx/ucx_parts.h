/* SPDX-License-Identifier: BSD-3-Clause */
/* Inside the UCX layer: workers, messages and the fragments that they travel in.
 *
 *   ucx.c            workers, sends and receives, progress
 *   buffers.c        what a worker keeps: peers, registrations, streams, buffers
 *   message.c        requests from the first call to the last callback
 *   fragment.c          how fragments move: shared memory, NIC, GPU copies
 *   eager.c          copies through library buffers
 *   rendezvous.c     announcement, the choice of the way, acknowledgement; CMA, CUDA IPC, RDMA reads
 *   staging.c        the pipeline through host memory
 *   matching.c       tags */
#pragma once

#include "core/list.h"
#include "core/map.h"
#include "core/pool.h"
#include "protocols/ucx/matching.h"
#include "protocols/ucx/ucx.h"

/* Streams for copies between GPUs of a node, by the sender's rank: those of UCX's cuda_ipc (M-121). */
#define UCX_PEER_STREAMS 16

struct fragment;

/* What a worker does with a fragment when ucx_progress has taken it up. */
typedef void fragment_fn(struct ucx_worker *worker, struct fragment *fragment);

/* One direction between two processes; what is sent arrives in order. */
struct channel {
    struct ucx_worker *to;
    enum job_distance distance;
    struct queue_pair messages; /* between nodes; shared memory keeps the order anyway */
    struct queue_pair bulk[];   /* by rail: reads and writes of rendezvous that this side posts */
};

/* A part of a message that is under way: a segment, a control message, a share of a read, a fragment of the pipeline, or the
 * copy of one. It may be several of these in turn, and waits in one place at a time. */
struct fragment {
    struct list_link link; /* in an inbox or a queue of copies */
    fragment_fn *take;     /* what comes next */
    struct ucx_worker *at; /* whose progress takes it up */
    struct ucx_message *message;
    struct channel *channel; /* the channel in whose order it goes; NULL: it has no order to keep */
    uint64_t operation;      /* its message's operation; 0: the message does not wait for it */
    int64_t bytes;
    int32_t rail;                  /* of a read: 0 is the nearest */
    struct cuda_completion copied; /* of a GPU copy */
};

struct fragment_queue {
    struct list list;
    int32_t count;
};

/* A message from ucx_tag_send to the last callback; shared by both sides, so that each is written once. */
struct ucx_message {
    struct match_entry entry; /* must be first: its place in the receiver's unexpected queue */
    struct list_link link;    /* in the list of all messages */
    struct ucx_worker *from, *to;
    struct block source, target; /* the receive's buffer, once matched */
    void *content;
    uint64_t operation; /* that it belongs to (cpu_work_for) */
    ucx_done_fn *send_done, *receive_done;
    void *send_argument, *receive_argument;
    enum job_distance distance;
    enum ucx_count protocol; /* once matched */
    bool is_eager, is_seen, is_matched, is_received;
    uint8_t owners;           /* how many of both sides still need it */
    int32_t parts_left;       /* eager: segments not taken up; reads: shares not arrived */
    int64_t taken_bytes;      /* eager: taken up by the receiver's progress */
    int64_t requested_bytes;  /* staging, receiver: fragments asked for */
    int64_t received_bytes;   /* staging, receiver: copied to their place */
    int64_t put_bytes;        /* staging, sender: written to the receiver's host memory */
    int32_t fragments_active; /* staging, receiver */
};

/* A posted receive. */
struct ucx_receive {
    struct match_entry entry; /* first */
    struct block block;
    bool is_get; /* a one-sided read */
    ucx_done_fn *done;
    void *argument;
};

struct ucx_worker {
    struct ucx *ucx;
    struct job_process *process;
    struct fragment_queue inbox;
    struct fragment_queue peer_copies; /* CUDA IPC: every event is queried (M-121) */
    struct fragment_queue host_copies; /* staging: queried up to the first that has not happened */
    struct fragment_queue fragments;   /* staging: fragments in host memory that wait for the NIC */
    int64_t fragments_written;         /* staging: under way by the NIC */
    int32_t peer_copies_ended;         /* not yet found */
    bool is_waiting;
    struct match_queue posted, unexpected;
    struct map channels;      /* by rank: struct channel */
    struct map registrations; /* by allocation */
    struct cuda_stream *to_host, *to_device, *peer_streams[UCX_PEER_STREAMS];
    int64_t counts[UCX_COUNTS];
};

struct ucx {
    struct job *job;
    const struct ucx_spec *spec;
    uint64_t *used;             /* of the spec (UCX_READ) */
    struct ucx_worker *workers; /* by rank */
    bool drops_memory_type_cache;
    struct pool fragments, messages, receives, channels;
    struct list messages_alive; /* the youngest first */
    int64_t sent_bytes, received_bytes;
    int32_t rails;      /* of a node */
    int32_t used_rails; /* by a rendezvous */
};

/* A parameter of the library's, noted as read. */
#define UCX_READ(ucx, field) PARAM_READ((ucx)->used, (ucx)->spec, field)

static inline struct cpu *worker_cpu(struct ucx_worker *worker)
{
    return &worker->process->cpu;
}

static inline void worker_spend(struct ucx_worker *worker, sim_time duration_ps)
{
    cpu_spend(worker_cpu(worker), CPU_LIBRARY, duration_ps);
}

/* The operation has reached a stage, by this worker's clock. */
static inline void worker_stage(struct ucx_worker *worker, uint64_t operation, enum stage stage)
{
    struct cpu *cpu = worker_cpu(worker);
    observe_stage(&cpu->sim->observe, operation, stage, cpu_now(cpu));
}

/* --- message.c -------------------------------------------------------------------------------- */

/* A message of `source` to the worker behind `channel`, from the pool, with one owner: the sender. `content` (or NULL) travels
 * along and stays its caller's. */
struct ucx_message *message_new(struct ucx_worker *from, const struct channel *channel,
                                struct block source, uint64_t tag, void *content);

/* Whether it goes from a process to itself through the loop of its NICs, which may read GPU memory: CUDA IPC opens no handle of its own
 * process (openucx/ucx v1.11.1: uct_cuda_ipc_iface_is_reachable, ucp_wireup_add_rma_bw_lanes). Libraries that wait for copies make one. */
bool message_loops(const struct ucx_message *message);

/* Gives a message its receive, and so its protocol; then the protocol's eager_matched or
 * rendezvous_matched is to be called. */
void message_match(struct ucx_message *message, const struct ucx_receive *receive);

/* Ends one side: its callback, and the message itself if the other side is done with it, too. */
void message_end_receive(struct ucx_message *message);
void message_end_send(struct ucx_message *message);

/* --- fragment.c ---------------------------------------------------------------------------------- */

void fragment_queue_put(struct fragment_queue *queue, struct fragment *fragment);
struct fragment *fragment_queue_get(struct fragment_queue *queue);

static inline struct fragment *fragment_queue_first(const struct fragment_queue *queue)
{
    return LIST_FIRST(&queue->list, struct fragment, link);
}

struct fragment *fragment_new(struct ucx_message *message, int64_t bytes, fragment_fn *take);
static inline void fragment_free(struct fragment *fragment)
{
    pool_give(&fragment->at->ucx->fragments, fragment);
}

/* What the core owes passes first, with the post to a NIC. The fragment, `bytes` of it on the wire, goes to
 * the other side's inbox: by shared memory, or by a NIC's write of `bytes`, inside its command if they are
 * few and it may be (GPU memory is not loaded into commands). In order if it has a channel. */
void fragment_post(struct fragment *fragment, struct ucx_worker *from, struct ucx_worker *to,
                   int64_t bytes, bool may_inline);

/* A control message: fragment_post with its cost. */
void fragment_post_control(struct fragment *fragment, struct ucx_worker *from,
                           struct ucx_worker *to);

/* A NIC's write of fragment->bytes from `from`'s host memory to the message's receiver's; `from` takes it up when
 * it is completed. */
void fragment_write(struct fragment *fragment, struct ucx_worker *from);

/* A NIC's read of fragment->bytes over fragment->rail, between the memories of the message's two blocks; the
 * receiver takes it up when it is completed. */
void fragment_read(struct fragment *fragment);

/* A GPU copy of from.bytes in `stream`; `worker` takes the fragment up when it finds the copy ended: by event queries in its
 * progress, or now, after synchronizing the stream, if the library does so. */
void fragment_copy(struct fragment *fragment, struct ucx_worker *worker, struct cuda_stream *stream,
                   struct fragment_queue *copies, struct block to, struct block from);

/* Takes up what has arrived in the inbox. */
bool fragment_take_arrivals(struct ucx_worker *worker);

/* Queries the events of copies under way and takes up those that have ended. */
bool fragment_take_copies(struct ucx_worker *worker, struct fragment_queue *copies);

/* Whether either would find something. */
bool fragment_waits(const struct ucx_worker *worker);

/* --- buffers.c: what a worker keeps ------------------------------------------------------------- */

/* The channel to rank `to`, made at the first call. The functions below take time of the worker's core: they find out
 * to which memory a block belongs, and register it (which takes less if it is registered already). */
struct channel *worker_channel(struct ucx_worker *worker, int32_t to);
void worker_look_up(struct ucx_worker *worker, struct block block); /* whose memory (M-123) */

/* The stream kept at `place`, one of the worker's own, made at the first call. */
struct cuda_stream *worker_stream(struct ucx_worker *worker, struct cuda_stream **place);

/* A pinned buffer of the library's. */
struct block worker_buffer(const struct ucx_worker *worker, int64_t bytes);

/* The core copies `block` into a library buffer, or out of one into `block`; `kind` is where a host copy
 * finds the buffer. */
void worker_pack(struct ucx_worker *worker, struct block block);
void worker_unpack(struct ucx_worker *worker, struct block block, enum host_copy_kind kind);

/* --- eager.c, rendezvous.c, staging.c ----------------------------------------------------------- */

/* Whether the block goes eagerly by its size, its memory and the distance; if not, by rendezvous. Each protocol begins a
 * message at the sender, and goes on (`matched`) once the receiver has both the message and its receive. */
bool eager_fits(struct ucx_worker *from, const struct channel *channel, struct block source);
void eager_send(struct ucx_message *message, struct channel *channel);
void eager_matched(struct ucx_message *message);
void rendezvous_announce(struct ucx_message *message, struct channel *channel);
void rendezvous_matched(struct ucx_message *message);
void staging_receive(struct ucx_message *message);

/* A message's first fragment has been taken up: true if a receive was posted for it, else it waits in the
 * unexpected queue. */
bool worker_match(struct ucx_worker *worker, struct ucx_message *message);
