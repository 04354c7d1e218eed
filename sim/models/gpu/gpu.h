/* SPDX-License-Identifier: BSD-3-Clause */
/* A GPU: compute units that run the work-groups of kernels, and the memory behind them.
 *
 * Source of the shape: ComPNet18 section 2, Fig 3 and Table 1 (GCN3). The memory is in
 * gpu/device_memory.h, what a work-group or a command processor sees of it in gpu/memory_client.h. */
#pragma once

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

/* How the L2's tags are simulated: every line, or statistically (models/memory/cache.h). */
enum l2_model { L2_LINES, L2_STATISTICAL };

/* Floating-point operations of a lane's instruction: a multiply and add (GCN3's and NVIDIA's instruction sets). */
#define GPU_FLOPS_PER_INSTRUCTION 2

/* What a kernel gets of its memory's rate if reads and writes alternate: the memory's bus loses time whenever it turns.
 * Measured of the data sheet's rate: 0.854 on an H200 (inkernel_bw.tsv: local, 132 blocks of 1024, 64 MiB) and, in
 * throughput.tsv, 0.834, and 0.848 on an H100. */
#define GPU_MIXED_SHARE 0.854

/* How long a channel of device memory takes for a piece that lies apart from others, loaded or stored: measured with 192 channels of
 * an H200 and 160 of an H100, alike, for 8 B each 2 KiB (probe/README.md, `strides`); assumed for other memories. Within
 * GPU_ROW_SPAN_BYTES pieces share a row that is opened: loads each 128 B take a third less time than loads each 512 B. */
#define GPU_ROW_LOAD_PS 5060
#define GPU_ROW_STORE_PS 12000
#define GPU_ROW_SPAN_BYTES 256

/* LDS of a compute unit of GCN3. Only a GOAL schedule's kernels use it, and then all of it. */
#define GPU_LDS_BYTES 65536

