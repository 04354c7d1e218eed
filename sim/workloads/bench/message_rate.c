/* SPDX-License-Identifier: BSD-3-Clause */
/* How many small puts a kernel gets out: blocks of warps whose lanes put all at once, as in NVSHMEM's shmem_p
 * bandwidth test. A warp is a work-group of its own here; the warps of a block share a queue of the NIC where the
 * design says so (nic_queue.sharers). With `signals` every put carries a signal, by one lane after the other. */
#include "script/workload/scripted.h"
#include "workloads/transfer/transfer.h"

struct message_rate_spec {
    struct design design;
    int64_t blocks, warps, lanes, bytes, messages, warmup, window;
    int64_t signals; /* flag */
};

#define SPEC struct message_rate_spec
static const struct param params[] = {
    PARAM_DESIGN(SPEC, NULL, "The design that carries the puts."),
    PARAM_COUNT(blocks, SPEC, "1", "1", "1024", "Blocks of the kernel."),
    PARAM_COUNT(warps, SPEC, "32", "1", "64",
                "Warps of a block, each a work-group of one wavefront."),
    PARAM_COUNT(lanes, SPEC, "32", "1", "64", "Lanes of a warp that put at once."),
    {"bytes", PARAM_QUANTITY, UNIT_BYTES, offsetof(SPEC, bytes), "4B", "1B", "1MiB", NULL,
     "Payload of a put.", NULL},
    PARAM_COUNT(messages, SPEC, "128", "1", "1000000", "Puts of each warp."),
    PARAM_COUNT(warmup, SPEC, "0", "0", "1000000",
                "Warm-up puts of each warp that are not counted; then all warps wait for each "
                "other."),
    PARAM_COUNT(window, SPEC, "1000000", "1", "1000000", "Puts of a warp between two quiets."),
    PARAM_FLAG(signals, SPEC, "false",
               "Every put carries a signal; lanes post one after the other."),
};
#undef SPEC
static PARAM_TABLE(message_rate_params, "message_rate", struct message_rate_spec, params,
                   "Rate of small puts from the warps of a kernel.");

SCRIPTED_WORKLOAD(message_rate, .accepts = transfer_accepts_kernel);
