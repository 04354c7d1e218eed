/* SPDX-License-Identifier: BSD-3-Clause */
/* What the steps of the library with tag matching cost, and where its protocols change. All times are of
 * one core of the machine. */
#pragma once

#include "core/param.h"
#include "core/simtime.h"

/* A control message on the wire: tag, sizes, address and key (estimated, 40 to 128 B). */
#define UCX_CONTROL_BYTES 64

/* The core compares a tag with an entry of the posted or the unexpected queue: a cached line (estimated, 2 to 30 ns). */
#define UCX_MATCH_PS (10 * PS_PER_NS)

/* The core registers an allocation with the NIC, once: UCX's own model of that cost (openucx/ucx v1.10), to which
 * registration_growth adds. */
#define UCX_REGISTRATION_PS (16 * PS_PER_US)

/* A library with tag matching, eager and rendezvous protocols (M-117 to M-123): the core's time, what is done between processes of a
 * node, between nodes, and with GPU memory. Libraries take the same steps, and differ in numbers and switches. Sources: rails M-122,
 * gpu_direct M-032 to M-034, fragments M-118, gdr_copy M-030, M-119 and P-L05. */
#define UCX_ROWS(ROW)                                                                              \
    ROW(TIME, send, "200ns", "0ns", "1ms",                                                         \
        "Time that the core spends in a tagged send, without copies.")                             \
    ROW(TIME, control, "50ns", "0ns", "1ms",                                                       \
        "Time that the core spends on making an announcement, request or acknowledgement.")        \
    ROW(TIME, post, "100ns", "0ns", "1ms", "Time in which the core hands a command to the NIC.")   \
    ROW(TIME, progress, "100ns", "0ns", "1ms",                                                     \
        "Time that the core spends on posting a receive, or on taking one segment, control "       \
        "message or completion.")                                                                  \
    ROW(TIME, poll, "50ns", "0ns", "1ms",                                                          \
        "Time that the core spends in a poll that finds nothing, and on completing a request.")    \
    ROW(TIME, memory_type, "50ns", "0ns", "1ms",                                                   \
        "Time in which the core finds out to which memory a pointer belongs, by the cache of "     \
        "allocations.")                                                                            \
    ROW(TIME, registration_growth, "0ns", "0ns", "1ms",                                            \
        "Additional time for each KiB to register an allocation with the NIC, which takes 16 "     \
        "us once.")                                                                                \
    ROW(TIME, registration_hit, "150ns", "0ns", "1ms",                                             \
        "Time in which the core finds an allocation in the registration cache.")                   \
    ROW(BYTES, segment, "8256B", "64B", "1GiB",                                                    \
        "Eager messages are copied and sent in segments of this size.")                            \
    ROW(TIME, same_socket_latency, "100ns", "0ns", "1ms",                                          \
        "Shared memory: time from a store until a core of the same socket sees it.")               \
    ROW(TIME, cross_socket_latency, "300ns", "0ns", "1ms",                                         \
        "Shared memory: time from a store until a core of another socket sees it.")                \
    ROW(BYTES, intra_node_eager, "8KiB", "0B", "1GiB",                                             \
        "Host memory within a node: payloads up to this size are sent eagerly.")                   \
    ROW(TIME, cross_attach, "1us", "0ns", "1ms",                                                   \
        "Fixed time of the system call that copies out of another process's memory (CMA).")        \
    ROW(BYTES, intra_node_device_eager, "8KiB", "0B", "1GiB",                                      \
        "GPU memory within a node: payloads up to this size are sent eagerly; 0: only "            \
        "empty ones.")                                                                             \
    ROW(FLAG, device_queue, "false",                                                               \
        "Wait for the GPU copies of a rendezvous by synchronising their stream; otherwise by "     \
        "event queries.")                                                                          \
    ROW(BYTES, eager, "8KiB", "0B", "1GiB",                                                        \
        "Host memory between nodes: payloads up to this size are sent eagerly.")                   \
    ROW(BYTES, inline, "64B", "0B", "4KiB",                                                        \
        "Payloads up to this size travel inside the NIC's command.")                               \
    ROW(BYTES, device_eager, "8KiB", "0B", "1GiB",                                                 \
        "GPU memory between nodes: payloads up to this size are sent eagerly; 0: only "            \
        "empty ones.")                                                                             \
    ROW(COUNT, rails, "1", "1", "8", "NICs that a rendezvous transfer is spread over.")            \
    ROW(BYTES, gpu_direct, "0B", "0B", "1TiB",                                                     \
        "GPU memory between nodes: a rendezvous up to this size uses GPUDirect RDMA; "             \
        "larger ones are staged through host memory.")                                             \
    ROW(BYTES, fragment, "512KiB", "4KiB", "1GiB", "Size of a fragment of the staging pipeline.")  \
    ROW(COUNT, fragments_in_flight, "4", "1", "1024",                                              \
        "Largest number of fragments of a message that have been requested and have not "          \
        "arrived.")                                                                                \
    ROW(COUNT, fragments_on_wire, "16", "1", "1024",                                               \
        "Largest number of a process's fragments that its NIC writes at a time.")                  \
    ROW(TIME, fragment_cost, "1us", "0ns", "1ms",                                                  \
        "Time of each side's core for each fragment, in addition to copies and control "           \
        "messages.")                                                                               \
    ROW(TIME, direct_setup, "500ns", "0ns", "1ms",                                                 \
        "Additional time of a GPUDirect read, for the NIC's path to the memory of a GPU.")         \
    ROW(FLAG, gdr_copy, "true",                                                                    \
        "Whether GDRCopy is installed: eager messages then copy GPU memory by the core's "         \
        "loads and stores.")                                                                       \
    ROW(TIME, device_send, "100ns", "0ns", "1ms",                                                  \
        "Additional time of the core for a send or receive of GPU memory.")
struct ucx_spec {
    UCX_ROWS(PARAM_FIELD)
};

/* The kind, and its instance UCX, which every machine has: Charm++ stands on it. The others are data (configs/runtimes.lua). */
extern const struct param_table message_library_params, ucx_params;
