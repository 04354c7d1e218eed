/* SPDX-License-Identifier: BSD-3-Clause */
/* The operations that a workload may use with any design: put, get, put with signal, send, receive, wait, fence, quiet,
 * barrier, compute. A workload's program runs as *parties*; it never knows whether a party is a work-group inside a kernel,
 * whose requests are carried out by a server, by the NIC or by itself (transfer_device.c on protocols/shmem/device_library.h),
 * or a rank on a core whose runtime moves the GPU's data (transfer_messenger.c on protocols/runtimes/messenger.h).
 *
 * How the two worlds carry them out:
 *
 *                   work-groups                               ranks
 *   put, get        one-sided, no program runs there          a request that the peer's program serves
 *                                                             (transfer_serve), as two-sided runtimes do it
 *   put with signal payload, and behind it a word             a message; the signal is its tag
 *   wait for signal polls the word                            receives that message
 *   send, receive   put with signal into the buffer that      messages on the runtime, tag matching,
 *                   both sides know, as a channel             channels or entry methods
 *   quiet, fence    the context's                             all that was sent is complete */
#pragma once

#include "models/job.h"
#include "protocols/design.h"
#include "protocols/runtimes/messenger.h"
#include "workloads/interface/workload.h"

/* Whether the design supports parties of either world; whether it supports work-groups. True, or false and one sentence. */
bool transfer_accepts(const struct design *design, GError **error);
bool transfer_accepts_kernel(const struct design *design, GError **error);

struct service; /* protocols/shmem/service.h */
struct world;   /* a machine with parties on it */
struct party;

/* A buffer of which every party has one; words of which every party has some, for signals. Both are known by a number. */
struct transfer_buffer {
    int32_t number;
};
struct transfer_signals {
    int32_t number;
};

/* What a call of a party moves or changes, and where. Each call says which fields it reads. */
struct party_call {
    int64_t place, group;            /* the other party */
    struct transfer_buffer buffer;   /* of both parties */
    int64_t bytes;                   /* of the buffer, from its beginning */
    int64_t channel;                 /* of a message: 0 .. TRANSFER_CHANNELS - 1 */
    int64_t lanes;                   /* 1 .. DEVICE_LANES */
    struct transfer_signals signals; /* the signal `index` of these */
    int64_t index;
    int64_t value, compare; /* `compare` is ATOMIC_COMPARE_SWAP's */
    enum atomic_op op;
};
typedef void transfer_call(struct party *party, const struct party_call *what);

enum transfer_memory {
    TRANSFER_PAYLOAD, /* the design's memory for payloads; for a rank its GPU's memory */
    TRANSFER_HOST,    /* pageable host memory, for ranks only */
    TRANSFER_PINNED,  /* pinned host memory, for ranks only */
};

/* Streaming work-groups of a kernel, without queues, beside its parties and `held_groups`. Each reads its own buffer in the GPU's
 * memory and writes another, repeatedly until `is_over`. The caller keeps the struct until world_free. */
struct transfer_streams {
    int64_t groups;
    int64_t buffer_bytes;
    int64_t lines; /* lines that a wavefront keeps in flight */
    bool is_over;
    struct stat_counter *streamed; /* counts bytes read and written; NULL: not counted */
};

struct world_setup {
    const struct design *design; /* NULL: ranks on CPU cores that use their GPUs and send nothing */
    /* the world whose machine it shares and which outlives it; NULL: it has its own machine */
    struct world *beside;
    int64_t
        guest; /* its number among the worlds of the machine, 0 the first's: their kernels run side by side */
    uint64_t seed; /* seed of its own machine */
    /* an application, not a benchmark: on many nodes its cores are interrupted (models/noise/noise.h) */
    bool is_application;
    /* GPUs, one for each place; NULL: the first GPUs of `place_count` nodes */
    const struct job_place *places;
    int64_t place_count;
    /* parties at each place: work-groups of its kernel, or ranks with a core each; 0: one */
    int64_t groups;

    int64_t threads; /* work-items in a work-group, also in kernels that ranks launch */

