/* SPDX-License-Identifier: BSD-3-Clause */
#include "workloads/interface/measures.h"

#include <glib.h>
#include <string.h>

#define MEASURE(name, is_ratio, unit, description)                                                 \
    {                                                                                              \
        name, is_ratio, unit, description                                                          \
    }
#define TIME(name, description) MEASURE(name, false, UNIT_TIME, description)
#define COUNT(name, description) MEASURE(name, false, UNIT_COUNT, description)
#define ENERGY(name, description) MEASURE(name, false, UNIT_ENERGY, description)
#define POWER(name, description) MEASURE(name, false, UNIT_POWER, description)
#define RATE(name, description) MEASURE(name, false, UNIT_RATE, description)
#define BYTES(name, description) MEASURE(name, false, UNIT_BYTES, description)
#define RATIO(name, description) MEASURE(name, true, UNIT_COUNT, description)

const struct measure_info measure_infos[] = {
    COUNT("accesses_private", "Accesses to the L2 by command processors to lines of their own."),
    COUNT("accesses_shared",
          "Accesses to the L2 by command processors to lines that work-groups write, too."),
    TIME("allreduce", "Time of one allreduce of the gradients."),
    RATE("bandwidth", "Payload bytes over time."),
    COUNT("blocks_x", "Blocks of the grid along x."),
    COUNT("blocks_y", "Blocks of the grid along y."),
    COUNT("blocks_z", "Blocks of the grid along z."),
    COUNT("blocks", "Blocks of the grid."),
    RATE(
        "bus_bandwidth",
        "Bus bandwidth as NCCL's tests define it: bytes over time, times the bytes that an allreduce has to move for each byte of the buffer."),
    ENERGY("bus_energy", "Part of energy: bytes on links of the bus."),
    RATIO("cma", "Share of the benchmark's messages that used cross-memory attach."),
    TIME("communication",
         "Mean time of an iteration from the first send to the last receive, of the first block."),
    TIME("completed",
         "Mean time from the delivery of the data until the server has handled the completion."),
    TIME("compute", "Mean time of an iteration in which a work-group computes."),
    COUNT("cp_cores_left", "Command processor cores of a GPU that services leave."),
    TIME("delivered",
         "Mean time from the departure of the first packet until the last byte is in its memory."),
    TIME("dispatch", "Mean time until all tokens were at their experts."),
    TIME("doorbell", "Mean time from the store to the doorbell until it is at the NIC."),
    TIME("duration",
         "Time of the measured part: from the first start to the last end, or of one repetition."),
    RATIO("eager_device",
          "Share of the benchmark's messages that were sent eagerly from GPU memory."),
    RATIO("eager", "Share of the benchmark's messages that were sent eagerly from host memory."),
    COUNT("early_messages",
          "Messages that arrived before their block had reached their iteration."),
    ENERGY("energy_active", "Part of service_energy and rank_energy in which the cores executed."),
    ENERGY("energy_idle",
           "Part of service_energy and rank_energy in which the cores had nothing to do."),
    ENERGY("energy_polling", "Part of service_energy and rank_energy in which the cores polled."),
    ENERGY("energy_stalled",
           "Part of service_energy and rank_energy in which the cores waited for memory."),
    TIME(
        "energy_time",
        "The time in which energy was drawn: the measured part of the run without warm-up, divided by its number of messages, iterations or repeats if the workload's times are means of these."),
    ENERGY(
        "energy",
        "Energy of everything that takes part, in energy_time: the sum of the parts that are modelled."),
    COUNT("events", "Number of events of the simulation."),
    TIME("exchange",
         "Mean time of an iteration from a block's update to the end of its last unpacking."),
    TIME("exposed", "Mean time of an iteration in which no kernel is at work on a GPU."),
    TIME("fetched", "Mean time from the doorbell until the NIC has the command."),
    TIME("get_latency_max", "Longest latency of the gets beside the messages."),
    TIME("get_latency", "Mean latency of the gets beside the messages."),
    TIME("gpu_busy", "Mean time of an iteration in which kernels are at work on a GPU."),
    RATIO("gpu_direct", "Share of the benchmark's messages that used GPUDirect RDMA."),
    ENERGY("gpu_idle_energy", "Part of energy: GPUs, clocked and idle, all the time."),
    ENERGY("gpu_memory_energy",
           "Part of energy: bytes that memory of GPUs moves, or that pass their ports."),
    TIME("halo", "Mean time of an iteration in which a work-group waits for its halo."),
    RATIO("hit_rate_private",
          "Hits in the L2 over accesses, for command processors' private lines."),
    RATIO(
        "hit_rate_shared",
        "Hits in the L2 over accesses by command processors, for lines that work-groups write, too."),
    RATIO("hit_rate", "Hits in the L2 over accesses by command processors."),
    COUNT("host_cores_left", "Host cores of a socket that services leave."),
    RATIO("ipc", "Share of the benchmark's messages that used CUDA IPC."),
    COUNT("iterations_run", "Iterations that were simulated, until each was like the one before."),
    COUNT("iterations_simulated", "Iterations that were simulated; the others repeat them."),
    COUNT("iterations", "Iterations that were asked for."),
    TIME("iteration", "Mean time of an iteration."),
    TIME("kernel_boundary", "Time of launch and end of the kernel around the measured part."),
    TIME("kernel_time", "Sum of the times of a GPU's kernels in an iteration."),
    RATIO("kernels", "Kernels of a GPU in an iteration."),
    TIME("l2_latency", "Latency of a hit in the L2."),
    TIME("late_receive", "Mean time for which data waited until their receive was posted."),
    TIME("latency_max", "Longest latency."),
    TIME("latency_min", "Shortest latency."),
    TIME("latency_p50", "Median latency."),
    TIME("latency_p99", "99th percentile of the latency."),
    TIME("latency", "Mean latency of an operation; of a ping-pong half of a round trip."),
    COUNT("lock_fallbacks",
          "Lines that could not be locked because their set was full of locked lines."),
    TIME("lock_mean", "Mean time that a line was locked."),
    TIME("lock_p50", "Median of the time that a line was locked."),
    TIME("lock_p99", "99th percentile of the time that a line was locked."),
    TIME("lock_wait", "Mean wait for a mutex of the network library."),
    COUNT("locked_lines_most", "Largest number of lines that were locked at a time."),
    RATIO("locked_lines", "Mean number of locked lines."),
    COUNT("locks_contended",
          "How often a thread took a mutex of the network library after a wait."),
    COUNT("locks_taken", "How often a thread took a mutex of the network library."),
    COUNT("locks", "Lines that were locked."),
    TIME("message_latency_max", "Longest latency of the messages beside the gets."),
    TIME("message_latency", "Mean latency of the messages beside the gets."),
    COUNT("message_passing",
          "Rounds in which a flag was seen before its data, both put by one work-group."),
    RATIO("messages_per_us", "Messages per microsecond."),
    COUNT("messages", "Messages of one repetition."),
    TIME("mutex", "Mean time until the server has acquired the network library's mutex."),
    ENERGY("network_energy", "Part of energy: bytes on cables of the network."),
    ENERGY("nic_energy", "Part of energy: NICs, idle and active."),
    TIME("noticed",
         "Mean time from the handling of the completion until the caller's call has returned."),
    ENERGY("nvlink_energy", "Part of energy: bytes on NVLinks."),
    TIME("on_wire", "Mean time from when the NIC has the command until its first packet departs."),
    RATIO("operations_per_us", "Operations per microsecond."),
    COUNT("operations", "Operations that were served."),
    TIME("pe_busy", "Mean time of an iteration that a process's core works or is blocked."),
    TIME("pe_cuda", "Part of pe_busy that is spent in CUDA calls."),
    TIME("pe_idle", "Mean time of an iteration in which a process's core has nothing to do."),
    RATIO("pe_utilisation", "Share of the time in which a process's core works or is blocked."),
    COUNT("peer_read", "Rounds in which a get that followed the flag returned old data."),
    TIME("peer_time_allocate", "Time per message that the receiver's core spends on allocation."),
    TIME("peer_time_application",
         "Time per message that the receiver's core spends on the application."),
    TIME("peer_time_callback", "Time per message that the receiver's core spends on callbacks."),
    TIME("peer_time_copy", "Time per message that the receiver's core spends on copies."),
    TIME("peer_time_cuda", "Time per message that the receiver's core spends on calls of CUDA."),
    TIME("peer_time_interpreter",
         "Time per message that the receiver's core spends on the Python interpreter."),
    TIME("peer_time_match", "Time per message that the receiver's core spends on matching."),
    TIME("peer_time_pack",
         "Time per message that the receiver's core spends on packing and unpacking."),
    TIME("peer_time_schedule",
         "Time per message that the receiver's core spends on the runtime's scheduler."),
    TIME("peer_time_system",
         "Time per message that the operating system takes from the receiver's core."),
    TIME("peer_time_ucx",
         "Time per message that the receiver's core spends on the communication library."),
    TIME("peer_time_wait", "Time per message that the receiver's core spends on waiting."),
    COUNT("period", "Number of iterations after which times repeat; 0: no repetition was found."),
    COUNT("polls", "Polls of queues by the service threads."),
    TIME("posted", "Mean time from the call until the status of the queue entry is stored."),
    POWER("power", "Mean power of the GPU."),
    RATIO("puts_per_us", "Puts per microsecond."),
    RATIO("queue_memory_of_l2", "Memory of all queues over the size of the L2."),
    BYTES("queue_memory", "Memory of all queues."),
    ENERGY("rank_energy", "Part of energy: the cores that ranks run on."),
    RATIO("rdma", "Share of the benchmark's messages that used RDMA from host memory."),
    RATIO("reduce_share", "Share of the iteration that is spent in the reduction."),
    TIME("reduce", "Time of an iteration in which gradients are reduced."),
    TIME("residual", "Mean time of an iteration in which the residual is reduced."),
    COUNT("rounds", "Number of rounds."),
    TIME("round", "Mean time of a round."),
    TIME("seen",
         "Mean time from the store of a queue entry's status until the server has seen it."),
    TIME("served",
         "Mean time until the server has written the command and stored to the doorbell."),
    ENERGY("service_energy", "Part of energy: the threads that serve kernels."),
    COUNT("signal", "Rounds in which a signal was seen before the data of its put."),
    ENERGY("socket_link_energy", "Part of energy: bytes on links between sockets."),
    RATIO("staged",
          "Share of the benchmark's messages that were staged through host memory in a pipeline."),
    COUNT("steps_run", "Steps of the ring that were simulated; 0 for a tree."),
    COUNT("store_buffering",
          "Rounds in which both sides read the value from before the other's put."),
    RATE("streamed", "Bytes that the streaming work-groups moved, over time."),
    RATIO("time_active", "Part of the service threads' time in which they executed instructions."),
    TIME("time_allocate", "Time per message that the sender's core spends on allocation."),
    TIME("time_application", "Time per message that the sender's core spends on the application."),
    TIME("time_callback", "Time per message that the sender's core spends on callbacks."),
    TIME("time_copy", "Time per message that the sender's core spends on copies."),
    TIME("time_cuda", "Time per message that the sender's core spends on calls of CUDA."),
    RATIO("time_idle", "Part of the service threads' time in which they had nothing to do."),
    TIME("time_interpreter",
         "Time per message that the sender's core spends on the Python interpreter."),
    TIME("time_match", "Time per message that the sender's core spends on matching."),
    TIME("time_pack", "Time per message that the sender's core spends on packing and unpacking."),
    RATIO("time_polling", "Part of the service threads' time in which they polled."),
    TIME("time_schedule",
         "Time per message that the sender's core spends on the runtime's scheduler."),
    RATIO("time_stalled", "Part of the service threads' time in which they waited for memory."),
    TIME("time_system", "Time per message that the operating system takes from the sender's core."),
    TIME("time_ucx",
         "Time per message that the sender's core spends on the communication library."),
    TIME("time_wait", "Time per message that the sender's core spends on waiting."),
    TIME("time", "Mean time of a copy."),
    TIME("time_median", "Median time of a round trip."),
    TIME("timed", "Time of a pass as two events around the kernel measure it."),
    TIME("turn_max", "Longest turn."),
    TIME("turn_min", "Shortest turn."),
    TIME("turn_p50", "Median time of a turn."),
    TIME("turn_p99", "99th percentile of the time of a turn."),
    TIME("turn", "Mean time of a turn: put, and wait for the neighbour's signal."),
    RATIO("unexpected",
          "Share of the benchmark's messages that came before their receive was posted."),
    ENERGY("work_group_energy", "Part of energy: work-groups of kernels that post, poll and wait."),
    COUNT("work_groups_at_once", "Largest number of work-groups that ran at a time."),
    COUNT("work_groups", "Work-groups of the kernel."),
};
const size_t measure_info_count = G_N_ELEMENTS(measure_infos);

