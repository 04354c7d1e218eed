/* SPDX-License-Identifier: BSD-3-Clause */
/* What a workload may ask for, whatever design is configured: put, get, put with signal, send, receive,
 * wait, fence, quiet, barrier, compute. A workload's program runs as *parties*; it never knows whether a
 * party is a work-group inside a kernel, whose requests a server, the NIC or itself carries out
 * (transfer_device.c on protocols/shmem/device_library.h), or a rank on a core whose runtime moves the GPU's
 * data (transfer_messenger.c on protocols/runtimes/messenger.h).
 *
 * What the two worlds make of it:
 *
 *                   work-groups                               ranks
 *   put, get        one-sided, no program runs there          a request that the peer's program serves
 *                                                             (transfer_serve), as two-sided runtimes do it
 *   put with signal payload, and behind it a word             a message; the signal is its tag
 *   wait for signal polls the word                            receives that message
 *   send, receive   put with signal into the buffer that      messages on the runtime, tag matching,
 *                   both sides know, as a channel             channels or entry methods
 *   quiet, fence    the context's                             all that was sent is complete
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "models/job.h"
#include "protocols/design.h"
#include "protocols/runtimes/messenger.h"
#include "workloads/interface/workload.h"

/* Whether parties can be made of the design, of either world; whether work-groups can. True, or false and one sentence. */
bool transfer_accepts(const struct design *design, GError **error);
bool transfer_accepts_kernel(const struct design *design, GError **error);

struct service; /* protocols/shmem/service.h */
struct world;   /* a machine with parties on it */

/* A buffer that every party has one of, and words that are signalled; known by their number. */
struct transfer_buffer {
    int32_t number;
};
struct transfer_signals {
    int32_t number;
};

enum transfer_memory {
    TRANSFER_PAYLOAD, /* where the design keeps payloads; of a rank in its GPU's memory */
    TRANSFER_HOST,    /* pageable host memory of a rank; no work-group has that */
    TRANSFER_PINNED,  /* likewise, pinned */
};

/* Work-groups of a kernel beside its parties and held ones, with no queue. Each reads a buffer of its own in the GPU's memory
 * and writes another, again and again until `is_over`. The caller's, until world_free. */
struct transfer_streams {
    int64_t groups;
    int64_t buffer_bytes;
    int64_t lines; /* that a wavefront keeps in flight */
    bool is_over;
    struct stat_counter *streamed; /* counts bytes read and written; NULL for none */
};

struct world_setup {
    const struct design *design; /* NULL: ranks on CPU cores that use their GPUs and send nothing */
    struct world
        *beside;   /* on whose machine it is, too, and which outlives it; NULL: on one of its own */
    uint64_t seed; /* of a machine of its own */
    bool
        is_application; /* no benchmark: on many nodes its cores are interrupted (models/noise/noise.h) */
    const struct job_place *places; /* GPUs, one a place; NULL: the first ones of as many nodes */
    int64_t place_count;
    int64_t groups; /* parties a place: work-groups of its kernel, ranks with a core each; 0: one */

    int64_t threads; /* work-items a work-group, of kernels that ranks launch, too */

    /* of work-groups only */
    bool in_kernel; /* the workload uses what only work-groups have: designs of ranks are refused */
    int64_t
        held_groups; /* work-groups beside the parties, of the same kernel, all of which run at once: parties do
                            their part of loops for them */
    int64_t
        queues; /* of a place, for its first parties: the others only compute; more stay empty; 0: one each */
    struct transfer_streams *streams; /* of the only served place; NULL: none */
    int64_t post;                     /* how parties post to queues: enum ring_post */
    sim_time nop_ps;                  /* that a server spends on a nop */
    int64_t
        served_places; /* the first so many have a service; the others are targets only; 0: all have */
    bool is_cooperative;
    int64_t heap_bytes; /* a place: transfer_heap_bytes of all buffers and signals */

    /* of ranks only */
    const int64_t *
        servers; /* server of a design for each place, whose cores run its ranks; NO_SERVER, or NULL: as the
                               design says */
    int64_t stack_bytes; /* of a party's process; 0: as usual (process_spawn) */
    bool has_channels;   /* parties send and receive */
    bool has_barrier;    /* parties call transfer_barrier; all places are served */
};

