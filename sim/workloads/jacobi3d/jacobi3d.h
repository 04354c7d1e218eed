/* SPDX-License-Identifier: BSD-3-Clause */
/* Inside Jacobi3D: a 7-point stencil in three dimensions on GPUs (ParCo22 section 4.3, Async22 sections II to IV; M-037 to
 * M-053, M-089 to M-104, M-109 to M-112, M-124, M-125).
 *
 *   jacobi3d.c          parameters, the run, what it measures, and what observers are told
 *   jacobi3d_chare.c    programs of chares, driven by messages: Charm++ entry methods, GPU Messaging API, Channel API
 *   jacobi3d_rank.c     programs that wait: MPI, AMPI, Charm4py; one block for each rank
 *   jacobi3d_threads.c  host threads of one process, one for each GPU, that copy faces themselves
 *   jacobi3d_gpu.c      a block's streams, kernels, copies and graphs
 *   jacobi3d_cost.c     what each kernel costs
 *   jacobi3d_field.c    the data, for small grids
 *   block_grid.c        decomposition */
#pragma once

#include "core/pool.h"
#include "core/stat.h"
#include "models/job.h"
#include "protocols/runtimes/messenger.h"
#include "workloads/patterns/block_grid.h"
#include "workloads/patterns/steady_stop.h"
#include "workloads/transfer/transfer.h"

enum jacobi_scaling { SCALING_WEAK, SCALING_STRONG };
enum jacobi_completion { COMPLETION_ASYNC, COMPLETION_SYNC };
enum jacobi_exchange { EXCHANGE_RUNTIME, EXCHANGE_PEER, EXCHANGE_STAGED };
enum jacobi_threads { THREADS_MAX, THREADS_SUM };
enum jacobi_fusion { FUSION_NONE, FUSION_A, FUSION_UNPACK, FUSION_B, FUSION_UPDATE_PACK, FUSION_C };
enum jacobi_check {
    CHECK_NONE,
    CHECK_TRUE,
    FAULT_WRONG_FACE,
    FAULT_EARLY_PACK,
    FAULT_EARLY_UPDATE
};

struct jacobi3d_spec {
    struct design design;
    int64_t nodes, gpus, grid, scaling, odf, iterations, warmup;
    double tolerance;
    int64_t optimised, completion, priorities;
    int64_t exchange, fusion, fused_threads;
    int64_t graph, overlap, oversized_halo;
    int64_t check;
};

/* Parts of a block that a kernel updates. */
enum jacobi_part { PART_NONE, PART_ALL, PART_INTERIOR, PART_EXTERIOR };

/* The work of a kernel, in this order; faces are bit masks. */
struct jacobi_work {
    uint8_t unpacked;
    enum jacobi_part updated;
    uint8_t packed;
};

#define CELL_BYTES 8

struct jacobi_field; /* a block's data; NULL: no data are carried */

/* A block of the grid: that of a chare or of a rank. */
struct jacobi_block {
    struct jacobi3d *run;
    struct jacobi_pe *pe;
    int64_t number;
    int64_t neighbours[FACES]; /* -1: none */
    uint8_t faces;             /* faces with a neighbour, as a bit mask */
    int face_count;
    int64_t iteration; /* the current iteration, from 0 */
    struct jacobi_field *field;

    /* on the GPU */
    struct cuda_stream *compute, *comm, *to_device, *to_host, *graph;
    /* events: stream comm waits for compute, compute for comm */
    struct cuda_completion updated, unpacked;
    struct cuda_completion packed[FACES]; /* events: stream to_host waits for comm */
    struct cuda_completion copied[FACES]; /* events: stream comm waits for to_device */
    struct cuda_graph *graphs[2];         /* by the iteration's parity */
    struct jacobi_node *nodes;            /* nodes of the graphs */
    /* faces that kernels still have to unpack, by the iteration's parity, since the host may be one iteration ahead */
    int unpacked_left[2];