    /* only for work-groups */
    bool in_kernel; /* the workload needs work-groups: designs of ranks are refused */
    /* further work-groups of the same kernel, which all run at once: parties do their part of loops for them */
    int64_t held_groups;
    /* queues of a place, for its first parties, while other parties only compute; spare queues stay empty; 0: one for each
     * party */
    int64_t queues;
    struct transfer_streams *streams; /* streams of the only served place; NULL: none */
    int64_t post;                     /* how parties post to queues: enum ring_post */
    sim_time nop_ps;                  /* time that a server spends on a nop */
    /* how many places, from the first, have a service; the others are only targets; 0: all */
    int64_t served_places;
    bool is_cooperative;
    int64_t heap_bytes; /* heap at each place: transfer_heap_bytes of all buffers and signals */

    /* only for ranks */
    /* for each place the server (of a design) whose cores run its ranks; NO_SERVER, or NULL: the design's server */
    const int64_t *servers;
    int64_t stack_bytes; /* stack of a party's process; 0: the default of process_spawn */
    bool has_channels;   /* parties send and receive */
    bool has_barrier;    /* parties call transfer_barrier; all places are served */
};

/* A party, which executes the program. Party number = place * groups + group. */
struct party {
    struct world *world;
    int64_t place, group;
    uint64_t barriers; /* barriers passed so far */
    /* for work-groups: the observers' number of the current iteration; 0: none */
    uint64_t iteration;
    bool is_iterating; /* for ranks: an iteration is under way */
    void *own;         /* data of the world's kind */
};
typedef void party_program(struct party *party, void *argument);

/* Whether ranks of the design may run on cores of `server` (a value of the design's axis) instead. True, or false and one
 * sentence. */
bool transfer_runs_on(const struct design *design, int64_t server, GError **error);

/* Names of servers for a workload's parameter: the first name, for NO_SERVER, is "design". */
extern const char *const transfer_server_names[];

/* The first `gpus_of_node` GPUs of each of the first `nodes` nodes, node by node, and how many these are; freed with g_free. A node
 * of a kind that has fewer gives all it has. NULL with one sentence, which calls the number `name`, if the machine's nodes have
 * fewer GPUs. */
struct job_place *world_places(const struct machine_spec *machine, int64_t nodes, const char *name,
                               int64_t gpus_of_node, int64_t *count, GError **error);

/* NULL with one sentence if the machine cannot be built or has no such places, or if the design does not support the setup. The
 * caller keeps `machine` until world_free. */
struct world *world_new(const struct machine_spec *machine, const struct world_setup *setup,
                        GError **error);
void world_free(struct world *world);

/* Makes a buffer of `bytes` > 0, or `count` signals, for each group of each place. Call them before world_run. */
struct transfer_buffer world_buffer(struct world *world, int64_t bytes,
                                    enum transfer_memory memory);
struct transfer_signals world_signals(struct world *world, int64_t count);

/* How much heap of a place is taken by `groups` buffers of `bytes`, or by `groups` times `count` signals. */
int64_t transfer_heap_bytes(int64_t groups, int64_t bytes);
int64_t transfer_signal_bytes(int64_t groups, int64_t count);

/* Runs `program` as every party, with arguments[place], until all have ended. Idle places (from served_places on) run it only
 * as ranks. False with one sentence, and further lines, if it ends in a deadlock. */
bool world_run(struct world *world, party_program *program, void *const *arguments, GError **error);

/* As world_run, for `count` worlds on one machine at the same time: programs[world] is called with
 * arguments[world][place]. */
bool worlds_run(struct world *const *worlds, size_t count, party_program *const *programs,
                void *const *const *arguments, GError **error);

/* Whether two events of a stream around its kernel can time a design; false with the reason for ranks, which are no kernels. And
 * the time that they measure in addition to the work-groups: the kernel's launch and end (cuda.timed_kernel), which is noted as
 * read. */
bool transfer_can_be_timed(const struct design *design, GError **error);
sim_time transfer_seen_by_events_ps(const struct world *world);

struct sim *world_sim(const struct world *world);
struct cluster *world_cluster(const struct world *world);