/* One that executes the program. Party number = place * groups + group. */
struct party {
    struct world *world;
    int64_t place, group;
    uint64_t barriers;  /* passed so far */
    uint64_t iteration; /* of work-groups, under way, as observers know it; 0: none */
    bool is_iterating;  /* of a rank */
    void *own;          /* the world's */
};
typedef void party_program(struct party *party, void *argument);

/* Whether ranks of the design may run on cores of `server` (as a design's) instead. True, or false and one sentence. */
bool transfer_runs_on(const struct design *design, int64_t server, GError **error);

/* Names of servers for a parameter of a workload: the first, NO_SERVER, is "design". */
extern const char *const transfer_server_names[];

/* The first `gpus_per_node` GPUs of each of the first `nodes` nodes, node by node; freed with g_free. NULL with one
 * sentence if nodes have fewer, or if it is one GPU in all. */
struct job_place *world_places(const struct machine_spec *machine, int64_t nodes,
                               int64_t gpus_per_node, GError **error);

/* NULL with one sentence if the machine cannot be built, has no such places, or the design cannot do it.
 * `machine` is kept by the caller until world_free. */
struct world *world_new(const struct machine_spec *machine, const struct world_setup *setup,
                        GError **error);
void world_free(struct world *world);

/* A buffer of `bytes` > 0 for each group of each place; `count` signals for each group of each place. Before
 * world_run. */
struct transfer_buffer world_buffer(struct world *world, int64_t bytes,
                                    enum transfer_memory memory);
struct transfer_signals world_signals(struct world *world, int64_t count);

/* Heap of a place that `groups` buffers of `bytes`, or as many times `count` signals, take. */
int64_t transfer_heap_bytes(int64_t groups, int64_t bytes);
int64_t transfer_signal_bytes(int64_t groups, int64_t count);

/* Runs `program` as every party, with arguments[place], until all have ended. `idle` places (from
 * served_places on) run it only as ranks. False with one sentence, and lines, if it ends in a deadlock. */
bool world_run(struct world *world, party_program *program, void *const *arguments, GError **error);

/* As world_run, for `count` worlds on one machine at the same time: programs[world] is called with
 * arguments[world][place]. */
bool worlds_run(struct world *const *worlds, size_t count, party_program *const *programs,
                void *const *const *arguments, GError **error);

/* What takes the time of a kernel's work: its work-groups' own clocks, or two events of a stream around the kernel. */
enum timed_by { TIMED_BY_KERNEL, TIMED_BY_EVENTS };
extern const char *const timed_by_names[]; /* for PARAM_ENUM */

/* Whether a design can be timed so; false and the reason: a rank is no kernel. */
bool transfer_can_be_timed(const struct design *design, int64_t timed_by, GError **error);

/* What such events see beside the work-groups: launch and end (cuda.timed_kernel); 0 by TIMED_BY_KERNEL. Notes that it is read. */
sim_time transfer_seen_by_events_ps(const struct world *world, int64_t timed_by);

struct sim *world_sim(const struct world *world);
struct cluster *world_cluster(const struct world *world);

/* Of a world of work-groups (another is a failed check): the first place's service, for its statistics; how long the host
 * sees its kernel. world_settle brings statistics up to the present, before they are reset or read in a run. */
struct service *world_service(const struct world *world);
sim_time world_kernel_ps(const struct world *world);
void world_settle(const struct world *world);

/* Of a world of ranks (another is a failed check): its job and its runtime, and a party's buffer as CUDA knows it. */
struct job *world_job(const struct world *world);
struct runtime *world_runtime(const struct world *world);
struct block transfer_block(const struct party *party, int64_t place, struct transfer_buffer buffer,
                            int64_t bytes);

/* What only work-groups have: words, since a rank's signals are messages; and posts that are waited for by transfer_quiet, since
 * a rank's puts and gets are served by its peer's program. Calls by a rank are a failed check. */
bool world_has_words(const struct world *world);

/* Non-blocking: waited for by transfer_quiet. `lanes` (1 .. DEVICE_LANES) put alike, with one doorbell where work-groups
 * serve themselves. */
void transfer_post_get(struct party *party, int64_t place, int64_t group,
                       struct transfer_buffer buffer, int64_t bytes);
void transfer_post_put(struct party *party, int64_t place, int64_t group,
                       struct transfer_buffer buffer, int64_t bytes);
