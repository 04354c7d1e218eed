/* SPDX-License-Identifier: BSD-3-Clause */
/* All to all: every party sends `messages` to the party of its number at every other place, and waits for all that
 * it is sent, in rounds. With one message a peer it is a small all-to-all; with many, in many groups, it has the
 * shape of a dispatch of tokens to experts. With sharing = peers the parties of a GPU share out its peers, as the lanes of
 * a block do in NVSHMEM's alltoall (src/include/non_abi/device/coll/alltoall.cuh): each sends to those of other nodes
 * that are its own, and the first party, all of its work-items together, copies to all of its own node. */
#include "script/workload/scripted.h"
#include "workloads/interface/shared_rows.h"
#include "workloads/transfer/transfer.h"

static const char *const sharing_names[] = {"nothing", "peers", NULL};

struct all_to_all_spec {
    struct shared_places places;
    int64_t groups, sharing, threads, messages, bytes, repeats, timed_by;
};

#define SPEC struct all_to_all_spec
static const struct param params[] = {
    PARAM_SHARE("", places, SPEC, &places_rows, "nodes=16", ""),
    PARAM_COUNT(groups, SPEC, "1", "1", "1024",
                "Parties of a GPU: work-groups of its kernel, or ranks."),
    PARAM_ENUM(sharing, SPEC, "nothing", sharing_names,
               "Every party sends to the party with its number at every other GPU; or the "
               "parties divide the GPUs of other nodes among themselves, and the first party "
               "sends to the GPUs of its own node."),
    PARAM_COUNT(threads, SPEC, "0", "0", "1024",
                "Work-items of a work-group; 0: those of one wavefront."),
    PARAM_COUNT(messages, SPEC, "1", "1", "4096", "Messages of a party to each peer."),
    SHARED_ROW(bytes, SPEC, "64B"),
    PARAM_COUNT(repeats, SPEC, "2", "1", "100000",
                "Measured rounds, after one that is not measured."),
    PARAM_ENUM(
        timed_by, SPEC, "kernel", timed_by_names,
        "The time of an exchange is measured by its work-groups, or by two events of a stream around a kernel, "
        "which include its launch and end (cuda.timed_kernel)."),
};
#undef SPEC
static PARAM_TABLE_SHARING(all_to_all_params, "all_to_all", struct all_to_all_spec, params,
                           "Every party sends to all others and waits for what they send.");

SCRIPTED_WORKLOAD(all_to_all, .accepts = transfer_accepts);
