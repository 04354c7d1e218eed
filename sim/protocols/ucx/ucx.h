/* SPDX-License-Identifier: BSD-3-Clause */
/* UCX: tagged sends and receives between the processes of a job, and their progress (ParCo22 section 3.1;
 * M-010, M-030 to M-034, M-117 to M-123).
 *
 *   eager       host memory: copied into shared memory or a network buffer and out of it again. GPU memory:
 *               the copies go through mapped GPU memory (GDRCopy), or by cudaMemcpy where it was not found.
 *   rendezvous  the sender announces (RTS), the receiver acts when it has the matching receive:
 *               host memory in a node: it copies out of the other process (CMA); GPU memory in a node: it opens the
 *               peer's handle and copies GPU to GPU (CUDA IPC), or, within a process, reads through its NIC's loop;
 *               host memory between nodes: it reads by RDMA over the rails; GPU memory between nodes: by
 *               GPUDirect RDMA, or in a pipeline of fragments through host memory.
 *               An acknowledgement (ATS) ends the send.
 *
 * Nothing moves unless somebody calls ucx_progress (M-010), but for what NICs and copy engines do by themselves. */
#pragma once

#include "models/job.h"
#include "protocols/ucx/ucx_params.h"

struct ucx;        /* the library in all processes of a job */
struct ucx_worker; /* in one process: struct ucx_worker of a rank */

/* `table` is an instance of message_library_params that the machine has. Makes a worker for each process. */
struct ucx *ucx_new(struct job *job, const struct param_table *table);
void ucx_free(struct ucx *ucx); /* checks that no byte was lost; before job_free */
struct ucx_worker *ucx_worker(struct ucx *ucx, int32_t rank);

/* The program runs without the cache of memory types (UCX_MEMTYPE_CACHE=n, M-123): each look-up of a block's memory type is a
 * pointer query of the CUDA driver. Right after ucx_new. */
void ucx_drop_memory_type_cache(struct ucx *ucx);

/* What is known at the end of a request. For a send, `source` is the sender itself and `content` is NULL. */
struct ucx_result {
    int32_t source; /* rank of the sender */
    uint64_t tag;
    int64_t bytes;
    void *content; /* what the sender gave; the receiver owns it now, but not yet after a probe */
    uint64_t operation; /* that it belongs to (cpu_work_for) */
};

/* Called by ucx_progress, or by the call itself if it ends at once. The core's time is the callee's to spend. */
typedef void ucx_done_fn(const struct ucx_result *result, void *argument);

/* Sends `block` with a tag. `content` (may be NULL) travels along and stands for what is inside the message.
 * `done` (may be NULL): the buffer may be used again. */
void ucx_tag_send(struct ucx_worker *worker, int32_t to, struct block block, uint64_t tag,
                  void *content, ucx_done_fn *done, void *argument);

/* Receives a message with that tag; matched in order of posting and of arrival. A message longer than block.bytes is a failed
 * check. */
void ucx_tag_receive(struct ucx_worker *worker, struct block block, uint64_t tag, ucx_done_fn *done,
                     void *argument);

/* Fetches the payload of the message with this tag by a one-sided read (ucp_get). Only a NIC offers all that UCX's selection of
 * such a lane asks for (openucx/ucx 971aad12, ucp_wireup_add_rma_lanes: CMA has no buffered reads), so that within a node, too,
 * a NIC reads. */
void ucx_get(struct ucx_worker *worker, struct block block, uint64_t tag, ucx_done_fn *done,
             void *argument);

/* The oldest unexpected message with that tag: true with source, tag and bytes in `result`. */
bool ucx_tag_probe(struct ucx_worker *worker, uint64_t tag, struct ucx_result *result);

/* Receives the message that ucx_tag_probe would find, and no other (ucp_tag_msg_recv_nb). */
void ucx_tag_receive_probed(struct ucx_worker *worker, struct block block, uint64_t tag,
                            ucx_done_fn *done, void *argument);

/* Registers memory of the process with its NICs (ucp_mem_map): found in the cache if it was before. */
void ucx_register(struct ucx_worker *worker, struct block block);

/* Takes up what has arrived, at most 16 fragments, queries the events of GPU copies under way, and lets protocols
 * go on; false if there was nothing. */
bool ucx_progress(struct ucx_worker *worker);

/* Polls until ucx_progress has something to do, or somebody has notified the core (cpu_notify). What arrives while the process
 * does not wait here notifies nobody. */
void ucx_wait(struct ucx_worker *worker);

/* Statistics, since the worker was made: messages that it received, by protocol, and how many of them found no receive posted. The
 * name of the measure, and of the statistic with its description. */
#define UCX_COUNT_ROWS(ROW)                                                                        \
    ROW(EAGER, "eager", "eager", "messages of host memory received eagerly")                       \
    ROW(EAGER_DEVICE, "eager_device", "eager_device",                                              \
        "messages from or to GPU memory received eagerly")                                         \
    ROW(CROSS_ATTACH, "cma", "cross_attach",                                                       \
        "messages that a core copied out of the sender's memory")                                  \
    ROW(IPC, "ipc", "ipc", "messages copied from GPU to GPU by CUDA IPC")                          \
    ROW(RDMA, "rdma", "rdma", "messages of host memory read by the receiver's NIC")                \
    ROW(GPU_DIRECT, "gpu_direct", "gpu_direct",                                                    \
        "messages of GPU memory read by the receiver's NIC")                                       \
    ROW(STAGED, "staged", "staged",                                                                \
        "messages of GPU memory that went through host memory in fragments")                       \
    ROW(UNEXPECTED, "unexpected", "unexpected",                                                    \
        "messages that came before their receive was posted")
#define UCX_COUNT_NUMBER(capitals, ...) UCX_##capitals,
enum ucx_count { UCX_COUNT_ROWS(UCX_COUNT_NUMBER) UCX_COUNTS };
extern const char *const ucx_count_names[UCX_COUNTS];
int64_t ucx_count(const struct ucx_worker *worker, enum ucx_count count);
