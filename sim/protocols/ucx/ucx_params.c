/* SPDX-License-Identifier: BSD-3-Clause */
#include "protocols/ucx/ucx_params.h"

#include <glib.h>

#define SPEC struct ucx_spec
static const struct param library_parameters[] = {
    PARAM_TIME(send, SPEC, "200ns", "0ns", "1ms", "The core in a tagged send, without copies."),
    PARAM_TIME(receive, SPEC, "100ns", "0ns", "1ms", "The core in posting a receive."),
    PARAM_TIME(control, SPEC, "50ns", "0ns", "1ms",
               "The core in making an announcement, request or acknowledgement."),
    PARAM_TIME(post, SPEC, "100ns", "0ns", "1ms", "The core in handing a command to the NIC."),
    PARAM_TIME(match, SPEC, "10ns", "0ns", "1ms", "The core, for each queue entry polled."),
    PARAM_TIME(progress, SPEC, "100ns", "0ns", "1ms",
               "The core in taking up one segment, control message or completion."),
    PARAM_TIME(poll, SPEC, "50ns", "0ns", "1ms", "The core in a poll that finds nothing."),
    PARAM_TIME(complete, SPEC, "50ns", "0ns", "1ms", "The core in ending a request."),
    PARAM_TIME(memory_type, SPEC, "50ns", "0ns", "1ms",
               "The core in finding out whose memory a pointer is, by the cache of allocations."),
    PARAM_FLAG(memory_type_cache, SPEC, "true",
               "Whether there is such a cache; otherwise each look-up asks the CUDA driver."),
    PARAM_TIME(registration, SPEC, "16us", "0ns", "100ms",
               "The core in registering an allocation with the NIC, once."),
    PARAM_TIME(registration_growth, SPEC, "0ns", "0ns", "1ms", "Additional time for each KiB."),
    PARAM_TIME(registration_hit, SPEC, "150ns", "0ns", "1ms",
               "The core in finding it in the registration cache."),
    PARAM_BYTES(segment, SPEC, "8256B", "64B", "1GiB",
                "Eager messages are copied and sent in segments of this size."),
    PARAM_TIME(same_socket_latency, SPEC, "100ns", "0ns", "1ms",
               "Shared memory: from a store until it is seen on the same socket."),
    PARAM_TIME(cross_socket_latency, SPEC, "300ns", "0ns", "1ms",
               "Shared memory: from a store until it is seen on another socket."),
    PARAM_BYTES(intra_node_eager, SPEC, "8KiB", "0B", "1GiB",
                "Host memory within a node: payloads up to this size are sent eagerly."),
    PARAM_TIME(cross_attach, SPEC, "1us", "0ns", "1ms",
               "The system call that copies out of another process."),
    PARAM_BYTES(intra_node_device_eager, SPEC, "8KiB", "0B", "1GiB",
                "GPU memory within a node: payloads up to this size are sent eagerly; 0: only "
                "empty ones."),
    PARAM_FLAG(device_queue, SPEC, "false",
               "Wait for a rendezvous's GPU copies by synchronizing their stream, not by event "
               "queries."),
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
    PARAM_BYTES(fragment, SPEC, "512KiB", "4KiB", "1GiB", "Fragment of the staging pipeline."),
    PARAM_COUNT(fragments_in_flight, SPEC, "4", "1", "1024",
                "Fragments of a message asked for and not yet in their place."),
    PARAM_COUNT(fragments_on_wire, SPEC, "16", "1", "1024",
                "Fragments of a process that its NIC writes at a time."),
    PARAM_TIME(fragment_cost, SPEC, "1us", "0ns", "1ms",
               "The core of each side, for each fragment, in addition to copies and control "
               "messages."),
    PARAM_TIME(direct_setup, SPEC, "500ns", "0ns", "1ms",
               "Additional time of a GPUDirect read: the NIC's path to the memory of a GPU."),
    PARAM_FLAG(gdr_copy, SPEC, "true",
               "Whether GDRCopy was found: eager copies of GPU memory by loads and stores."),
    PARAM_TIME(device_send, SPEC, "100ns", "0ns", "1ms",
               "The core, in addition for a send or receive of GPU memory."),
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
