/* SPDX-License-Identifier: BSD-3-Clause */
/* A GPU: compute units that run the work-groups of kernels, and the memory behind them.
 *
 * Source of the shape: ComPNet18 section 2, Fig 3 and Table 1 (GCN3). The memory is in
 * gpu/device_memory.h, what a work-group or a command processor sees of it in gpu/memory_client.h. */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/list.h"
#include "core/param.h"
#include "core/pool.h"
#include "core/sim.h"
#include "core/wait.h"
#include "fabric/bus.h"
#include "models/gpu/compute.h"
#include "models/gpu/memory_client.h"
#include "models/gpu/unit_span.h"
#include "models/memory/cache.h"
#include "models/memory/directory.h"
#include "models/memory/word_condition.h"

/* How the L2's tags are simulated: each line, or by chance (models/memory/cache.h). */
enum l2_model { L2_LINES, L2_STATISTICAL };

/* Floating-point operations of a lane's instruction: a multiply and add (GCN3's and NVIDIA's instruction sets). */
#define GPU_FLOPS_PER_INSTRUCTION 2

/* What a kernel gets of its memory's rate if reads and writes alternate: the memory's bus loses time whenever it turns. Measured of the
 * data sheet's rate: 0.854 on an H200 (inkernel_bw.tsv: local, 132 blocks of 1024, 64 MiB) and, in throughput.tsv, 0.834, and 0.848 on an H100. */
#define GPU_MIXED_SHARE 0.854

/* Component "gpu" of a machine file. */
/* Of a compute unit: GCN3. Only a GOAL schedule takes it, and then all. */
#define GPU_LDS_BYTES 65536

struct gpu_spec {
    int64_t clock_Hz;
    int64_t compute_units;
    int64_t simds_per_cu;
    int64_t waves_per_cu;         /* wavefronts a CU holds at a time */
    int64_t work_groups_per_cu;   /* likewise */
    int64_t registers_bytes;      /* of a CU, which its work-groups share out, as its LDS */
    int64_t lanes;                /* work-items a wavefront */
    int64_t instruction_cycles;   /* a wavefront's instruction on its SIMD */
    int64_t wave_in_flight_bytes; /* loads of a wavefront that are under way at a time */
    int64_t barrier_cycles;       /* work-group barrier */

    struct cache_shape l1, l2;
    int64_t l2_banks, l2_bank_cycles;
    int64_t l2_locking;         /* 0 or 1: the ISA has locked stores */
    int64_t l2_model;           /* enum l2_model */
    sim_time memory_latency_ps; /* device memory behind the L2 */
    int64_t memory_rate_Bps;
    sim_time far_partition_ps; /* of a load, to the L2's other partition and back; 0: it has one */

    sim_time bus_outbound_ps;      /* L2 to the bus port, for accesses that leave the GPU */
    sim_time bus_inbound_ps;       /* bus port to the L2, for accesses that come in */
    sim_time port_spread_ps;       /* of the ways of compute units there and back, each way */
    int64_t bus_allocates;         /* 0 or 1: lines that they miss are taken into the L2 */
    sim_time device_fence_ps;      /* least time of a release to the device scope */
    sim_time system_fence_ps;      /* least time of a release to the system scope */
    sim_time fence_gather_ps;      /* window of models/gpu/gather.h; 0: none */
    int64_t fence_reads_back;      /* 0 or 1: a release to the system reads behind posted writes */
    sim_time atomic_ps;            /* more of an atomic at the L2 than of a load there */
    sim_time atomic_gap_ps;        /* between two atomics on one line */
    sim_time peer_atomic_gap_ps;   /* between two that come from outside, if that is more */
    sim_time directory_latency_ps; /* L2 to the directory of an APU, one way */

    sim_time dispatch_gap_ps;  /* from a work-group's start to the next one's */
    int64_t copy_rate_Bps;     /* of a compute unit's loads and stores to and from other GPUs */
    sim_time kernel_launch_ps; /* from the doorbell to the first work-group */
    sim_time kernel_end_ps;    /* from the last work-group's end to the host's notice */

