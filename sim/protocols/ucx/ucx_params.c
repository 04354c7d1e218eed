/* SPDX-License-Identifier: BSD-3-Clause */
#include "protocols/ucx/ucx_params.h"

#include <glib.h>

#define SPEC struct ucx_spec
static const struct param library_parameters[] = {
    PARAM_TIME(send, SPEC, "200ns", "0ns", "1ms",
               "Time that the core spends in a tagged send, without copies."),
    PARAM_TIME(control, SPEC, "50ns", "0ns", "1ms",
               "Time that the core spends on making an announcement, request or acknowledgement."),
    PARAM_TIME(post, SPEC, "100ns", "0ns", "1ms",
               "Time in which the core hands a command to the NIC."),
    PARAM_TIME(
        progress, SPEC, "100ns", "0ns", "1ms",
        "Time that the core spends on posting a receive, or on taking one segment, control message or completion."),
    PARAM_TIME(poll, SPEC, "50ns", "0ns", "1ms",
               "Time that the core spends in a poll that finds nothing."),
    PARAM_TIME(complete, SPEC, "50ns", "0ns", "1ms",
               "Time that the core spends on completing a request."),
    PARAM_TIME(
        memory_type, SPEC, "50ns", "0ns", "1ms",
        "Time in which the core finds out to which memory a pointer belongs, by the cache of allocations."),
    PARAM_TIME(registration_hit, SPEC, "150ns", "0ns", "1ms",
               "Time in which the core finds an allocation in the registration cache."),
    PARAM_BYTES(segment, SPEC, "8256B", "64B", "1GiB",
                "Eager messages are copied and sent in segments of this size."),
    PARAM_TIME(same_socket_latency, SPEC, "100ns", "0ns", "1ms",
               "Shared memory: time from a store until a core of the same socket sees it."),
    PARAM_TIME(cross_socket_latency, SPEC, "300ns", "0ns", "1ms",
               "Shared memory: time from a store until a core of another socket sees it."),
    PARAM_BYTES(intra_node_eager, SPEC, "8KiB", "0B", "1GiB",
                "Host memory within a node: payloads up to this size are sent eagerly."),
    PARAM_TIME(cross_attach, SPEC, "1us", "0ns", "1ms",
               "Fixed time of the system call that copies out of another process's memory (CMA)."),
    PARAM_BYTES(intra_node_device_eager, SPEC, "8KiB", "0B", "1GiB",
                "GPU memory within a node: payloads up to this size are sent eagerly; 0: only "
                "empty ones."),
    PARAM_FLAG(
        device_queue, SPEC, "false",
        "Wait for the GPU copies of a rendezvous by synchronising their stream; otherwise by event queries."),
    PARAM_BYTES(eager, SPEC, "8KiB", "0B", "1GiB",
                "Host memory between nodes: payloads up to this size are sent eagerly."),
    PARAM_BYTES(inline, SPEC, "64B", "0B", "4KiB",
                "Payloads up to this size travel inside the NIC's command."),
    PARAM_BYTES(device_eager, SPEC, "8KiB", "0B", "1GiB",
                "GPU memory between nodes: payloads up to this size are sent eagerly; 0: only "
                "empty ones."),
    PARAM_COUNT(rails, SPEC, "1", "1", "8", "NICs that a rendezvous transfer is spread over."),
    PARAM_BYTES(gpu_direct, SPEC, "0B", "0B", "1TiB",
                "GPU memory between nodes: a rendezvous up to this size uses GPUDirect RDMA; "
                "larger ones are staged through host memory."),
    PARAM_BYTES(fragment, SPEC, "512KiB", "4KiB", "1GiB",
                "Size of a fragment of the staging pipeline."),
    PARAM_COUNT(
        fragments_in_flight, SPEC, "4", "1", "1024",
        "Largest number of fragments of a message that have been requested and have not arrived."),
    PARAM_COUNT(fragments_on_wire, SPEC, "16", "1", "1024",
                "Largest number of a process's fragments that its NIC writes at a time."),
    PARAM_TIME(
        fragment_cost, SPEC, "1us", "0ns", "1ms",
        "Time of each side's core for each fragment, in addition to copies and control messages."),
    PARAM_TIME(direct_setup, SPEC, "500ns", "0ns", "1ms",
               "Additional time of a GPUDirect read, for the NIC's path to the memory of a GPU."),
    PARAM_FLAG(
        gdr_copy, SPEC, "true",
        "Whether GDRCopy is installed: eager messages then copy GPU memory by the core's loads and stores."),
    PARAM_TIME(device_send, SPEC, "100ns", "0ns", "1ms",
               "Additional time of the core for a send or receive of GPU memory."),
};
#undef SPEC
PARAM_TABLE(
    message_library_params, "message_library", struct ucx_spec, library_parameters,
    "A library of tagged messages, eager and rendezvous. A machine has several, by name; a machine file adds "
    "one by name = message_library { from = \"ucx\", eager = \"64KiB\" }.");

const struct param_table ucx_params = {"ucx",
                                       "UCX: tagged sends and receives, eager and rendezvous.",
                                       library_parameters,
                                       G_N_ELEMENTS(library_parameters),
                                       sizeof(struct ucx_spec),
                                       &message_library_params};