/* Component "gpu" of a machine file. */
#define GPU_ROWS(ROW)                                                                              \
    ROW(FREQUENCY, clock, "1.5GHz", "1MHz", "10GHz", "Clock of compute units and L2.")             \
    ROW(COUNT, compute_units, "12", "1", "1024", "Number of compute units.")                       \
    ROW(COUNT, simds_per_cu, "4", "1", "64", "SIMD units of a compute unit.")                      \
    ROW(COUNT, waves_per_cu, "40", "1", "1024", "Wavefronts that a compute unit holds at a time.") \
    ROW(COUNT, work_groups_per_cu, "1024", "1", "1024",                                            \
        "Work-groups that a compute unit holds at a time.")                                        \
    ROW(BYTES, registers, "256KiB", "1KiB", "1GiB",                                                \
        "Registers of a compute unit, divided among its work-items.")                              \
    ROW(COUNT, lanes, "64", "1", "1024", "Work-items of a wavefront.")                             \
    ROW(COUNT, instruction_cycles, "4", "1", "1000",                                               \
        "Cycles that a wavefront's instruction takes on its SIMD unit.")                           \
    ROW(BYTES, wave_in_flight, "1KiB", "64B", "1MiB",                                              \
        "Bytes that a wavefront has in flight from device memory at a time.")                      \
    ROW(COUNT, barrier_cycles, "32", "0", "100000", "Cycles of a work-group barrier.")             \
    ROW(PART, l1, struct cache_shape, "l1_", &cache_rows, "size=16KiB,latency_cycles=12",          \
        "L1 data cache of a compute unit: ")                                                       \
    ROW(PART, l2, struct cache_shape, "l2_", &cache_rows, "size=1MiB,latency_cycles=150",          \
        "L2 shared by all compute units and CPs: ")                                                \
    ROW(COUNT, l2_banks, "8", "1", "64",                                                           \
        "Banks of the L2; lines interleave over them, and a bank takes an access in each cycle.")  \
    ROW(FLAG, l2_locking, "false",                                                                 \
        "Locked stores keep their line in the L2 until a command processor has read it.")          \
    ROW(ENUM, l2_model, "lines", CHOICES("lines", "statistical"),                                  \
        "Tags of the L2: exact for every line or, for long runs, random evictions at "             \
        "the same rate.")                                                                          \
    ROW(TIME, memory_latency, "100ns", "0ns", "10us",                                              \
        "Latency of device memory behind an L2 miss.")                                             \
    ROW(RATE, memory_rate, "512GB/s", "1MB/s", "100TB/s",                                          \
        "Bandwidth of device memory, reads and writes together.")                                  \
    ROW(COUNT, memory_channels, "32", "1", "4096",                                                 \
        "Channels of device memory that open rows independently of each other: of HBM its "        \
        "pseudo channels. They limit loads and stores of small pieces that lie apart.")            \
    ROW(TIME, far_partition, "0ns", "0ns", "1us",                                                  \
        "How much longer a load takes of a line that the other partition of the L2 holds, if "     \
        "lines read from memory have replaced the copy in its own; 0: the L2 has one "             \
        "partition.")                                                                              \
    ROW(TIME, bus_outbound, "220ns", "0ns", "10us",                                                \
        "Latency between the L2 and the bus port, each way, of accesses of the GPU to the "        \
        "rest of the node.")                                                                       \
    ROW(TIME, port_spread, "0ns", "0ns", "1us",                                                    \
        "Difference of bus_outbound between the compute units farthest from and nearest to "       \
        "the bus port; the others lie evenly between, and the mean is bus_outbound.")              \
    ROW(TIME, bus_inbound, "130ns", "0ns", "10us",                                                 \
        "Latency between the bus port and the L2, each way, of accesses that come from the "       \
        "rest of the node.")                                                                       \
    ROW(FLAG, bus_allocates, "false",                                                              \
        "Accesses over the bus that miss the L2 allocate a line in it.")                           \
    ROW(TIME, device_fence, "0ns", "0ns", "100us",                                                 \
        "Minimum time of a release to the device scope, with or without stores in flight.")        \
    ROW(TIME, system_fence, "0ns", "0ns", "100us",                                                 \
        "Minimum time of a release to the system scope, with or without stores in flight.")        \
    ROW(TIME, fence_gather, "0ns", "0ns", "10us",                                                  \
        "Gather window of releases to the system scope: those that arrive at a compute unit "      \
        "within it run together, and later ones wait until these have ended. The reads behind "    \
        "posted writes of all compute units are gathered in the same way: one read serves all "    \
        "within the window. 0: releases do not affect each other.")                                \
    ROW(FLAG, fence_reads_back, "true",                                                            \
        "A release to the system scope reads behind posted writes over the bus, to know that "     \
        "they have arrived. false: it takes only system_fence, unless such writes arrive "         \
        "later than that.")                                                                        \
    ROW(TIME, atomic, "0ns", "0ns", "10us",                                                        \
        "Time of an atomic at the L2, in addition to the path from the compute unit and back.")    \
    ROW(TIME, atomic_gap, "0ns", "0ns", "10us",                                                    \
        "Time between two atomics on one line of device memory.")                                  \
    ROW(TIME, peer_atomic_gap, "0ns", "0ns", "10us",                                               \
        "Time between two atomics that come from another device on one line of device memory, "    \
        "if it is longer than atomic_gap.")                                                        \
    ROW(TIME, directory_latency, "60ns", "0ns", "10us",                                            \
        "On an APU: latency from the L2 to the directory of host memory, one way.")                \
    ROW(TIME, dispatch_gap, "0ns", "0ns", "10us",                                                  \
        "Time between the starts of two work-groups of a GPU.")                                    \
    ROW(RATE, copy_rate, "100TB/s", "1MB/s", "100TB/s",                                            \
        "Upper limit of the rate at which a compute unit copies to and from other GPUs by "        \
        "loads and stores.")                                                                       \
    ROW(TIME, kernel_launch, "6us", "0ns", "1ms",                                                  \
        "Time from the host's launch to the start of the first work-group.")                       \
    ROW(TIME, kernel_end, "4us", "0ns", "1ms",                                                     \
        "Time from the end of the last work-group until the host knows of it.")                    \
    ROW(POWER, idle_power, "40W", "0W", "10kW", "Power of the whole GPU, clocked and idle.")       \
    ROW(POWER, spin_power, "50mW", "0W", "100W",                                                   \
        "Additional power for each work-group that posts, polls, waits or serves.")                \
    ROW(ENERGY, memory_energy, "80pJ", "0pJ", "100nJ",                                             \
        "Energy of a byte that the GPU's memory reads or writes.")                                 \
    ROW(ENERGY, link_energy, "80pJ", "0pJ", "100nJ",                                               \
        "Energy of a byte to or from the host or another GPU, in addition to its "                 \
        "memory's.")