/* Only for a world of work-groups (else a failed check): the first place's service, for its statistics; how long its kernel takes
 * as the host sees it. world_settle brings statistics up to the present, before they are reset or read during a run. */
struct service *world_service(const struct world *world);
sim_time world_kernel_ps(const struct world *world);
void world_settle(const struct world *world);

/* Only for a world of ranks (else a failed check): its job and its runtime, and a party's buffer as CUDA knows it. */
struct job *world_job(const struct world *world);
struct runtime *world_runtime(const struct world *world);
struct block transfer_block(const struct party *party, int64_t place, struct transfer_buffer buffer,
                            int64_t bytes);

/* Whether parties are work-groups. Only these have words, since a rank's signals are messages; and posts for which transfer_quiet
 * waits, since a rank's puts and gets are served by its peer's program. Such calls by a rank are a failed check. */
bool world_has_words(const struct world *world);

/* Non-blocking: transfer_quiet waits for them. They read the fields of transfer_get, transfer_put and transfer_put_signal. The
 * `lanes` make the same put, with one doorbell if work-groups serve themselves. */
transfer_call transfer_post_get, transfer_post_put, transfer_post_put_lanes,
    transfer_post_put_signal;

/* An operation that only goes to the server and back; `count` of them, which are posted together and then waited for one by one
 * (device_nops). */
void transfer_nop(struct party *party);
void transfer_nops(struct party *party, int64_t count);

/* The party's process, whose wait for other processes of the run takes no simulated time (core/wait.h). */
struct process *party_process(const struct party *party);

/* The lines of signals as a buffer for puts and gets, which begins with each party's first signal. */
struct transfer_buffer transfer_lines(struct transfer_signals signals);

/* A blocking put of only the word `value`, without its highest byte, to signal `index` of party (place, group). */
transfer_call transfer_put_word;

/* The party itself loads a word of its own signals, after an acquire, or stores `value` to it and releases. */
uint64_t transfer_load_word(struct party *party, const struct party_call *what);
transfer_call transfer_store_word;

/* Changes the word of signal `index` of party (place, group) by an atomic with `value` and `compare`. Blocking; returns the word's
 * old value. */
uint64_t transfer_atomic(struct party *party, const struct party_call *what);

/* Sets only the signal `index` of party (place, group) to `value`. It is not ordered behind earlier puts, and the setter does not
 * wait for its end. The receiver waits for it as for other signals, with TRANSFER_SIGNAL_BYTES. */
#define TRANSFER_SIGNAL_BYTES 8
transfer_call transfer_set_signal;

/* A party's warm-up is over at its own time `now_ps`: the measured part begins (run_energy_begins), and the records of operations
 * so far are forgotten. */
void world_reset(struct world *world, sim_time now_ps);

/* Sums over two parties of a world, for workloads that watch whether iterations repeat: totals, which only grow, followed by
 * levels. Work-groups have none: they poll, and never repeat exactly. `places` are the places of the two parties, each the only
 * party there; world_report_totals reports the growth per message. */
struct world_totals {
    size_t totals, levels;
};
struct world_totals world_totals(const struct world *world);
void world_gather(const struct world *world, const int64_t *places, int64_t *numbers);
void world_report_totals(const struct world *world, const int64_t *totals, int64_t messages,
                         struct workload_result *result);

/* Latencies of the operations of the first place, if the world records them; else NULL. */
const struct stat_histogram *world_latencies(const struct world *world);

/* Reports the world's own measures: energy, as workload_observe; stages of operations, polls, events. */
void world_report(const struct world *world, double units, struct workload_result *result);

/* --- called by a party -------------------------------------------------------------------------- */

/* The party's simulated time in ps. */
sim_time party_now(const struct party *party);

/* Blocking: `bytes` of the party's own buffer from or to that of party (place, group). */
transfer_call transfer_get, transfer_put;

/* Serves the gets and puts of party (place, group) until that party calls transfer_leave; does nothing where access is one-sided. */
transfer_call transfer_serve, transfer_leave;

