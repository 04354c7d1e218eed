/* SPDX-License-Identifier: BSD-3-Clause */
/* A SmartNIC: cores and memory on the NIC's board, behind its bus port (as on NVIDIA's BlueField: Arm cores, their own DRAM,
 * the NIC's queues among it). A core rings its own NIC, and reads data that this NIC has written, without crossing the node's
 * bus; it reaches host and GPU memory over the bus, as any device.
 *
 * Its caches are not simulated: a load of the board's memory takes `memory_latency`; stores are seen in order after the same
 * time. Left out: the cores' coherence with the NIC's DMA, which costs nothing here. */
#pragma once

#include "core/agent_state.h"
#include "core/param.h"
#include "core/process.h"
#include "core/sim.h"
#include "fabric/bus.h"
#include "models/memory/cache.h"
#include "models/memory/load.h"
#include "models/memory/store.h"

/* Component "smart_nic" of a machine file. */
#define SMART_NIC_ROWS(ROW)                                                                        \
    ROW(COUNT, cores, "8", "1", "64", "Cores on the NIC's board (8 to 16).")                       \
    ROW(PART, core, struct core_spec, "", &core_rows,                                              \
        "clock=2.5GHz,instructions_per_cycle=1.5,loads_in_flight=8,active_power=2W,"               \
        "stalled_power=1.2W,polling_power=1.6W,idle_power=600mW",                                  \
        "")                                                                                        \
    ROW(TIME, memory_latency, "60ns", "1ns", "10us",                                               \
        "Latency of the board's memory for its cores and the NIC (20 to 150 ns).")                 \
    ROW(TIME, bus_latency, "100ns", "0ns", "10us",                                                 \
        "Latency between a core and the NIC's bus port, each way (50 to 300 ns).")
struct smart_nic_spec {
    SMART_NIC_ROWS(PARAM_FIELD)
};
extern struct param_table smart_nic_params;

struct smart_nic;

/* Makes cores and memory beside the NIC that is already in `slot` of its node's bus. Requests that arrive there for memory go
 * to them from now on, requests for registers still to the NIC. */
struct smart_nic *smart_nic_new(struct sim *sim, const struct smart_nic_spec *spec, struct bus *bus,
                                int slot);
void smart_nic_free(struct smart_nic *smart_nic);
struct store *smart_nic_store(struct smart_nic *smart_nic);

/* A thread that is bound to a core of its own (0 to cores - 1). */
struct smart_nic_thread {
    struct smart_nic *smart_nic;
    struct process *process;
    sim_time
        stores_visible_ps; /* when the last store is seen, or leaves; stores keep their order */
};
void smart_nic_thread_init(struct smart_nic_thread *thread, struct smart_nic *smart_nic,
                           int64_t core, struct process *process);

/* `count` independent loads of up to 64 B within a line each, either all of the board's memory or all over the bus, where
 * `loads_in_flight` are under way at a time. Waits for them. */
void smart_nic_thread_load_all(struct smart_nic_thread *thread, const struct memory_load *loads,
                               size_t count);
int64_t smart_nic_thread_loads_in_flight(const struct smart_nic_thread *thread, address at);

/* How many bytes one load brings: a line of the board's memory, 16 B of other memory. */
int64_t smart_nic_thread_load_bytes(const struct smart_nic_thread *thread, address at);

/* A store does not wait; stores are seen in order, so that a release does nothing. An atomic waits. */
void smart_nic_thread_store(struct smart_nic_thread *thread, address at, const void *data,
                            size_t bytes);
uint64_t smart_nic_thread_atomic(struct smart_nic_thread *thread, address at, enum atomic_op op,
                                 uint64_t operand, uint64_t compare);
void smart_nic_thread_execute(struct smart_nic_thread *thread, int64_t instructions);
