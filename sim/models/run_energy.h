/* SPDX-License-Identifier: BSD-3-Clause */
/* What a run has drawn, part by part: times in states by powers, and counts of events by their energies. Everything is read
 * from counters that exist anyway, when somebody asks: nothing is added up while events run.
 *
 *   service      cores that serve kernels' queues (of a CPU, a command processor, a SmartNIC), and threads of a kernel that
 *                do, by state: ComPNet18 section 5.2
 *   rank         cores that ranks run on, by state
 *   gpu_idle     gpu.idle_power of each GPU that takes part, all the time
 *   work_group   gpu.spin_power for each work-group that runs a program, from its start to its end: it builds commands, fences,
 *                polls or waits, and what it computes is not told apart
 *   gpu_memory   gpu.memory_energy for each byte of the lines that an L2 fetches or writes back, and, with gpu.link_energy,
 *                for each byte that passes the port of a GPU
 *   nic          nic.idle_power of each NIC that takes part, all the time; for each command nic.active_power more, at both
 *                NICs: for nic.command_gap, and for as long as its payload takes at network.rate
 *   bus, nvlink, socket_link, network
 *                byte_energy of that component for each byte on each of its links, with headers
 *
 * What takes part is a device that the run has asked for, that something was sent to, or, of GPUs, on which a process has
 * memory. A part that nothing in the run belongs to is not modelled in it: it is not 0. Left out everywhere: arithmetic and L1
 * caches of compute units, work-groups that are counted and run no program, copy engines, memory of the host, its caches and
 * what is not a core of it, switches at rest, power supplies and cooling. */
#pragma once

#include "core/agent_state.h"
#include "models/node.h"

#define RUN_ENERGY_PARTS(PART)                                                                     \
    PART(SERVICE, service)                                                                         \
    PART(RANK, rank)                                                                               \
    PART(GPU_IDLE, gpu_idle)                                                                       \
    PART(WORK_GROUP, work_group)                                                                   \
    PART(GPU_MEMORY, gpu_memory)                                                                   \
    PART(NIC, nic)                                                                                 \
    PART(BUS, bus)                                                                                 \
    PART(NVLINK, nvlink)                                                                           \
    PART(SOCKET_LINK, socket_link)                                                                 \
    PART(NETWORK, network)

#define RUN_ENERGY_NUMBER(capitals, name) ENERGY_OF_##capitals,
enum run_energy_part { RUN_ENERGY_PARTS(RUN_ENERGY_NUMBER) RUN_ENERGY_PART_COUNT };
#undef RUN_ENERGY_NUMBER

/* What was drawn in events and in states but for that of rest, and what draws power at rest all the time. All zero at first. */
struct run_energy {
    double time_ps; /* from the start of the simulation, or of the measured part */
    double drawn_J[RUN_ENERGY_PART_COUNT], rest_mW[RUN_ENERGY_PART_COUNT];
    bool is_modelled[RUN_ENERGY_PART_COUNT];
    double state_J[AGENT_STATES],
        state_ps[AGENT_STATES]; /* of the cores that serve or run ranks, by state */
};

/* The energy of a part in joules; 0 if it is not modelled. */
double run_energy_J(const struct run_energy *energy, enum run_energy_part part);

/* --- what draws -------------------------------------------------------------------------------- */

/* Devices and links are found in the cluster. Whoever runs threads or ranks on cores adds them, once, by a function that adds
 * up what they have drawn until `now_ps`. `cores` lives until the last call of run_energy_measured. */
typedef void run_energy_source(const void *cores, sim_time now_ps, struct run_energy *energy);
void run_energy_add_source(struct cluster *cluster, run_energy_source *add, const void *cores);

/* For such a function: adds that a core was in that state for `time_ps` and drew `drawn_J`, and that the part is modelled. */
void run_energy_add_state(struct run_energy *energy, enum run_energy_part part,
                          enum agent_state state, sim_time time_ps, double drawn_J);

/* --- the measured part of a run ------------------------------------------------------------------ */

/* A run calls the first when its warm-up is over, and the second at the end of what it measures: `now_ps` is the time of now,
 * or of the process that calls. The last call of each counts. Without them it is all of the simulation. */
void run_energy_begins(struct cluster *cluster, sim_time now_ps);
const struct run_energy *run_energy_ends(struct cluster *cluster, sim_time now_ps);

/* What was drawn between two readings, which run_energy_ends has returned, counts so many `times` more: for what is like it and
 * is not simulated. */
void run_energy_again(struct cluster *cluster, const struct run_energy *from,
                      const struct run_energy *to, int64_t times);

/* What the measured part has drawn, for one of its `units` (> 0): messages, iterations ... What rests takes part all the time,
 * though it was first asked for within it. Notes the parameters that it reads. */
struct run_energy run_energy_measured(struct cluster *cluster, double units);

/* For cluster_free. */
void run_energy_meter_free(struct run_energy_meter *meter);