/* transfer_put_signal: transfer_put, blocking where access is one-sided, followed by the signal `index` with `value`; a rank's put
 * is complete at its next wait for a signal, put with signal or quiet. transfer_wait_signal: waits until the party's own signal
 * `index` is `value`, which party (place, group) writes. */
transfer_call transfer_put_signal, transfer_wait_signal;

/* Non-blocking: `bytes` of a buffer to or from party (place, group) as a message on `channel`. Each channel keeps the order, and
 * the same two parties use it throughout. Sender and receiver name the same buffer; `message` is the caller's and must stay until
 * transfer_wait has returned. A window's `count` messages to one party are staged together, if a rank's program stages messages
 * (messenger_send_window). */
#define TRANSFER_CHANNELS 3
void transfer_send(struct party *party, struct message *message, const struct party_call *what);
void transfer_send_window(struct party *party, struct message *messages, size_t count,
                          const struct party_call *what);
void transfer_receive(struct party *party, struct message *message, const struct party_call *what);
void transfer_wait(struct party *party, struct message *messages, size_t count);

/* As transfer_wait, but a work-group does not wait for its sends: it will not write their buffers before it receives a message
 * which shows that they have arrived. */
void transfer_wait_received(struct party *party, struct message *messages, size_t count);

/* Quiet: waits until all puts and sends of this party are complete. Fence: later puts do not overtake earlier ones. */
void transfer_quiet(struct party *party);
void transfer_fence(struct party *party);

/* Waits for all parties of this group number, one at each place. */
void transfer_barrier(struct party *party);

/* Waits for all parties of this place. */
void transfer_group_barrier(struct party *party);

/* Waits for all parties of all places: the parties of each place meet, then the first parties of all places meet and release the
 * others. */
void transfer_barrier_all(struct party *party);

/* A benchmark begins a repeat: work-groups that have left a barrier of their group number, or, with `is_whole`, of all parties,
 * go on at the same moment, when the last one has left. No part of the machine does that: it keeps the skew of leaving the
 * barrier out of the measured time. Ranks go on at once. */
void transfer_begin_repeat(struct party *party, bool is_whole);

/* The party computes for `duration_ps`. */
void transfer_compute(struct party *party, sim_time duration_ps);

/* Mark the begin and the end of an iteration of the party's place, for observers of where its time goes: launch, kernel, copy,
 * messages that nothing hides, the core's work. `at_ps` may be the time when other parties of the place have ended. */
void transfer_begin_iteration(struct party *party);
void transfer_end_iteration(struct party *party, sim_time at_ps);

/* Ends the last iteration of a place when the last of its `parties` calls it. The first party, which began it, may have ended
 * before. */
struct place_end {
    uint64_t iteration; /* the observers' number of the first party's iteration */
    int64_t count;      /* parties that have ended */
    sim_time last_ps;
};
void transfer_end_last(struct party *party, struct place_end *end, int64_t parties);

/* Tells observers, after a world's run, which iterations were not simulated because they are like others. */
void world_counted_on(struct world *world, const struct observe_repeat *repeat);

/* A loop of equal steps over elements of data. */
struct transfer_loop {
    int64_t elements;
    int64_t flops, bytes; /* of one element; bytes loaded and stored */
    /* bytes of the place that the loop touches again on its next run; a cache may hold them */
    int64_t working_set_bytes;
    /* work-groups that share the loop: the party, and held ones; not for ranks */
    int64_t groups;
    int64_t in_flight_bytes; /* as in struct gpu_work, like `is_mixed`; only for kernels */
    bool is_mixed;
};

/* The party's device runs the loop. Work-groups run it by themselves. A rank launches a kernel on one of its GPU's streams,
 * `lane` (0 .. TRANSFER_LANES - 1), and goes on meanwhile; if the design keeps payloads in host memory, it uses its share of
 * the socket's cores instead. */
#define TRANSFER_LANES 2
void transfer_loop(struct party *party, int lane, const struct transfer_loop *loop);

/* Waits until all loops of the lane are over. */
void transfer_finish(struct party *party, int lane);
