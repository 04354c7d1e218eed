#include "models/messaging.h"

#define SPEC struct ucx_spec
static const struct param library_parameters[] = {
    PARAM_TIME(send, SPEC, "200ns", "0ns", "1ms", "The core in a tagged send, beside copies."),
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
               "Whether there is such a cache; else each look-up asks the CUDA driver."),
    PARAM_TIME(registration, SPEC, "16us", "0ns", "100ms",
               "The core in registering an allocation with the NIC, once."),
    PARAM_TIME(registration_hit, SPEC, "150ns", "0ns", "1ms",
               "The core in finding it in the registration cache."),
    PARAM_BYTES(segment, SPEC, "8256B", "64B", "1GiB",
                "Eager messages are copied and sent in segments of this."),
    PARAM_BYTES(control_message, SPEC, "64B", "0B", "4KiB", "A control message on the wire."),
    PARAM_TIME(same_socket_latency, SPEC, "100ns", "0ns", "1ms",
               "Shared memory: from a store to the sight of it on the same socket."),
    PARAM_TIME(cross_socket_latency, SPEC, "300ns", "0ns", "1ms",
               "Shared memory: from a store to the sight of it on another socket."),
    PARAM_BYTES(intra_node_eager, SPEC, "8KiB", "0B", "1GiB",
                "Host memory within a node: payloads up to this go eager."),
    PARAM_TIME(cross_attach, SPEC, "1us", "0ns", "1ms",
               "The system call that copies out of another process."),
    PARAM_BYTES(intra_node_device_eager, SPEC, "8KiB", "0B", "1GiB",
                "GPU memory within a node: payloads up to this go eager; 0: only empty ones."),
    PARAM_COUNT(peer_streams, SPEC, "16", "1", "1024",
                "Streams for copies between GPUs of a node, by the sender's rank."),
    PARAM_FLAG(device_queue, SPEC, "false",
               "Wait for a rendezvous's GPU copies by synchronizing their stream, not by event "
               "queries."),
    PARAM_BYTES(eager, SPEC, "8KiB", "0B", "1GiB",
                "Host memory between nodes: payloads up to this go eager."),
    PARAM_BYTES(inline, SPEC, "64B", "0B", "4KiB",
                "Payloads up to this travel inside the NIC's command."),
    PARAM_BYTES(device_eager, SPEC, "8KiB", "0B", "1GiB",
                "GPU memory between nodes: payloads up to this go eager; 0: only empty ones."),
    PARAM_COUNT(rails, SPEC, "1", "1", "8", "NICs that a rendezvous transfer is spread over."),
    PARAM_BYTES(
        gpu_direct, SPEC, "0B", "0B", "1TiB",
        "GPU memory between nodes: rendezvous up to this by GPUDirect RDMA, above it staged "
        "through host memory."),
    PARAM_BYTES(fragment, SPEC, "512KiB", "4KiB", "1GiB", "Fragment of the staging pipeline."),
    PARAM_COUNT(fragments_in_flight, SPEC, "4", "1", "1024",
                "Fragments of a message asked for and not yet in their place."),
    PARAM_COUNT(fragments_on_wire, SPEC, "16", "1", "1024",
                "Fragments of a process that its NIC writes at a time."),
    PARAM_TIME(fragment_cost, SPEC, "1us", "0ns", "1ms",
               "Each side's core, for each fragment beside copies and control messages."),
    PARAM_TIME(direct_setup, SPEC, "500ns", "0ns", "1ms",
               "More of a GPUDirect read: the NIC's way to the memory of a GPU."),
    PARAM_FLAG(gdr_copy, SPEC, "true",
               "Whether GDRCopy was found: eager copies of GPU memory by loads and stores."),
    PARAM_TIME(device_send, SPEC, "100ns", "0ns", "1ms",
               "The core, more of a send or receive of GPU memory."),
};
#undef SPEC
PARAM_TABLE(ucx_params, "ucx", struct ucx_spec, library_parameters,
            "UCX: tagged sends and receives, eager and rendezvous.");
PARAM_TABLE(pami_params, "pami", struct ucx_spec, library_parameters,
            "What Spectrum MPI stands on: the same steps as UCX with other numbers.");

#define SPEC struct mpi_spec
static const struct param mpi_parameters[] = {
    PARAM_TIME(send, SPEC, "100ns", "0ns", "1ms", "The core in MPI_Isend, beside the library."),
    PARAM_TIME(receive, SPEC, "100ns", "0ns", "1ms", "The core in MPI_Irecv, beside the library."),
    PARAM_TIME(wait, SPEC, "50ns", "0ns", "1ms", "The core, for each request found complete."),
    PARAM_TIME(device, SPEC, "100ns", "0ns", "1ms", "More of a call with GPU memory."),
};
#undef SPEC
PARAM_TABLE(openmpi_params, "openmpi", struct mpi_spec, mpi_parameters, "Open MPI above UCX.");
PARAM_TABLE(spectrum_params, "spectrum", struct mpi_spec, mpi_parameters,
            "Spectrum MPI above its library (component pami).");