    int64_t idle_power_mW;    /* of the whole GPU, clocked and at rest */
    int64_t spin_power_mW;    /* more, for each work-group that polls or serves */
    int64_t memory_energy_fJ; /* of a byte that its memory reads or writes */
    int64_t
        link_energy_fJ; /* of a byte that it sends to or receives from the host or another GPU */
};
extern struct param_table gpu_params;

/* Power of a GPU in milliwatts while `spinning` work-groups poll, and its memory moves `memory_Bps` for the GPU itself
 * and `link_Bps` for its links (all at least 0). */
double gpu_power_mW(const struct gpu_spec *spec, int64_t spinning, double memory_Bps,
                    double link_Bps);

struct gpu;
struct kernel;
struct work_group;

/* What a GPU has done up to `now_ps` that its power depends on: the time of all work-groups that run a program, but for resident
 * kernels', whose threads are agents with books of their own; and the lines that its L2 has fetched for CUs and CPs or written
 * back. */
struct gpu_activity {
    sim_time work_group_ps;
    int64_t lines;
};
struct gpu_activity gpu_activity(const struct gpu *gpu, sim_time now_ps);

/* Records of what GPUs of one specification are at: theirs together, since what one gives back is still in the cache when another
 * takes it. All zero and then initialised; cleared when the GPUs have been freed. */
struct gpu_pools {
    struct pool inbound, cohorts, counts;
    struct unit_pools units;
};
void gpu_pools_init(struct gpu_pools *pools, const struct gpu_spec *spec);
void gpu_pools_clear(struct gpu_pools *pools);

/* Whose wavefronts share a memory, before anybody uses it: the GPU's own, or an APU's host memory. */
void gpu_computes_on(struct dram *dram, const struct gpu_spec *spec, bool is_apu);

/* A GPU in `slot` of its node's bus, or, with `directory` not NULL, the GPU of an APU that reaches
 * host memory coherently. `dram` is what it has of its own, in use or not. `path` ("node0.gpu") is copied; `pools` and
 * `dram` are kept. Freed by gpu_free. */
struct gpu *gpu_new(struct sim *sim, const struct gpu_spec *spec, struct gpu_pools *pools,
                    struct bus *bus, int slot, struct dram *dram, struct directory *directory,
                    const char *path);
void gpu_free(struct gpu *gpu);

const struct gpu_spec *gpu_spec_of(const struct gpu *gpu);
const char *gpu_path(const struct gpu *gpu); /* valid as long as the GPU */
struct device_memory *gpu_memory(struct gpu *gpu);

/* How much longer (or shorter) than bus_outbound the way of a compute unit is, of port_spread: of numbers in a row any few lie
 * evenly, and the first has the mean. */
sim_time gpu_port_offset_ps(const struct gpu_spec *spec, int64_t compute_unit);

/* --- kernels ---------------------------------------------------------------------------------- */

/* What a work-group of a kernel runs, as a process. */
typedef void kernel_program(struct work_group *wg, void *argument);

struct kernel {
    int64_t work_groups;
    int64_t threads;   /* work-items a work-group */
    int64_t registers; /* of 4 bytes, a work-item; 0: they are no limit */
    int64_t lds_bytes; /* a work-group */
    kernel_program *program;
    void *argument;
    int64_t
        programs; /* the first so many work-groups run the program, the others hold their places until these
                         have ended (work_group_compute_many); 0: all. Else it is cooperative */
    struct gpu_work
        work; /* program NULL: what each work-group does; they are counted, not run one by one */
    sim_time
        chain_ps; /* of a launch by CUDA: its first work-groups' instructions that wait for one another, before what they move */
    bool is_cooperative; /* all of its work-groups run at the same time, or it is not launched */
    int64_t stream;      /* kernels of one stream run one after the other */
    int64_t priority; /* of its work-groups: the lowest number first, then who was launched first */
    bool is_queued; /* launched by a caller that accounts for the times of launch and end itself */
    void (*done)(void *argument); /* as `finished`; may be NULL */
    void *done_argument;
    const char *name;    /* of an agent's resident kernel, which is in no stream; else NULL. Kept */
    int64_t stack_bytes; /* of each process that runs `program`; 0: as usual (process_spawn) */
    struct signal finished; /* signalled when the host learns that the last work-group has ended */
    bool is_finished;

