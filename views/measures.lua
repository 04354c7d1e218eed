-- SPDX-License-Identifier: BSD-3-Clause
-- The manual of measures, the numbers that workloads give: each { name, unit, sentence }. A ratio is a plain number; the
-- unit of all others is the kind of a quantity.
local measures = {}

local ROWS = {
  { "accesses_private", "count", "Accesses to the L2 by command processors to lines of their own." },
  { "accesses_shared", "count", "Accesses to the L2 by command processors to lines that work-groups write, too." },
  { "allreduce", "time", "Time of one allreduce of the gradients." },
  { "bandwidth", "rate", "Payload bytes over time." },
  { "blocks_x", "count", "Blocks of the grid along x." },
  { "blocks_y", "count", "Blocks of the grid along y." },
  { "blocks_z", "count", "Blocks of the grid along z." },
  { "blocks", "count", "Blocks of the grid." },
  { "bus_bandwidth", "rate", "Bus bandwidth as NCCL's tests define it: bytes over time, times the bytes that an allreduce has to move "
    .. "for each byte of the buffer." },
  { "bus_energy", "energy", "Part of energy: bytes on links of the bus." },
  { "bytes_ahead", "bytes", "Mean bytes that a node has under way to other nodes when it sends another face to one." },
  { "cma", "ratio", "Share of the benchmark's messages that used cross-memory attach." },
  { "communication", "time", "Mean time of an iteration from the first send to the last receive, of the first block." },
  { "completed", "time", "Mean time from the delivery of the data until the server has handled the completion." },
  { "compute", "time", "Mean time of an iteration in which a work-group computes." },
  { "cp_cores_left", "count", "Command processor cores of a GPU that services leave." },
  { "delivered", "time", "Mean time from the departure of the first packet until the last byte is in its memory." },
  { "dispatch", "time", "Mean time until all tokens were at their experts." },
  { "doorbell", "time", "Mean time from the store to the doorbell until it is at the NIC." },
  { "duration", "time", "Time of the measured part: from the first start to the last end, or of one repetition." },
  { "eager_device", "ratio", "Share of the benchmark's messages that were sent eagerly from GPU memory." },
  { "eager", "ratio", "Share of the benchmark's messages that were sent eagerly from host memory." },
  { "early_messages", "count", "Messages that arrived before their block had reached their iteration." },
  { "energy_active", "energy", "Part of service_energy and rank_energy in which the cores executed." },
  { "energy_idle", "energy", "Part of service_energy and rank_energy in which the cores had nothing to do." },
  { "energy_polling", "energy", "Part of service_energy and rank_energy in which the cores polled." },
  { "energy_stalled", "energy", "Part of service_energy and rank_energy in which the cores waited for memory." },
  { "energy_time", "time", "The time in which energy was drawn: the measured part of the run without warm-up, divided by its number of "
    .. "messages, iterations or repeats if the workload's times are means of these." },
  { "energy", "energy", "Energy of everything that takes part, in energy_time: the sum of the parts that are modelled." },
  { "events", "count", "Number of events of the simulation." },
  { "exchange", "time", "Mean time of an iteration from a block's update to the end of its last unpacking; what the host launches during a longer update is not in it." },
  { "exposed", "time", "Mean time of an iteration in which no kernel is at work on a GPU." },
  { "fetched", "time", "Mean time from the doorbell until the NIC has the command." },
  { "get_latency_max", "time", "Longest latency of the gets beside the messages." },
  { "get_latency", "time", "Mean latency of the gets beside the messages." },
  { "gpu_busy", "time", "Mean time of an iteration in which kernels are at work on a GPU." },
  { "gpu_direct", "ratio", "Share of the benchmark's messages that used GPUDirect RDMA." },
  { "gpu_idle_energy", "energy", "Part of energy: GPUs, clocked and idle, all the time." },
  { "gpu_memory_energy", "energy", "Part of energy: bytes that memory of GPUs moves, or that pass their ports." },
  { "halo", "time", "Mean time of an iteration in which a work-group waits for its halo." },
  { "hit_rate_private", "ratio", "Hits in the L2 over accesses, for command processors' private lines." },
  { "hit_rate_shared", "ratio", "Hits in the L2 over accesses by command processors, for lines that work-groups write, too." },
  { "hit_rate", "ratio", "Hits in the L2 over accesses by command processors." },
  { "host_cores_left", "count", "Host cores of a socket that services leave." },
  { "ipc", "ratio", "Share of the benchmark's messages that used CUDA IPC." },
  { "iterations_run", "count", "Iterations that were simulated, until each was like the one before." },
  { "iterations_simulated", "count", "Iterations that were simulated; the others repeat them." },
  { "iterations", "count", "Iterations that were asked for." },
  { "iteration", "time", "Mean time of an iteration." },
  { "kernel_boundary", "time", "Time of launch and end of the kernel around the measured part." },
  { "kernel_time", "time", "Sum of the times of a GPU's kernels in an iteration." },
  { "kernels", "ratio", "Kernels of a GPU in an iteration." },
  { "l2_latency", "time", "Latency of a hit in the L2." },
  { "late_receive", "time", "Mean time for which data waited until their receive was posted." },
  { "latency_max", "time", "Longest latency." },
  { "latency_min", "time", "Shortest latency." },
  { "latency_p50", "time", "Median latency." },
  { "latency_p99", "time", "99th percentile of the latency." },
  { "latency", "time", "Mean latency of an operation; of a ping-pong half of a round trip." },
  { "lock_fallbacks", "count", "Lines that could not be locked because their set was full of locked lines." },
  { "lock_mean", "time", "Mean time that a line was locked." },
  { "lock_p50", "time", "Median of the time that a line was locked." },
  { "lock_p99", "time", "99th percentile of the time that a line was locked." },
  { "lock_wait", "time", "Mean wait for a mutex of the network library." },
  { "locked_lines_most", "count", "Largest number of lines that were locked at a time." },
  { "locked_lines", "ratio", "Mean number of locked lines." },
  { "locks_contended", "count", "How often a thread took a mutex of the network library after a wait." },
  { "locks_taken", "count", "How often a thread took a mutex of the network library." },
  { "locks", "count", "Lines that were locked." },
  { "message_latency_max", "time", "Longest latency of the messages beside the gets." },
  { "message_latency", "time", "Mean latency of the messages beside the gets." },
  { "message_passing", "count", "Rounds in which a flag was seen before its data, both put by one work-group." },
  { "messages_per_us", "ratio", "Messages per microsecond." },
  { "messages", "count", "Messages of one repetition." },
  { "mutex", "time", "Mean time until the server has acquired the network library's mutex." },
  { "network_energy", "energy", "Part of energy: bytes on cables of the network." },
  { "nic_energy", "energy", "Part of energy: NICs, idle and active." },
  { "noticed", "time", "Mean time from the handling of the completion until the caller's call has returned." },
  { "nvlink_energy", "energy", "Part of energy: bytes on NVLinks." },
  { "on_wire", "time", "Mean time from when the NIC has the command until its first packet departs." },
  { "operations_per_us", "ratio", "Operations per microsecond." },
  { "operations", "count", "Operations that were served." },
  { "pe_busy", "time", "Mean time of an iteration that a process's core works or is blocked." },
  { "pe_cuda", "time", "Part of pe_busy that is spent in CUDA calls." },
  { "pe_idle", "time", "Mean time of an iteration in which a process's core has nothing to do." },
  { "pe_utilisation", "ratio", "Share of the time in which a process's core works or is blocked." },
  { "peer_read", "count", "Rounds in which a get that followed the flag returned old data." },
  { "peer_time_allocate", "time", "Time per message that the receiver's core spends on allocation." },
  { "peer_time_application", "time", "Time per message that the receiver's core spends on the application." },
  { "peer_time_callback", "time", "Time per message that the receiver's core spends on callbacks." },
  { "peer_time_copy", "time", "Time per message that the receiver's core spends on copies." },
  { "peer_time_cuda", "time", "Time per message that the receiver's core spends on calls of CUDA." },
  { "peer_time_interpreter", "time", "Time per message that the receiver's core spends on the Python interpreter." },
  { "peer_time_match", "time", "Time per message that the receiver's core spends on matching." },
  { "peer_time_pack", "time", "Time per message that the receiver's core spends on packing and unpacking." },
  { "peer_time_schedule", "time", "Time per message that the receiver's core spends on the runtime's scheduler." },
  { "peer_time_system", "time", "Time per message that the operating system takes from the receiver's core." },
  { "peer_time_ucx", "time", "Time per message that the receiver's core spends on the communication library." },
  { "peer_time_wait", "time", "Time per message that the receiver's core spends on waiting." },
  { "period", "count", "Number of iterations after which times repeat; 0: no repetition was found." },
  { "polls", "count", "Polls of queues by the service threads." },
  { "posted", "time", "Mean time from the call until the status of the queue entry is stored." },
  { "power", "power", "Mean power of the GPU." },
  { "puts_per_us", "ratio", "Puts per microsecond." },
  { "queue_memory_of_l2", "ratio", "Memory of all queues over the size of the L2." },
  { "queue_memory", "bytes", "Memory of all queues." },
  { "rank_energy", "energy", "Part of energy: the cores that ranks run on." },
  { "rdma", "ratio", "Share of the benchmark's messages that used RDMA from host memory." },
  { "reduce_share", "ratio", "Share of the iteration that is spent in the reduction." },
  { "reduce", "time", "Time of an iteration in which gradients are reduced." },
  { "residual", "time", "Mean time of an iteration in which the residual is reduced." },
  { "rounds", "count", "Number of rounds." },
  { "round", "time", "Mean time of a round." },
  { "seen", "time", "Mean time from the store of a queue entry's status until the server has seen it." },
  { "served", "time", "Mean time until the server has written the command and stored to the doorbell." },
  { "service_energy", "energy", "Part of energy: the threads that serve kernels." },
  { "signal", "count", "Rounds in which a signal was seen before the data of its put." },
  { "socket_link_energy", "energy", "Part of energy: bytes on links between sockets." },
  { "staged", "ratio", "Share of the benchmark's messages that were staged through host memory in a pipeline." },
  { "steps_run", "count", "Steps of the ring that were simulated; 0 for a tree." },
  { "store_buffering", "count", "Rounds in which both sides read the value from before the other's put." },
  { "streamed", "rate", "Bytes that the streaming work-groups moved, over time." },
  { "time_active", "ratio", "Part of the service threads' time in which they executed instructions." },
  { "time_allocate", "time", "Time per message that the sender's core spends on allocation." },
  { "time_application", "time", "Time per message that the sender's core spends on the application." },
  { "time_callback", "time", "Time per message that the sender's core spends on callbacks." },
  { "time_copy", "time", "Time per message that the sender's core spends on copies." },
  { "time_cuda", "time", "Time per message that the sender's core spends on calls of CUDA." },
  { "time_idle", "ratio", "Part of the service threads' time in which they had nothing to do." },
  { "time_interpreter", "time", "Time per message that the sender's core spends on the Python interpreter." },
  { "time_match", "time", "Time per message that the sender's core spends on matching." },
  { "time_pack", "time", "Time per message that the sender's core spends on packing and unpacking." },
  { "time_polling", "ratio", "Part of the service threads' time in which they polled." },
  { "time_schedule", "time", "Time per message that the sender's core spends on the runtime's scheduler." },
  { "time_stalled", "ratio", "Part of the service threads' time in which they waited for memory." },
  { "time_system", "time", "Time per message that the operating system takes from the sender's core." },
  { "time_ucx", "time", "Time per message that the sender's core spends on the communication library." },
  { "time_wait", "time", "Time per message that the sender's core spends on waiting." },
  { "time", "time", "Mean time of a copy." },
  { "time_median", "time", "Median time of a round trip." },
  { "timed", "time", "Time of a pass as two events around the kernel measure it." },
  { "turn_max", "time", "Longest turn." },
  { "turn_min", "time", "Shortest turn." },
  { "turn_p50", "time", "Median time of a turn." },
  { "turn_p99", "time", "99th percentile of the time of a turn." },
  { "turn", "time", "Mean time of a turn: put, and wait for the neighbour's signal." },
  { "unexpected", "ratio", "Share of the benchmark's messages that came before their receive was posted." },
  { "work_group_energy", "energy", "Part of energy: work-groups of kernels that post, poll and wait." },
  { "work_groups_at_once", "count", "Largest number of work-groups that ran at a time." },
  { "work_groups", "count", "Work-groups of the kernel." },
}

