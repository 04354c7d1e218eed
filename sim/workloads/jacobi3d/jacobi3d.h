/* SPDX-License-Identifier: BSD-3-Clause */
/* Inside Jacobi3D: a 7-point stencil in three dimensions on GPUs (ParCo22 section 4.3, Async22 sections II to IV; M-037 to
 * M-053, M-089 to M-104, M-109 to M-112, M-124, M-125).
 *
 *   jacobi3d.c          parameters, the run, what it measures
 *   jacobi3d_chare.c    programs of chares, driven by messages: Charm++ entry methods, GPU Messaging API, Channel API
 *   jacobi3d_rank.c     programs that wait: MPI, AMPI, Charm4py; a block a rank
 *   jacobi3d_threads.c  host threads of one process, one a GPU, that copy faces themselves
 *   jacobi3d_gpu.c      a block's streams, kernels, copies and graphs
 *   jacobi3d_cost.c     what each kernel costs
 *   jacobi3d_field.c    the data, for small grids
 *   jacobi3d_observe.c  what observers are told of it
 *   block_grid.c        decomposition */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/pool.h"
#include "core/stat.h"
#include "models/job.h"
#include "protocols/runtimes/messenger.h"
#include "workloads/patterns/block_grid.h"
#include "workloads/patterns/carry.h"
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

/* What a kernel does, in this order: faces by bits. */
struct jacobi_work {
    uint8_t unpacked;
    enum jacobi_part updated;
    uint8_t packed;
};

#define CELL_BYTES 8

struct jacobi_field; /* a block's data; NULL: none are carried */

/* A block of the grid: a chare, or what a rank has. */
struct jacobi_block {
    struct jacobi3d *run;
    struct jacobi_pe *pe;
    int64_t number;
    int64_t neighbours[FACES]; /* -1: none */
    uint8_t faces;             /* with a neighbour, by bits */
    int face_count;
    int64_t iteration; /* at work on, from 0 */
    struct jacobi_field *field;

    /* on the GPU */
    struct cuda_stream *compute, *comm, *to_device, *to_host, *graph;
    struct cuda_completion updated, unpacked; /* events: comm waits for compute, compute for comm */
    struct cuda_completion packed[FACES];     /* to_host waits for comm */
    struct cuda_completion copied[FACES];     /* comm waits for to_device */
    struct cuda_graph *graphs[2];             /* by the iteration's parity */
    struct jacobi_node *nodes;                /* of them */
    int unpacked_left
        [2]; /* faces that kernels have still to unpack, by the iteration's parity: the host may be one ahead */

    /* the exchange */
    struct message receives[FACES];
    int pending;   /* completions that the exchange waits for */
    uint8_t early; /* faces that came an iteration early */
    bool is_exchanging;
    sim_time exchange_ps[2];     /* when it began, by the iteration's parity */
    sim_time timer_ps, ended_ps; /* when the papers' timer did; when the iteration before ended */
};

/* A process with its GPU. */
struct jacobi_pe {
    struct jacobi3d *run;
    struct job_process *process;
    struct charm_pe *charm; /* NULL: no chares */
    int32_t rank;
    int64_t working_blocks; /* that have iterations to do */
    int64_t sends;          /* not done */
    bool has_met;           /* of a thread that waits for the others: they have come */
};

/* Measures other than the iteration's time, as sums over blocks and measured iterations. */
struct jacobi_sums {
    sim_time timer_ps; /* of block 0, as the papers' programs take it (M-110) */
    sim_time
        exchange_ps; /* of all: from the update's end, and the first pack's launch, to the end of the last unpack */
    int64_t timers, exchanges, early; /* how many; messages that came an iteration early */
    int64_t ahead_bytes,
        messages; /* sum over messages to other nodes of what their node had under way */
    sim_time cpu_ps[CPU_ACCOUNTS]; /* of all PEs */
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
    int64_t *leaving_bytes; /* by node: of messages to other nodes that are under way */
    int64_t met;            /* threads that have come to where they meet */
    bool is_staged;         /* GPU data go by host memory, copied by the program */
    bool is_announced;      /* GPU Messaging API: receives are posted as the host message comes */
    struct observe_origin iterations_origin, messages_origin; /* as observers know them */
    bool counts_sends; /* the exchange is over when its sends are, too */
    struct pool operations, messages;
    struct steady_stop pace;         /* iterations by block */
    struct stat_units iterations;    /* those that are measured, one behind the other */
    struct jacobi_sums sums, before; /* up to now, and as the warm-up ended */
    struct carry *carry;
    char *wrong; /* what the check found first */
};

/* --- jacobi3d.c ----------------------------------------------------------------------------------- */

/* The block's iteration is over. */
void jacobi_iteration_ended(struct jacobi_block *block);

/* Begins and ends the papers' timer of communication. */
void jacobi_timer_starts(struct jacobi_block *block);
void jacobi_timer_stops(struct jacobi_block *block);

