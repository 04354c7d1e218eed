/* SPDX-License-Identifier: BSD-3-Clause */
#include "models/cuda/cuda.h"

#define WAY struct copy_way
static const struct param ways[] = {
    PARAM_TIME(setup, WAY, "0ns", "0ns", "1ms", "additional setup."),
    PARAM_TIME(ahead, WAY, "0ns", "0ns", "1ms", "additional overlap (copy_ahead)."),
    PARAM_RATE(rate, WAY, "100TB/s", "1MB/s", "100TB/s",
               "they move no faster than this, whatever the link carries."),
};
#undef WAY
static PARAM_TABLE(way_table, "copy_way", struct copy_way, ways, "Copies of a direction.");
static const struct param_record way_rows = {.table = &way_table};

#define LIMIT struct copy_limit
static const struct param limits[] = {
    PARAM_TIME(setup, LIMIT, "0ns", "0ns", "1ms", "additional setup."),
    PARAM_RATE(rate, LIMIT, "100TB/s", "1MB/s", "100TB/s",
               "they move no faster than this, whatever the link carries."),
};
#undef LIMIT
static PARAM_TABLE(limit_table, "copy_limit", struct copy_limit, limits,
                   "Copies with a property more.");
static const struct param_record limit_rows = {.table = &limit_table};