#define SPEC struct charm_spec
static const struct param charm_parameters[] = {
    PARAM_TIME(pack, SPEC, "400ns", "0ns", "1ms",
               "An entry method call: headers of core, Converse and machine layer."),
    PARAM_TIME(schedule, SPEC, "500ns", "0ns", "1ms",
               "Picking a message from the queue and invoking its entry method."),
    PARAM_TIME(callback, SPEC, "200ns", "0ns", "1ms", "Making a callback and sending it."),
    PARAM_TIME(metadata, SPEC, "200ns", "0ns", "1ms",
               "Allocating and filling the record of one device transfer."),
    PARAM_TIME(probe, SPEC, "200ns", "0ns", "1ms", "Finding a large host message."),
    PARAM_BYTES(header, SPEC, "96B", "1B", "4KiB", "Header of a host message."),
    PARAM_BYTES(device_metadata, SPEC, "64B", "1B", "4KiB",
                "Description of a GPU buffer in a host message."),
    PARAM_BYTES(eager, SPEC, "32KiB", "0B", "1GiB",
                "Host messages up to this are received by receives posted before; larger ones are "
                "probed."),
    PARAM_COUNT(posted_receives, SPEC, "64", "1", "65536", "Receives posted before."),
    PARAM_COUNT(
        tag_counter_bits, SPEC, "28", "24", "40",
        "Bits of a GPU Messaging tag that count a PE's sends; 4 are the type, the rest the PE. "
        "A run that uses them up ends."),
    PARAM_COUNT(channel_id_bits, SPEC, "28", "24", "36",
                "Bits of a Channel tag that name the channel; 4 are the type, the rest count."),
    PARAM_FLAG(
        device_transfers, SPEC, "true",
        "Move the data of device transfers; else only their records are kept, as in ParCo22's "
        "measurement of the time outside UCX."),
};
#undef SPEC
PARAM_TABLE(charm_params, "charm", struct charm_spec, charm_parameters,
            "Charm++ in its non-SMP build.");

#define SPEC struct ampi_spec
static const struct param ampi_parameters[] = {
    PARAM_TIME(call, SPEC, "500ns", "0ns", "1ms", "A send or receive call of AMPI."),
    PARAM_TIME(match, SPEC, "200ns", "0ns", "1ms",
               "Searching or filling the request and unexpected queues."),
    PARAM_TIME(device_check, SPEC, "100ns", "0ns", "1ms",
               "Whether a pointer is GPU memory, by the cache of known addresses."),
    PARAM_TIME(device_request, SPEC, "500ns", "0ns", "1ms",
               "Records and callbacks of a device transfer, on each side."),
    PARAM_TIME(switch, SPEC, "1us", "0ns", "1ms",
               "Suspending or resuming a rank's user-level thread."),
    PARAM_BYTES(zero_copy, SPEC, "102400B", "0B", "1GiB",
                "Payloads above this go by the Zero Copy API."),
    PARAM_TIME(zero_copy_cost, SPEC, "5us", "0ns", "1ms",
               "Registration and metadata of such a transfer, on each side."),
    PARAM_COUNT(pool_messages, SPEC, "32", "0", "65536", "Messages kept ready."),
    PARAM_BYTES(pool_message, SPEC, "128B", "0B", "1MiB", "Size of such a message."),
};
#undef SPEC
PARAM_TABLE(ampi_params, "ampi", struct ampi_spec, ampi_parameters, "AMPI above Charm++.");

#define SPEC struct charm4py_spec
static const struct param charm4py_parameters[] = {
    PARAM_TIME(send, SPEC, "5us", "0ns", "1ms", "A channel send: Python and Cython."),
    PARAM_TIME(receive, SPEC, "5us", "0ns", "1ms",
               "A channel receive: future, suspending the coroutine."),
    PARAM_TIME(resume, SPEC, "5us", "0ns", "1ms", "Fulfilling the future, resuming the coroutine."),
    PARAM_TIME(cuda_call, SPEC, "1us", "0ns", "1ms",
               "A CUDA call through the Python binding, beside the call itself."),
    PARAM_RATE(serialize_rate, SPEC, "5GB/s", "1MB/s", "1TB/s", "Pickling host data."),
};
#undef SPEC
PARAM_TABLE(charm4py_params, "charm4py", struct charm4py_spec, charm4py_parameters,
            "Charm4py above Charm++.");