/* A face's message begins, or has been received by `block`: counts what its node has under way to others. */
void jacobi_leaves(struct jacobi_block *block, int face);
void jacobi_arrives(const struct jacobi_block *block, int face);

/* Bytes of the message of a face, 0 to 5: its cells, 8 times as many with `oversized_halo`. */
int64_t jacobi_face_bytes(const struct jacobi3d *run, int face);

/* --- jacobi3d_cost.c ------------------------------------------------------------------------------ */

/* The kernel that does this work of one block: its work-groups, and what each of them computes and moves (probe/README.md has the
 * source). */
struct kernel jacobi_kernel(const struct jacobi3d *run, const struct gpu_spec *gpu,
                            struct jacobi_work work);

/* --- jacobi3d_gpu.c ------------------------------------------------------------------------------- */

/* Streams, and graphs where there are any; of the block's process, on its core. */
void jacobi_gpu_open(struct jacobi_block *block);
void jacobi_gpu_close(struct jacobi_block *block);
size_t jacobi_gpu_operation_bytes(void); /* of jacobi3d.operations */

/* Waits until all that was launched has ended. */
void jacobi_gpu_finish(struct jacobi_block *block);

/* What the block launches from iteration to iteration. Packs its faces, and copies them to the host where the program
 * stages: all that is in the returned stream then is what the sends wait for. The stream has nothing new where packing is part of
 * another kernel. */
struct cuda_stream *jacobi_gpu_pack(struct jacobi_block *block);

/* Packs for the first exchange, where later ones are packed by what updates. */
void jacobi_gpu_pack_first(struct jacobi_block *block);

/* A face has come: copies it to the GPU where the program stages, and unpacks it, if that is not a part of something else. */
void jacobi_gpu_take(struct jacobi_block *block, int face);

/* All faces have come, or all that `part` needs: what else is to be unpacked, and the update. */
void jacobi_gpu_update(struct jacobi_block *block, enum jacobi_part part);

/* All kernels of an iteration behind one another, or its graph, for who exchanges before and waits behind. */
void jacobi_gpu_iterate(struct jacobi_block *block);

/* A packed face goes to the neighbour's GPU, or to the own host memory; and from the neighbour's host memory to the GPU. In
 * the stream `comm`. */
void jacobi_gpu_give(struct jacobi_block *block, int face);
void jacobi_gpu_fetch(struct jacobi_block *block, int face);

/* Where a face is sent from and received into. */
struct block jacobi_gpu_buffer(const struct jacobi_block *block, int face, bool is_receive);

/* Whether faces go by no runtime. */
static inline bool jacobi_has_threads(const struct jacobi3d_spec *spec)
{
    return spec->exchange != EXCHANGE_RUNTIME;
}

static inline bool jacobi_packs_apart(const struct jacobi3d_spec *spec)
{
    return !spec->graph && spec->fusion != FUSION_UPDATE_PACK && spec->fusion != FUSION_C;
}

/* --- jacobi3d_observe.c --------------------------------------------------------------------------- */

/* As messenger_start; a send's message begins, for those who observe it. `count` of the block's sends are done; a receive of it is.
 * `iteration` has ended for all blocks; all have, as the world has. */
void jacobi_start(struct jacobi_block *block, struct message *message);
void jacobi_observe_sent(const struct jacobi_block *block, int count);
void jacobi_observe_received(const struct jacobi_block *block, const struct message *message);
void jacobi_observe_iteration(struct jacobi3d *run, int64_t iteration);
void jacobi_observe_ended(struct jacobi3d *run);
void jacobi_observe_open(struct jacobi3d *run);

/* --- jacobi3d_field.c ----------------------------------------------------------------------------- */

bool jacobi_field_fits(const struct jacobi3d *run, GError **error);
void jacobi_field_open(struct jacobi_block *block); /* with the start values */
void jacobi_field_close(struct jacobi_block *block);

/* What happens to the data when a kernel or a copy of the face has ended; of the iteration's parity. */
void jacobi_field_kernel(struct jacobi_block *block, struct jacobi_work work, int parity);
void jacobi_field_to_host(struct jacobi_block *block, int face);
void jacobi_field_to_device(struct jacobi_block *block, int face);

/* Or of a copy of what the neighbour packed, from its GPU or host memory. */
void jacobi_field_from_neighbour(struct jacobi_block *block, int face);

/* A message with the face sets out, or has come. */
void jacobi_field_send(struct jacobi_block *block, int face);
void jacobi_field_receive(struct jacobi_block *block, int face);

/* Compares all blocks with a plain loop over the whole grid after `iterations`. */
void jacobi_field_compare(struct jacobi3d *run, int64_t iterations);

/* --- programs ------------------------------------------------------------------------------------- */

party_program jacobi_chares, jacobi_rank, jacobi_thread;