struct gpu_spec {
    GPU_ROWS(PARAM_FIELD)
};
extern struct param_table gpu_params;

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

/* Pools of records that GPUs of one specification share, since a record that one GPU gives back is still in the cache when another
 * takes it. All zero and then initialised; cleared when the GPUs have been freed. */
struct gpu_pools {
    struct pool inbound, cohorts, counts;
    struct unit_pools units;
};
void gpu_pools_init(struct gpu_pools *pools, const struct gpu_spec *spec);
void gpu_pools_clear(struct gpu_pools *pools);

/* Says, before a memory is used, which GPU's wavefronts share it: its own memory, or an APU's host memory. */
void gpu_computes_on(struct dram *dram, const struct gpu_spec *spec, bool is_apu);

/* A GPU in `slot` of its node's bus, or, with `directory` not NULL, the GPU of an APU that reaches
 * host memory coherently. `dram` is what it has of its own, in use or not. `path` ("node0.gpu") is copied; `pools` and
 * `dram` are kept. Freed by gpu_free. */
struct gpu *gpu_new(struct sim *sim, const struct gpu_spec *spec, struct gpu_pools *pools,
                    struct bus *bus, int slot, struct dram *dram, struct directory *directory,
                    const char *path);
void gpu_free(struct gpu *gpu);

/* Prefetches what the start of a kernel touches (event_queue_fetch_by). */
void gpu_fetch(const struct gpu *gpu);

const struct gpu_spec *gpu_spec_of(const struct gpu *gpu);
const char *gpu_path(const struct gpu *gpu); /* valid as long as the GPU */
struct device_memory *gpu_memory(struct gpu *gpu);

/* How much longer (or shorter) than bus_outbound a compute unit's way to the bus port is, within port_spread. The values of
 * consecutive units are spread evenly, and the first unit has the mean. */
sim_time gpu_port_offset_ps(const struct gpu_spec *spec, int64_t compute_unit);

/* --- kernels ---------------------------------------------------------------------------------- */

/* What a work-group of a kernel runs, as a process. */
typedef void kernel_program(struct work_group *wg, void *argument);

struct kernel {
    int64_t work_groups;
    int64_t threads;   /* work-items of a work-group */
    int64_t registers; /* 4-byte registers of a work-item; 0: they limit nothing */
    int64_t lds_bytes; /* of a work-group */
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
    struct list cohorts; /* for its work-groups that are counted, not run */
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

/* How many of its work-groups an empty GPU holds at a time. */
int64_t gpu_kernel_occupancy(const struct gpu_spec *spec, const struct kernel *kernel);

/* How many work-groups of `threads` work-items the GPU holds at a time beside the resident kernels; and how many wavefronts
 * these kernels have. */
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
    bool is_sender_known; /* who is expected to write the word: */
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
    struct list_link link; /* in the list of those that have not ended */
};

/* Calls `visit` for each running work-group, except those of resident kernels, in the order of dispatch. */
typedef void work_group_visit_fn(const struct work_group *wg, void *argument);
void gpu_visit_work_groups(const struct gpu *gpu, work_group_visit_fn *visit, void *argument);

/* `bytes` (>= 0) that the work-group copies to or from another GPU by loads and stores, from `start_ps` on: when its
 * compute unit, which others may use, has passed them on (gpu.copy_rate). */
sim_time work_group_copies(struct work_group *wg, sim_time start_ps, int64_t bytes);

/* The time of such a copy if nobody else copies on the compute unit. */
sim_time work_group_copy_ps(const struct work_group *wg, int64_t bytes);

/* How many other work-groups are on its compute unit, or on the GPU, now. */
int64_t work_groups_beside(const struct work_group *wg, bool on_unit);

/* Time in which one wavefront issues `instructions`; issues them; a barrier of the work-group. */
sim_time work_group_time_ps(const struct work_group *wg, int64_t instructions);
static inline void work_group_execute(struct work_group *wg, int64_t instructions)
{
    process_sleep(wg->process, work_group_time_ps(wg, instructions));
}
void work_group_barrier(struct work_group *wg);