void transfer_post_put_lanes(struct party *party, int64_t place, int64_t group,
                             struct transfer_buffer buffer, int64_t bytes, int64_t lanes);
void transfer_post_put_signal(struct party *party, int64_t place, int64_t group,
                              struct transfer_buffer buffer, int64_t bytes,
                              struct transfer_signals signals, int64_t index, uint64_t value);

/* An operation that goes only to the server and back; `count` of them, posted together, then waited for one by one
 * (device_nops). */
void transfer_nop(struct party *party);
void transfer_nops(struct party *party, int64_t count);

/* Whose wait for others of the same run takes no simulated time (core/wait.h). */
struct process *party_process(const struct party *party);

/* The lines of signals as a buffer that is put and got: of each party those from the first one on. */
struct transfer_buffer transfer_lines(struct transfer_signals signals);

/* A blocking put of a word alone: `value`, without its highest byte. */
void transfer_put_word(struct party *party, int64_t place, int64_t group,
                       struct transfer_signals signals, int64_t index, uint64_t value);

/* The party itself loads, behind an acquire, or stores, and releases, a word that is signalled, its own. */
uint64_t transfer_load_word(struct party *party, struct transfer_signals signals, int64_t index);
void transfer_store_word(struct party *party, struct transfer_signals signals, int64_t index,
                         uint64_t value);

/* Changes the word of signal `index` of party (place, group) by an atomic, whose `compare` is ATOMIC_COMPARE_SWAP's. Blocking;
 * what the word was. */
uint64_t transfer_atomic(struct party *party, int64_t place, int64_t group,
                         struct transfer_signals signals, int64_t index, enum atomic_op op,
                         uint64_t operand, uint64_t compare);

/* Sets the signal `index` of party (place, group) alone, which is not ordered behind what was put before and whose end
 * nobody waits for. Waited for as others, with TRANSFER_SIGNAL_BYTES. */
#define TRANSFER_SIGNAL_BYTES 8
void transfer_set_signal(struct party *party, int64_t place, int64_t group,
                         struct transfer_signals signals, int64_t index, uint64_t value);

/* A party says that the measured part of the run begins or ends now, which is its time: energy is that of this part. What was drawn
 * between two readings counts so many times more (models/run_energy.h). */
void world_measures_from(const struct world *world, sim_time now_ps);
const struct run_energy *world_measures_to(const struct world *world, sim_time now_ps);
void world_measures_again(const struct world *world, const struct run_energy *from,
                          const struct run_energy *to, int64_t times);

/* The same at the end of a warm-up: what was recorded of operations is forgotten, too. */
void world_reset(struct world *world, sim_time now_ps);

/* What two parties of a world add up to, for workloads that watch whether iterations repeat themselves: numbers that only
 * grow, and behind them levels. None of work-groups: they poll, and never repeat themselves exactly. `places` are
 * the two parties', each the only one of its place; world_report_totals gives what they have grown by, per message. */
struct world_totals {
    size_t totals, levels;
};
struct world_totals world_totals(const struct world *world);
void world_gather(const struct world *world, const int64_t *places, int64_t *numbers);
void world_report_totals(const struct world *world, const int64_t *totals, int64_t messages,
                         struct workload_result *result);

/* Latencies of the operations of the first place, if the world records them; else NULL. */
const struct stat_histogram *world_latencies(const struct world *world);

/* What the world measures by itself: energy, as workload_observe; stages of operations, polls, events. */
void world_report(const struct world *world, double units, struct workload_result *result);

/* --- called by a party -------------------------------------------------------------------------- */

/* The simulated time at which the party is, in ps. */
sim_time party_now(const struct party *party);

/* Blocking: `bytes` of the party's own buffer from or to that of party (place, group). */
void transfer_get(struct party *party, int64_t place, int64_t group, struct transfer_buffer buffer,
                  int64_t bytes);
void transfer_put(struct party *party, int64_t place, int64_t group, struct transfer_buffer buffer,
                  int64_t bytes);

/* Serves the gets and puts of party (place, group) until that calls transfer_leave: nothing to do where
 * memory serves itself. */
void transfer_serve(struct party *party, int64_t place, int64_t group);
void transfer_leave(struct party *party, int64_t place, int64_t group);

/* A put, blocking where memory takes it, and behind it the signal `index` with `value`; a rank's is complete at its
 * next wait for a signal, put with signal or quiet. Waits until the party's own signal `index` is `value`, which
 * (place, group) writes. */
