/* SPDX-License-Identifier: BSD-3-Clause */
/* Remote gets by one party, one after the other: ComPNet18 section 5.2, Fig 8a.
 *
 * The party of node 0 gets `bytes` from the memory of node 1, `repeats` times after `warmup` times that do
 * not count. The latency is what it sees, from the call to its return. As a work-group it is alone in its
 * kernel, and nothing runs on node 1 but its NIC; as a rank it asks for the data by a message that the rank
 * of node 1 answers. */
#include "script/workload/scripted.h"
#include "workloads/interface/shared_rows.h"
#include "workloads/transfer/transfer.h"

struct get_latency_spec {
    struct shared_kernel kernel;
    int64_t bytes;
    int64_t repeats;
    int64_t warmup;
};

#define SPEC struct get_latency_spec
static const struct param params[] = {
    PARAM_SHARE("", kernel, SPEC, &kernel_rows, "", ""),
    SHARED_ROW(bytes, SPEC, ""),
    SHARED_ROW(repeats, SPEC, "100"),
    SHARED_ROW(warmup, SPEC, "4"),
};
#undef SPEC
static PARAM_TABLE_SHARING(get_latency_params, "get_latency", struct get_latency_spec, params,
                           "Latency of remote gets by one work-group, one after the other.");

SCRIPTED_WORKLOAD(get_latency, .accepts = transfer_accepts);