    /* the dispatcher's */
    bool is_running; /* its first work-group may start */
    int64_t dispatched, ended;
    struct list cohorts; /* its work-groups that are counted */
    struct gpu *gpu;
    struct list_link link;
};

/* Rings the GPU's doorbell for `kernel` (kept by the caller until it is finished, filled in down to
 * `name`). Kernels of one stream run one after the other, in the order of the calls; those of
 * several streams, and resident kernels, side by side. Work-groups start as soon as a CU has room for
 * their wavefronts, those of the kernel launched first before others. Returns false, with one sentence,
 * if one work-group does not fit a CU, or not all of a cooperative kernel's fit at once beside the
 * resident kernels: those that may wait for each other (ComPNet18 section 4.1;
 * cuLaunchCooperativeKernel, M-076). */
bool gpu_launch(struct gpu *gpu, struct kernel *kernel, GError **error);

/* Whether a compute unit has room for one of its work-groups at all. False with one sentence. */
bool gpu_kernel_fits(const struct gpu_spec *spec, const struct kernel *kernel, GError **error);

/* Of its work-groups those that an empty GPU holds at a time. */
int64_t gpu_kernel_occupancy(const struct gpu_spec *spec, const struct kernel *kernel);

/* Work-groups of `threads` work-items that the GPU holds at a time. */
int64_t gpu_occupancy(const struct gpu_spec *spec, int64_t threads);

/* The same beside the resident kernels; their wavefronts. */
int64_t gpu_room(const struct gpu *gpu, int64_t threads);
int64_t gpu_resident_waves(const struct gpu *gpu);

/* The kernel launched first of those that have not ended, but for resident ones; NULL if there is none. */
const struct kernel *gpu_kernel(const struct gpu *gpu);

/* --- a work-group, as seen by its program ------------------------------------------------------ */

/* What a work-group that polls a word waits for, for the report of a deadlock. */
struct word_wait {
    bool is_waiting;
    address at;
    struct word_condition until;
    sim_time since_ps;
    bool is_sender_known; /* who is to write the word: */
    int64_t sender_node, sender_work_group;
};

struct work_group {
    struct gpu *gpu;
    struct kernel *kernel;
    int64_t index; /* in its kernel */
    int64_t compute_unit;
    int64_t waves;
    struct process *process;
    struct memory_client memory; /* loads, stores, atomics, acquire, release */
    struct word_wait wait;
    sim_time started_ps;
    struct list_link link; /* among those that have not ended */
};

/* Calls `visit` for each work-group that runs, but those of resident kernels, in the order of dispatch. */
typedef void work_group_visit_fn(const struct work_group *wg, void *argument);
void gpu_visit_work_groups(const struct gpu *gpu, work_group_visit_fn *visit, void *argument);

/* `bytes` (>= 0) that the work-group copies to or from another GPU by loads and stores, from `start_ps` on: when its
 * compute unit, which others may use, has passed them on (gpu.copy_rate). */
sim_time work_group_copies(struct work_group *wg, sim_time start_ps, int64_t bytes);

/* What they take if nobody else copies there. */
sim_time work_group_copy_ps(const struct work_group *wg, int64_t bytes);

/* How many others are on its compute unit, or on the GPU, now. */
int64_t work_groups_beside(const struct work_group *wg, bool on_unit);

/* Time in which one wavefront issues `instructions`; issues them; a barrier of the work-group. */
sim_time work_group_time_ps(const struct work_group *wg, int64_t instructions);
void work_group_execute(struct work_group *wg, int64_t instructions);
void work_group_barrier(struct work_group *wg);