/* Of the parameter `percentiles`: "latency_p99_9". */
static const struct measure_info percentile_info =
    TIME("NAME_pN", "Time that N of 100 do not exceed, as the parameter percentiles asks.");

/* Of a mean over units of a run: of a time, of a rate, of a ratio. */
#define SPREAD "NAME_spread"
#define SPREAD_TEXT                                                                                \
    "Half of the interval that holds the mean NAME with 95 %, where polling loops begin in a drawn phase."
static const struct measure_info spread_info = TIME(SPREAD, SPREAD_TEXT),
                                 rate_spread_info = RATE(SPREAD, SPREAD_TEXT),
                                 ratio_spread_info = RATIO(SPREAD, SPREAD_TEXT);

static bool is_percentile(const char *name)
{
    const char *at = g_strrstr(name, "_p");
    return at != NULL && g_ascii_isdigit(at[2]) && at[2 + strspn(at + 2, "0123456789_")] == '\0';
}

const struct measure_info *measure_info_find(const char *name)
{
    for (size_t i = 0; i < measure_info_count; i++) {
        if (strcmp(measure_infos[i].name, name) == 0)
            return &measure_infos[i];
    }
    if (g_str_has_suffix(name, "_spread")) {
        g_autofree char *of = g_strndup(name, strlen(name) - strlen("_spread"));
        const struct measure_info *info = measure_info_find(of);
        if (info != NULL && info->is_ratio)
            return &ratio_spread_info;
        return info != NULL && info->unit == UNIT_RATE ? &rate_spread_info : &spread_info;
    }
    return is_percentile(name) ? &percentile_info : NULL;
}
