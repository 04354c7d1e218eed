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
 * What takes part is a device that the run has asked for, or that something was sent to. A part that nothing in the run belongs to is
 * not modelled in it: it is not 0. Left out everywhere: arithmetic and L1 caches of compute units, work-groups that are counted and
 * run no program, copy engines, memory of the host, its caches and what is not a core of it, switches at rest,
 * power supplies and cooling. */
#ifndef GPUNETSIM_MODELS_RUN_ENERGY_H
#define GPUNETSIM_MODELS_RUN_ENERGY_H

#include <stdbool.h>

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

/* A reading: what has been drawn in events and in states but for that of rest, and what draws power at rest all the time.
 * All zero at first. */
struct run_energy {
    sim_time time_ps; /* since the start, or between two readings */
    double drawn_J[RUN_ENERGY_PART_COUNT], rest_mW[RUN_ENERGY_PART_COUNT];
    bool is_modelled[RUN_ENERGY_PART_COUNT];
};

/* In joules; of a part that is not modelled 0. */
double run_energy_J(const struct run_energy *energy, enum run_energy_part part);

/* `drawn_J` >= 0 belongs to the part, which is modelled. */
void run_energy_add(struct run_energy *energy, enum run_energy_part part, double drawn_J);

/* Adds what the cluster's devices and links have drawn from the start up to `now_ps`: the time of now, or of the process that
 * asks. Notes the parameters that it reads. */
void run_energy_add_devices(struct run_energy *energy, struct cluster *cluster, sim_time now_ps);

/* What was drawn between two readings, times `share`. What rests takes part all this time, though it was first asked for
 * within it. */
struct run_energy run_energy_between(const struct run_energy *before,
                                     const struct run_energy *after, double share);

#endif
