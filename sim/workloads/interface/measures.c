/* SPDX-License-Identifier: BSD-3-Clause */
#include "workloads/interface/measures.h"

#include <glib.h>
#include <string.h>

#define TIME(name, description)                                                                    \
    {                                                                                              \
        name, false, UNIT_TIME, description                                                        \
    }
#define COUNT(name, description)                                                                   \
    {                                                                                              \
        name, false, UNIT_COUNT, description                                                       \
    }
#define ENERGY(name, description)                                                                  \
    {                                                                                              \
        name, false, UNIT_ENERGY, description                                                      \
    }
#define POWER(name, description)                                                                   \
    {                                                                                              \
        name, false, UNIT_POWER, description                                                       \
    }
#define RATE(name, description)                                                                    \
    {                                                                                              \
        name, false, UNIT_RATE, description                                                        \
    }
#define BYTES(name, description)                                                                   \
    {                                                                                              \
        name, false, UNIT_BYTES, description                                                       \
    }
#define RATIO(name, description)                                                                   \
    {                                                                                              \
        name, true, UNIT_COUNT, description                                                        \
    }

const struct measure_info measure_infos[] = {
    COUNT("accesses_private", "Accesses to the L2 by command processors to lines of their own."),
    COUNT("accesses_shared",
          "Accesses to the L2 by command processors to lines that work-groups write, too."),
    TIME("allreduce", "One allreduce of the gradients."),
    RATE("bandwidth", "Payload bytes over time."),
    COUNT("blocks_x", "Blocks of the grid along x."),
    COUNT("blocks_y", "Blocks of the grid along y."),
    COUNT("blocks_z", "Blocks of the grid along z."),
    COUNT("blocks", "Blocks of the grid."),
    RATE("bus_bandwidth",
         "Bytes over time times what an allreduce has to move per byte, as NCCL's tests count it."),
    ENERGY("bus_energy", "Part of energy: bytes on links of the bus."),
    RATIO("cma", "Messages per message of the benchmark that went by cross-memory attach."),
    TIME("communication",
         "Mean time of an iteration from the first send to the last receive, of the first block."),
    TIME("completed", "Mean time until a completion was handled, after its data were delivered."),
    TIME("compute", "Mean time of an iteration in which a work-group computes."),
    COUNT("cp_cores_left", "Command processor cores of a GPU that services leave."),
    TIME("delivered",
         "Mean time until the last byte was in its memory, after the first packet set out."),
    TIME("dispatch", "Mean time until all tokens were at their experts."),
    TIME("doorbell", "Mean time until the doorbell was at the NIC, after it was rung."),
    TIME("duration",
         "Time of the measured part: from the first start to the last end, or of one repetition."),
    RATIO("eager_device",
          "Messages per message of the benchmark that went eagerly from GPU memory."),
    RATIO("eager", "Messages per message of the benchmark that went eagerly from host memory."),
    COUNT("early_messages", "Messages that came before their block was at their iteration."),
    ENERGY("energy_active",
           "Part of service_energy, or of rank_energy in the OSU benchmarks: they executed."),
    ENERGY("energy_idle", "Part of service_energy: they had nothing to do."),
    ENERGY("energy_polling", "Part of service_energy or rank_energy: they polled."),
    ENERGY("energy_sleep", "Part of service_energy: they slept."),
    ENERGY("energy_stalled", "Part of service_energy or rank_energy: they waited for memory."),
    ENERGY("energy", "Energy of all that takes part: the sum of those parts that are modelled."),
    COUNT("events", "Events that the simulation took."),
    TIME("exchange",
         "Mean time of an iteration from a block's update to the end of its last unpacking."),
    TIME("exposed", "Mean time of an iteration in which no kernel is at work on a GPU."),
    TIME("fetched", "Mean time until the NIC had the command, after its doorbell."),
    TIME("get_latency_max", "Longest of these."),
    TIME("get_latency", "Mean latency of the gets beside the messages."),
    TIME("gpu_busy", "Mean time of an iteration in which kernels are at work on a GPU."),
    RATIO("gpu_direct", "Messages per message of the benchmark that went by GPUDirect RDMA."),
    ENERGY("gpu_idle_energy", "Part of energy: GPUs, clocked and idle, all the time."),
    ENERGY("gpu_memory_energy",
           "Part of energy: bytes that memory of GPUs moves, or that pass their ports."),
    TIME("halo", "Mean time of an iteration in which a work-group waits for its halo."),
    RATIO("hit_rate_private", "The same for lines of their own."),
    RATIO("hit_rate_shared", "The same for lines that work-groups write, too."),
    RATIO("hit_rate", "Hits in the L2 over accesses by command processors."),
    COUNT("host_cores_left", "Host cores of a socket that services leave."),
    RATIO("ipc", "Messages per message of the benchmark that went by CUDA IPC."),
    COUNT("iterations_run", "Iterations that were simulated before each was as the one before."),
    COUNT("iterations_simulated", "Iterations that were simulated; the others repeat them."),
    COUNT("iterations", "Iterations that were asked for."),
    TIME("iteration", "Mean time of an iteration."),
    TIME("kernel_boundary", "Time of launch and end of the kernel around the measured part."),
    TIME("kernel_time", "Sum of the times of a GPU's kernels in an iteration."),
    RATIO("kernels", "Kernels of a GPU in an iteration."),
    TIME("l2_latency", "Latency of a hit in the L2."),
    TIME("late_receive", "Mean time that data waited for their receive."),
    TIME("latency_max", "Longest latency."),
    TIME("latency_min", "Shortest latency."),
    TIME("latency_p50", "Latency that half of the operations do not exceed."),
    TIME("latency_p99", "Latency that 99 of 100 operations do not exceed."),
    TIME("latency", "Mean latency of an operation; of a ping-pong half of a round trip."),
    COUNT("lock_fallbacks",
          "Lines that could not be locked because their set was full of locked lines."),
    TIME("lock_mean", "Mean time that a line was locked."),
    TIME("lock_p50", "Time for which half of the lines were locked at most."),
    TIME("lock_p99", "Time for which 99 of 100 lines were locked at most."),
    TIME("lock_wait", "Mean wait for a mutex of the network library."),
    COUNT("locked_lines_most", "Most lines that were locked at a time."),
    RATIO("locked_lines", "Mean number of locked lines."),
    COUNT("locks_contended", "Mutexes of the network library that were taken after a wait."),
    COUNT("locks_taken", "Mutexes of the network library that were taken."),
    COUNT("locks", "Lines that were locked."),
    TIME("message_latency_max", "Longest of these."),
    TIME("message_latency", "Mean latency of the messages beside the gets."),
    COUNT("message_passing",
          "Rounds in which a flag was seen before its data, both put by one work-group."),
    RATIO("messages_per_us", "Messages per microsecond."),
    COUNT("messages", "Messages of one repetition."),
    TIME("mutex", "Mean time until the server had the network library's mutex."),
    ENERGY("network_energy", "Part of energy: bytes on cables of the network."),
    ENERGY("nic_energy", "Part of energy: NICs, idle and active."),
    TIME("noticed", "Mean time until the caller saw the end, after its completion was handled."),
    ENERGY("nvlink_energy", "Part of energy: bytes on NVLinks."),
    TIME("on_wire", "Mean time until the first packet set out, after the NIC had the command."),
    RATIO("operations_per_us", "Operations per microsecond."),
    COUNT("operations", "Operations that were served."),
    TIME("pe_busy", "Mean time of an iteration that a process's core works or is blocked."),
    TIME("pe_cuda", "Part of it in calls of CUDA."),
    TIME("pe_idle", "Mean time of an iteration in which a process's core has nothing to do."),
    RATIO("pe_utilisation", "Part of a process's core's time in which it works or is blocked."),
    COUNT("peer_read", "Rounds in which a get after the flag brought old data."),
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
    TIME("peer_time_ucx",
         "Time per message that the receiver's core spends on the communication library."),
    TIME("peer_time_wait", "Time per message that the receiver's core spends on waiting."),
    COUNT("period", "Iterations after which times repeat; 0: they were not seen to."),
    COUNT("polls", "Looks at queues by the service threads."),
    TIME("posted", "Mean time from the call until the queue entry's status was stored."),
    POWER("power", "Mean power of the GPU."),
    RATIO("puts_per_us", "Puts per microsecond."),
    RATIO("queue_memory_of_l2", "The same over the size of the L2."),
    BYTES("queue_memory", "Memory of all queues."),
    ENERGY("rank_energy", "Part of energy: the cores that ranks run on."),
    RATIO("rdma", "Messages per message of the benchmark that went by RDMA from host memory."),
    RATIO("reduce_share", "The same over the time of the iteration."),
    TIME("reduce", "Time of an iteration in which gradients are reduced."),
    TIME("residual", "Mean time of an iteration in which the residual is reduced."),
    COUNT("rounds", "Rounds that were played."),
    TIME("round", "Mean time of a round."),
    TIME("seen", "Mean time until the server saw a queue entry, after its status was stored."),
    TIME("served", "Mean time until the command was written and the doorbell rung."),
    ENERGY("service_energy", "Part of energy: the threads that serve kernels."),
    COUNT("signal", "Rounds in which a signal was seen before the data of its put."),
    ENERGY("socket_link_energy", "Part of energy: bytes on links between sockets."),
    RATIO("staged",
          "Messages per message of the benchmark that went in a pipeline through host memory."),
    COUNT("steps_run", "Steps of the ring that were simulated; 0 for a tree."),
    COUNT("store_buffering",
          "Rounds in which both sides read what was there before the other's put."),
    RATE("streamed", "Bytes over time that the streaming work-groups moved."),
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
    RATIO("time_sleep", "Part of the service threads' time in which they slept."),
    RATIO("time_stalled", "Part of the service threads' time in which they waited for memory."),
    TIME("time_ucx",
         "Time per message that the sender's core spends on the communication library."),
    TIME("time_wait", "Time per message that the sender's core spends on waiting."),
    TIME("time", "Mean time of a copy."),
    TIME("time_median", "Time that half of the round trips do not exceed."),
    TIME("timed", "The same, as two events around the kernel say."),
    TIME("turn_max", "Longest turn."),
    TIME("turn_min", "Shortest turn."),
    TIME("turn_p50", "Time that half of the turns do not exceed."),
    TIME("turn_p99", "Time that 99 of 100 turns do not exceed."),
    TIME("turn", "Mean time of a turn: put, and wait for the neighbour's signal."),
    RATIO("unexpected",
          "Messages per message of the benchmark that came before their receive was posted."),
    ENERGY("work_group_energy", "Part of energy: work-groups of kernels that post, poll and wait."),
    COUNT("work_groups_at_once", "Most work-groups that ran at a time."),
    COUNT("work_groups", "Work-groups of the kernel."),
};
const size_t measure_info_count = G_N_ELEMENTS(measure_infos);

/* Of the parameter `percentiles`: "latency_p99_9". */
static const struct measure_info percentile_info =
    TIME("NAME_pN", "Time that N of 100 do not exceed, as the parameter percentiles asks.");

/* Of a mean over units of a run: of a time, of a ratio. */
#define SPREAD "NAME_spread"
#define SPREAD_TEXT                                                                                \
    "Half of the interval that holds the mean NAME with 95 %, where polling loops begin in a drawn phase."
static const struct measure_info spread_info = TIME(SPREAD, SPREAD_TEXT),
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
        return info != NULL && info->is_ratio ? &ratio_spread_info : &spread_info;
    }
    return is_percentile(name) ? &percentile_info : NULL;
}