    /* the exchange */
    struct message receives[FACES];
    int pending;   /* completions that the exchange still waits for */
    uint8_t early; /* faces that came an iteration early */
    bool is_exchanging;
    sim_time exchange_ps[2];     /* start of the exchange, by the iteration's parity */
    sim_time timer_ps, ended_ps; /* start of the papers' timer; end of the iteration before */
};

/* An operation in a stream, whose end matters for the data and for the times. */
enum jacobi_operation_kind { KERNEL, TO_HOST, TO_DEVICE, FROM_NEIGHBOUR };
struct jacobi_operation {
    struct cuda_completion completion;
    struct jacobi_block *block;
    enum jacobi_operation_kind kind;
    struct jacobi_work work;
    int face, parity;
};

/* A process with its GPU. */
struct jacobi_pe {
    struct jacobi3d *run;
    struct job_process *process;
    struct charm_pe *charm; /* NULL: no chares */
    int32_t rank;
    int64_t working_blocks; /* blocks that still have iterations to do */
    int64_t sends;          /* sends that are not done */
    bool has_met;           /* for a thread that waits for the others: they have come */
};

/* Measures other than the iteration's time, as sums over blocks and measured iterations. */
struct jacobi_sums {
    /* communication time of block 0, as the papers' programs measure it (M-110) */
    sim_time timer_ps;
    /* of all blocks: from the end of the update, or the launch of the first pack, to the end of the last unpack */
    sim_time exchange_ps;
    int64_t timers, exchanges, early; /* counts; messages that came an iteration early */
    int64_t ahead_bytes,
        messages; /* sum over messages to other nodes of the bytes that their node had under way */
    sim_time cpu_ps[CPU_ACCOUNTS]; /* time of all PEs */
    sim_time gpu_busy_ps, kernels_ps, kernels;
};

struct jacobi3d {
    const struct jacobi3d_spec *spec;
    const struct machine_spec *machine;
    struct world *world;
    struct job *job;
    struct runtime *runtime;
    struct block_grid grid;
    int64_t block_count;
    struct jacobi_block *blocks;
    struct jacobi_pe *pes;
    int64_t pe_count;
    int64_t *leaving_bytes; /* by node: bytes of messages under way to other nodes */
    int64_t met;            /* threads that have reached the meeting point */
    bool is_staged;         /* the program copies GPU data through host memory */
    bool is_announced;      /* GPU Messaging API: a receive is posted when the host message comes */
    struct observe_origin iterations_origin, messages_origin; /* the observers' ids */
    bool counts_sends; /* the exchange ends only when its sends have ended, too */
    struct pool operations, messages;
    struct steady_stop pace;         /* iterations by block */
    struct stat_units iterations;    /* measured iterations, in order of time */
    struct jacobi_sums sums, before; /* sums up to now, and at the end of the warm-up */
    char *wrong;                     /* the first fault that the check found */
};

static inline struct cpu *jacobi_cpu(const struct jacobi_block *block)
{
    return &block->pe->process->cpu;
}

static inline bool jacobi_has_face(const struct jacobi_block *block, int face)
{
    return block->faces >> face & 1;
}

/* --- jacobi3d.c ----------------------------------------------------------------------------------- */

/* Notes that the block's iteration is over. */
void jacobi_iteration_ended(struct jacobi_block *block);

/* Begins and ends the papers' timer of communication. */
void jacobi_timer_starts(struct jacobi_block *block);
void jacobi_timer_stops(struct jacobi_block *block);

/* jacobi_start: as messenger_start, and tells observers that a send's message begins. The others tell observers that `count`
 * sends of the block are done; that a receive is done. */
void jacobi_start(struct jacobi_block *block, struct message *message);
void jacobi_observe_sent(const struct jacobi_block *block, int count);
void jacobi_observe_received(const struct jacobi_block *block, const struct message *message);