-- Of a mean NAME over runs whose polling loops begin in a drawn phase.
local OF_MEANS = {
  { "_spread", "Half of the interval that holds the mean NAME with 95 %, where polling loops begin in a drawn phase; at least half of the distance between two kinds of operations." },
  { "_interval_95", "Half of that interval, if NAME_spread is that of kinds." },
  { "_lower", "Median of the runs with the smaller NAME, if they fall into two groups; the mean is of all runs." },
  { "_upper", "Median of the runs with the greater NAME, if they fall into two groups." },
  { "_lower_share", "Share of the runs that are in the group with the smaller NAME." },
}
local PERCENTILE = "Time that N of 100 do not exceed, as the parameter percentiles asks."

-- Records { name, column, description }, in the order of ROWS. The column is that of the measure in results.
function measures.list()
  local list = {}
  for i, row in ipairs(ROWS) do
    local name, unit, description = table.unpack(row)
    local column = unit == "ratio" and name or core.column_name("quantity", unit, name)
    list[i] = { name = name, column = column, description = description }
  end
  return list
end

local function has_row(name)
  for _, row in ipairs(ROWS) do
    if row[1] == name then return row end
  end
end

-- The sentence about a measure, or about its spread ("latency_spread") or a percentile ("latency_p99_9"); nil if there is no
-- such measure.
function measures.sentence(name)
  local row = has_row(name)
  if row then return row[3] end
  for _, row in ipairs(OF_MEANS) do
    if name:find(row[1] .. "$") then return row[2] end
  end
  return name:find("^.*_p%d[%d_]*$") and PERCENTILE or nil
end

return measures