void transfer_put_signal(struct party *party, int64_t place, int64_t group,
                         struct transfer_buffer buffer, int64_t bytes,
                         struct transfer_signals signals, int64_t index, uint64_t value);
void transfer_wait_signal(struct party *party, int64_t place, int64_t group,
                          struct transfer_buffer buffer, int64_t bytes,
                          struct transfer_signals signals, int64_t index, uint64_t value);

/* Non-blocking: a message on `channel` (0 .. TRANSFER_CHANNELS - 1), in order on each, which the same two
 * parties use throughout. Sender and receiver name the same buffer; `message` is the caller's, in place until
 * transfer_wait has returned. A window's `count` messages to one party are staged together, where a rank's program
 * stages them (messenger_send_window). */
#define TRANSFER_CHANNELS 3
void transfer_send(struct party *party, struct message *message, int64_t place, int64_t group,
                   int32_t channel, struct transfer_buffer buffer, int64_t bytes);
void transfer_send_window(struct party *party, struct message *messages, size_t count,
                          int64_t place, int64_t group, int32_t channel,
                          struct transfer_buffer buffer, int64_t bytes);
void transfer_receive(struct party *party, struct message *message, int64_t place, int64_t group,
                      int32_t channel, struct transfer_buffer buffer, int64_t bytes);
void transfer_wait(struct party *party, struct message *messages, size_t count);

/* The same, but a work-group does not wait for its sends: it will not write their buffers before it has received what
 * shows that they have come. */
void transfer_wait_received(struct party *party, struct message *messages, size_t count);

/* All that this party has put or sent is complete; what it puts later does not overtake what it put
 * before. */
void transfer_quiet(struct party *party);
void transfer_fence(struct party *party);

/* All parties of this group number, one a place, have come here. */
void transfer_barrier(struct party *party);

/* All parties of this place have come here. */
void transfer_group_barrier(struct party *party);

/* All parties of all places have: those of each meet, the first ones of all places meet, and let the others go. */
void transfer_barrier_all(struct party *party);

/* A benchmark begins one of its repeats: work-groups that have left a barrier of their group number, or, with `is_whole`, of all
 * parties, go on at one moment, when the last of them has. No part of the machine does that: what one place leaves the barrier
 * later than another is no time of what is measured. Ranks go on at once. */
void transfer_begin_repeat(struct party *party, bool is_whole);

/* The party computes for that long. */
void transfer_compute(struct party *party, sim_time duration_ps);

/* What the party does from one to the other (at `at_ps`, which may be when others of its place have ended) is an iteration of its
 * place, if somebody wants to know where the time of iterations goes: launch, kernel, copy, messages that nothing hides, its
 * core's work.*/
void transfer_begin_iteration(struct party *party);
void transfer_end_iteration(struct party *party, sim_time at_ps);

/* Ends the last iteration of a place when its last party of `parties` comes here. The first one, which began it, may be gone by then. */
struct place_end {
    uint64_t iteration; /* the first party's, as observers know it */
    int64_t count;      /* parties that have ended */
    sim_time last_ps;
};
void transfer_end_last(struct party *party, struct place_end *end, int64_t parties);

/* Iterations of a world that is over were not simulated, since they are like others. */
void world_counted_on(struct world *world, const struct observe_repeat *repeat);

/* Equal steps over elements of data. */
struct transfer_loop {
    int64_t elements;
    int64_t flops, bytes; /* of an element, loaded and stored */
    int64_t
        working_set_bytes; /* of the place: what it comes back to when it runs again; a cache may hold it */
    int64_t
        groups; /* work-groups that do it together: the party, and held ones beside it; ranks have no such */
    int64_t in_flight_bytes; /* as in struct gpu_work, as `is_mixed`; of kernels alone */
    bool is_mixed;
};

/* The party's device works through the loop: work-groups by themselves; a rank by a kernel that it launches on one of its
 * GPU's streams, `lane` (0 .. TRANSFER_LANES - 1), which goes on beside it; or, where the design keeps payloads in host
 * memory, with its share of the socket's cores. */
#define TRANSFER_LANES 2
void transfer_loop(struct party *party, int lane, const struct transfer_loop *loop);

/* All loops of the lane are over. */
void transfer_finish(struct party *party, int lane);