/* Bytes of the message of a face, 0 to 5: its cells, 8 times as many with `oversized_halo`. */
int64_t jacobi_face_bytes(const struct jacobi3d *run, int face);

/* --- jacobi3d_cost.c ------------------------------------------------------------------------------ */

/* The kernel that does the given work of one block: its work-groups, and what each computes and moves (probe/README.md has the
 * source). */
struct kernel jacobi_kernel(const struct jacobi3d *run, const struct gpu_spec *gpu,
                            struct jacobi_work work);

/* --- jacobi3d_gpu.c ------------------------------------------------------------------------------- */

/* Makes the block's streams and, if used, graphs; called by the block's process on its core. */
void jacobi_gpu_open(struct jacobi_block *block);
void jacobi_gpu_close(struct jacobi_block *block);

/* Waits until everything that was launched has ended. */
void jacobi_gpu_finish(struct jacobi_block *block);

/* What the block launches in each iteration. Packs its faces, and copies them to the host if the program stages; the sends wait
 * for all work in the returned stream. If packing is part of another kernel, the stream gets no new work. */
struct cuda_stream *jacobi_gpu_pack(struct jacobi_block *block);

/* Packs for the first exchange if the update packs for the later ones. */
void jacobi_gpu_pack_first(struct jacobi_block *block);

/* Handles a received face: copies it to the GPU if the program stages, and unpacks it, unless another kernel does. */
void jacobi_gpu_take(struct jacobi_block *block, int face);

/* Called when all faces that `part` needs have come: unpacks what is left and launches the update. */
void jacobi_gpu_update(struct jacobi_block *block, enum jacobi_part part);

/* Launches all kernels of an iteration in sequence, or its graph, for a program that exchanges before and waits after it. */
void jacobi_gpu_iterate(struct jacobi_block *block);

/* Copies a packed face to the neighbour's GPU, or to the process's host memory; or from the neighbour's host memory to the GPU.
 * In the stream `comm`. */
void jacobi_gpu_give(struct jacobi_block *block, int face);
void jacobi_gpu_fetch(struct jacobi_block *block, int face);

/* The buffer from which a face is sent, and the one into which it is received. */
struct block jacobi_gpu_buffer(const struct jacobi_block *block, int face, bool is_receive);

/* Whether threads copy faces themselves, without a runtime. */
static inline bool jacobi_has_threads(const struct jacobi3d_spec *spec)
{
    return spec->exchange != EXCHANGE_RUNTIME;
}

static inline bool jacobi_packs_apart(const struct jacobi3d_spec *spec)
{
    return !spec->graph && spec->fusion != FUSION_UPDATE_PACK && spec->fusion != FUSION_C;
}

/* --- jacobi3d_field.c ----------------------------------------------------------------------------- */

bool jacobi_field_fits(const struct jacobi3d *run, GError **error);
void jacobi_field_open(struct jacobi_block *block); /* with the start values */
void jacobi_field_close(struct jacobi_block *block);

/* Updates the data when a kernel or a copy of the face has ended, by the iteration's parity. */
void jacobi_field_kernel(struct jacobi_block *block, struct jacobi_work work, int parity);
void jacobi_field_to_host(struct jacobi_block *block, int face);
void jacobi_field_to_device(struct jacobi_block *block, int face);

/* The same for a copy of the face that the neighbour packed, from its GPU or host memory. */
void jacobi_field_from_neighbour(struct jacobi_block *block, int face);

/* Updates the data when a message with the face is sent, or has come. */
void jacobi_field_send(struct jacobi_block *block, int face);
void jacobi_field_receive(struct jacobi_block *block, int face);

/* Compares all blocks with a plain loop over the whole grid after `iterations`. */
void jacobi_field_compare(struct jacobi3d *run, int64_t iterations);

/* --- programs ------------------------------------------------------------------------------------- */

party_program jacobi_chares, jacobi_rank, jacobi_thread;
