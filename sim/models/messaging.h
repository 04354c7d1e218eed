/* The message-passing software of a machine: what its steps cost and where its protocols change. The
 * protocols themselves are protocols/ucx and protocols/runtimes. All times are of one core of the machine. */
#ifndef GPUNETSIM_MODELS_MESSAGING_H
#define GPUNETSIM_MODELS_MESSAGING_H

#include <stdint.h>

#include "core/param.h"
#include "core/simtime.h"

/* Components "ucx" and "pami": a library with tag matching, eager and rendezvous protocols (M-117 to
 * M-123). "pami" is what Spectrum MPI stands on: the same steps, other numbers and switches. */
struct ucx_spec {
    /* the core's time */
    sim_time send_ps;        /* a tagged send, up to what its protocol adds */
    sim_time receive_ps;     /* posting a receive */
    sim_time control_ps;     /* making a control message: announcement, request, acknowledgement */
    sim_time post_ps;        /* handing a command to the NIC: a message, a read or a write */
    sim_time match_ps;       /* each entry polled in the posted or the unexpected queue */
    sim_time progress_ps;    /* one arrival taken up: segment, control message or completion */
    sim_time poll_ps;        /* a poll of progress that finds nothing */
    sim_time complete_ps;    /* ending a request that did not end within its call; every receive */
    sim_time memory_type_ps; /* finding whose memory a pointer is, by the cache of allocations */
    int64_t memory_type_cache;     /* flag; without it each look-up is a pointer query of the CUDA
                                      driver (M-123) */
    sim_time registration_ps;      /* of memory with the NIC, once an allocation */
    sim_time registration_hit_ps;  /* found in the registration cache */
    int64_t segment_bytes;         /* an eager message is copied and sent in segments of this */
    int64_t control_message_bytes; /* of a control message on the wire */

    /* between processes of a node */
    sim_time same_socket_latency_ps; /* shared memory: from a store to the sight of it, same socket */
    sim_time cross_socket_latency_ps;  /* other socket */
    int64_t intra_node_eager_bytes; /* host memory: up to this eager, two copies through shared memory */
    sim_time cross_attach_ps; /* a system call that copies out of the other process (CMA) */
    int64_t intra_node_device_eager_bytes; /* GPU memory: up to this eager */
    int64_t peer_streams;            /* streams for CUDA IPC copies, by the sender's rank (M-121) */
    int64_t device_queue;            /* flag: GPU copies of rendezvous are waited for with
                                 cudaStreamSynchronize, not found by event queries in progress */

    /* between nodes */
    int64_t eager_bytes;         /* host memory */
    int64_t inline_bytes;        /* up to this the payload travels with the command */
    int64_t device_eager_bytes;  /* GPU memory */
    int64_t rails;               /* of a rendezvous transfer; eager has 1 (M-122) */
    int64_t gpu_direct_bytes;    /* GPU memory: rendezvous up to this by GPUDirect RDMA, above it
                                       staged through host memory; 0: always staged (M-032 to M-034) */
    int64_t fragment_bytes;      /* of the staging pipeline (M-118) */
    int64_t fragments_in_flight; /* of a message: asked for and not yet in its place */
    int64_t fragments_on_wire;   /* of a process, written by its NIC at a time */
    sim_time fragment_cost_ps; /* each side's core, for each fragment beside copies and messages */
    sim_time direct_setup_ps;  /* more of a GPUDirect read: the NIC's way to GPU memory */

    /* GPU memory, eager */
    int64_t gdr_copy;        /* flag: GDRCopy was found (M-030, M-119, P-L05) */
    sim_time device_send_ps; /* more of a send or receive of GPU memory */
};
extern const struct param_table ucx_params, pami_params;

/* Components "openmpi" and "spectrum": what MPI itself costs above its library. */
struct mpi_spec {
    sim_time send_ps, receive_ps,
        wait_ps;        /* a call of MPI_Isend, MPI_Irecv; a request found complete */
    sim_time device_ps; /* more of a call with GPU memory */
};
extern const struct param_table openmpi_params, spectrum_params;

/* Component "charm": Charm++ in its non-SMP build (M-001 to M-018, M-106 to M-108). */
struct charm_spec {
    sim_time
        pack_ps; /* an entry method call: headers of core, Converse and machine layer (M-005) */
    sim_time schedule_ps; /* picking a message from the queue and invoking its entry method */
    sim_time callback_ps; /* making and sending a CkCallback */
    sim_time
        metadata_ps;   /* allocating and filling the record of one device transfer (M-028, M-106) */
    sim_time probe_ps; /* finding a large host message (M-009, M-108) */
    int64_t header_bytes;          /* of a host message */
    int64_t device_metadata_bytes; /* CkDeviceBuffer in a host message, each */
    int64_t
        eager_bytes; /* host messages up to this are received by receives posted before (M-107) */
    int64_t posted_receives;
    int64_t tag_counter_bits; /* of a GPU Messaging tag: the sends that a PE can count (P-C08) */
    int64_t channel_id_bits;  /* of a Channel tag (P-C09) */
    int64_t
        device_transfers; /* flag; without it the records of device transfers are kept but no data
                                  move: the experiment of ParCo22 section 4.2.1 (P-L01) */
};
extern const struct param_table charm_params;

/* Component "ampi": AMPI on Charm++ (M-020 to M-024, M-115, M-116). */
struct ampi_spec {
    sim_time call_ps;         /* a send or receive call: datatype, communicator, request */
    sim_time match_ps;        /* putting into or searching the request and unexpected queues */
    sim_time device_check_ps; /* whether a pointer is GPU memory, by the cache of known addresses */
    sim_time device_request_ps; /* records and callbacks of a device transfer, each side */
    sim_time switch_ps;         /* suspending or resuming a rank's user-level thread */
    int64_t zero_copy_bytes;    /* payloads above this go by the Zero Copy API */
    sim_time zero_copy_cost_ps; /* registration and metadata of such a transfer, each side */
    int64_t pool_messages, pool_message_bytes; /* messages kept ready */
};
extern const struct param_table ampi_params;

/* Component "charm4py": Charm4py on Charm++ (M-025 to M-027, M-124, M-126). */
struct charm4py_spec {
    sim_time send_ps;      /* channel.send: Python and Cython, of host data or of GPU addresses */
    sim_time receive_ps;   /* channel.recv: future, suspending the coroutine */
    sim_time resume_ps;    /* fulfilling the future, resuming the coroutine */
    sim_time cuda_call_ps; /* a CUDA call through the Python binding, beside the call itself */
    int64_t serialize_rate_Bps; /* pickling host data */
};
extern const struct param_table charm4py_params;

#endif