#define SPEC struct cuda_spec
static const struct param params[] = {
    PARAM_TIME(copy_call, SPEC, "3us", "0ns", "1ms",
               "Time that the core spends in cudaMemcpyAsync."),
    PARAM_TIME(peer_call, SPEC, "0ns", "0ns", "1ms",
               "Additional time of the call for a copy between two GPUs."),
    PARAM_TIME(local_call, SPEC, "0ns", "0ns", "1ms",
               "Additional time of the call for a copy within the memory of a GPU."),
    PARAM_TIME(
        copy_setup, SPEC, "2us", "0ns", "1ms",
        "Time from when a copy is first in its stream until the copy engine moves its first byte."),
    PARAM_TIME(copy_ahead, SPEC, "0ns", "0ns", "1ms",
               "Part of copy_setup that overlaps with the engine's previous copy."),
    PARAM_SHARE("to_host_", to_host, SPEC, &way_rows, "", "Copies to the host: "),
    PARAM_SHARE("to_device_", to_device, SPEC, &way_rows, "", "Copies from the host: "),
    PARAM_TIME(
        beside_kernel, SPEC, "0ns", "0ns", "1ms",
        "Additional setup of a copy while a kernel runs on the GPU. No rate can say it: a copy of a few bytes is delayed."),
    PARAM_TIME(
        beside_copy, SPEC, "0ns", "0ns", "1ms",
        "Additional setup of a copy from or to the host while the engine for the other direction is copying. both_ways_rate slows large copies in both directions, this delays small ones."),
    PARAM_RATE(both_ways_rate, SPEC, "200TB/s", "1MB/s", "200TB/s",
               "Upper limit of the rate of a GPU's copies from and to the host together."),
    PARAM_BYTES(inline_copy, SPEC, "0B", "0B", "1MiB",
                "Copies from the host of up to this size travel inside their command; 0: none."),
    PARAM_TIME(inline_setup, SPEC, "0ns", "0ns", "1ms",
               "Setup of a copy that travels inside its command (inline_copy)."),
    PARAM_TIME(inline_ahead, SPEC, "0ns", "0ns", "1ms",
               "Part of inline_setup that overlaps with the engine's previous copy."),
    PARAM_TIME(
        inline_pageable_ahead, SPEC, "0ns", "0ns", "1ms",
        "Added to inline_ahead for copies from pageable memory, of which several in a row take less time than from pinned memory."),
    PARAM_RATE(inline_rate, SPEC, "100TB/s", "1MB/s", "100TB/s",
               "Rate at which the core writes the bytes of an inline copy into the command."),
    PARAM_BYTES(copy_chunk, SPEC, "64KiB", "64B", "1GiB",
                "Bytes that a copy engine reads before it passes them on."),
    PARAM_BYTES(peer_chunk, SPEC, "64KiB", "64B", "1GiB",
                "Bytes that a copy engine reads before it passes them on, between two GPUs."),
    PARAM_TIME(peer_setup, SPEC, "0ns", "0ns", "1ms", "Additional setup between two GPUs."),
    PARAM_SHARE("cross_socket_", cross_socket, SPEC, &limit_rows, "",
                "Copies between two sockets: "),
    PARAM_SHARE("shared_", shared, SPEC, &limit_rows, "",
                "Copies of a GPU that several processes share: "),
    PARAM_SHARE("pageable_", pageable, SPEC, &limit_rows, "setup=2us,rate=10GB/s",
                "Copies from or to pageable memory: "),
    PARAM_TIME(synchronize, SPEC, "3us", "0ns", "1ms",
               "Time from a stream's last completion until cudaStreamSynchronize returns."),
    PARAM_TIME(wake, SPEC, "10us", "0ns", "1ms",
               "Additional time if the thread sleeps and an interrupt wakes it "
               "(cudaDeviceScheduleBlockingSync)."),
    PARAM_TIME(deep_sleep_after, SPEC, "1s", "0ns", "1s",
               "A core whose thread sleeps for longer than this enters a deeper idle state."),
    PARAM_TIME(deep_wake, SPEC, "0ns", "0ns", "10ms",
               "Additional time to wake from the deeper idle state (deep_sleep_after)."),
    PARAM_TIME(slept_call, SPEC, "0ns", "0ns", "1ms",
               "Additional time of a launch's call by a thread that has slept: its core's "
               "caches and clock."),
    PARAM_TIME(event_record, SPEC, "250ns", "0ns", "1ms",
               "Time that the core spends in cudaEventRecord, with timing disabled."),
    PARAM_TIME(event_query, SPEC, "200ns", "0ns", "1ms",
               "Time that the core spends in cudaEventQuery."),
    PARAM_TIME(event_wait, SPEC, "250ns", "0ns", "1ms",
               "Time that the core spends in cudaStreamWaitEvent."),
    PARAM_TIME(
        event_edge, SPEC, "0ns", "0ns", "1ms",
        "Time from the record of an event to the start of a kernel of another stream that waits for it, in addition to the time between kernels of one stream."),
    PARAM_TIME(timed_kernel, SPEC, "0ns", "0ns", "1ms",
               "Time that two events around a kernel measure in addition to the kernel's own."),
    PARAM_TIME(kernel_launch, SPEC, "5us", "0ns", "1ms",
               "Time that the core spends in a kernel launch."),
    PARAM_TIME(kernel_start, SPEC, "2us", "0ns", "1ms",
               "Time from when a kernel is first in its stream until its first work-group runs."),
    PARAM_TIME(kernel_ahead, SPEC, "0ns", "0ns", "1ms",
               "Part of kernel_start that is done while the stream's previous kernel still "
               "runs."),
    PARAM_TIME(
        call_serial, SPEC, "0ns", "0ns", "1ms",
        "Part of a copy or launch call that holds a lock of the GPU, so that the calls of several threads take turns."),
    PARAM_TIME(graph_instantiate, SPEC, "10us", "0ns", "1s",
               "Time that the core spends on making an executable graph, for each node."),
    PARAM_TIME(graph_launch, SPEC, "6us", "0ns", "1ms",
               "Time that the core spends on launching a graph of one node."),
    PARAM_TIME(graph_node, SPEC, "500ns", "0ns", "1ms",
               "Additional time of a graph launch for each node beyond the first."),
    PARAM_TIME(
        graph_branch, SPEC, "500ns", "0ns", "1ms",
        "Additional time of a graph launch for each further node that starts beside the first one."),
    PARAM_TIME(graph_node_start, SPEC, "1us", "0ns", "1ms",
               "Time from the end of a graph's node to the first work-group of the next node."),
    PARAM_TIME(
        graph_turn, SPEC, "0ns", "0ns", "1ms",
        "If a graph with branches is launched while the stream's previous launch runs, it starts this much later after that has ended, for each channel beyond the first."),
    PARAM_TIME(
        front_end_gap, SPEC, "8us", "0ns", "1ms",
        "Time between two polls, by the GPU's front end, of a word that a stream waits for."),
    PARAM_TIME(
        front_end_host, SPEC, "0ns", "0ns", "1ms",
        "Additional time between two such polls if the word is in host memory. The way over the bus does not explain it all."),
    PARAM_TIME(
        front_end_operation, SPEC, "1.3us", "0ns", "1ms",
        "Time from a stream's operation on memory (cuStreamWaitValue, cuStreamWriteValue) to its next one."),
    PARAM_TIME(pointer_query, SPEC, "300ns", "0ns", "1ms",
               "Time in which the driver tells the core to which memory a pointer belongs."),
    PARAM_BYTES(
        pageable_chunk, SPEC, "0B", "0B", "1GiB",
        "A copy to pageable memory is read this far before it is passed on; one from it is staged by the core in such pieces, and "
        "its call returns when the last is; 0: copy_chunk, and the call waits for the whole copy."),
    PARAM_RATE(local_rate, SPEC, "350GB/s", "1MB/s", "100TB/s",
               "Rate of copies within the memory of one GPU."),
    PARAM_TIME(
        map, SPEC, "80us", "0ns", "1s",
        "Time to map an allocation once: another process's (cudaIpcOpenMemHandle), or for the CPU (GDRCopy)."),
    PARAM_TIME(gdr_call, SPEC, "100ns", "0ns", "1ms",
               "Fixed cost of a copy through mapped GPU memory, without the bytes."),
    PARAM_TIME(gdr_cross_socket, SPEC, "300ns", "0ns", "1ms",
               "Additional cost of such a copy from another socket."),
    PARAM_RATE(gdr_read_rate, SPEC, "500MB/s", "1MB/s", "10TB/s",
               "Rate of CPU loads from mapped GPU memory."),
    PARAM_RATE(gdr_write_rate, SPEC, "9.5GB/s", "1MB/s", "10TB/s",
               "Rate of CPU stores to mapped GPU memory."),
};
#undef SPEC
PARAM_TABLE_SHARING(cuda_params, "cuda", struct cuda_spec, params,
                    "CUDA as a process sees it: streams, copy engines, handles, mapped memory.");
