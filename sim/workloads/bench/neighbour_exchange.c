/* SPDX-License-Identifier: BSD-3-Clause */
/* Work-groups of two nodes talk to each other from inside their kernels: ComPNet18 section 4.1, Fig 5.
 *
 * Nodes 0 and 1 run a kernel of `work_groups` work-groups each. Every work-group has one partner on the
 * other node; in each turn one puts `bytes` into the other's buffer and behind them a signal, and waits
 * for the other's. In a ping-pong node 0 puts first, in an exchange both do. Fig 5 is the ping-pong of one
 * work-group a node.
 *
 * A work-group can only answer when it runs. With more work-groups than fit, those that wait may be
 * waiting for such as have no room (section 4.1's deadlock, M-076): with partners in reverse order from
 * twice as many on as fit, with partners of the same number never.
 *
 * Ranks do the same by messages, each with a core and the GPU that it shares with the others of its node.
 *
 * Signals are the turn's number, in two words in turn: a partner may be one turn ahead, not two, so no
 * signal is written over before it was seen. */
#include "script/workload/scripted.h"
#include "workloads/interface/shared_rows.h"
#include "workloads/transfer/transfer.h"

static const char *const pattern_names[] = {"exchange", "ping_pong", NULL};

static const char *const partner_names[] = {"same", "reverse", NULL};

struct neighbour_exchange_spec {
    struct shared_kernel kernel;
    int64_t pattern, partner;
    int64_t bytes;
    int64_t work_groups;
    int64_t iterations, warmup;
    int64_t cooperative; /* flag */
};

#define SPEC struct neighbour_exchange_spec
static const struct param params[] = {
    PARAM_SHARE("", kernel, SPEC, &kernel_rows, "", ""),
    PARAM_ENUM(pattern, SPEC, "exchange", pattern_names,
               "Exchange: both nodes put, then wait. Ping-pong: node 1 puts when it has "
               "received node 0's put."),
    PARAM_ENUM(partner, SPEC, "same", partner_names,
               "The partner on the other node: the work-group with the same number, or with "
               "that number counted from the last one."),
    SHARED_ROW(bytes, SPEC, "8B"),
    SHARED_ROW(work_groups, SPEC, "1"),
    SHARED_ROW(iterations, SPEC, "100"),
    SHARED_ROW(warmup, SPEC, "4"),
    SHARED_ROW(cooperative, SPEC, "false"),
};
#undef SPEC
static PARAM_TABLE_SHARING(
    neighbour_exchange_params, "neighbour_exchange", struct neighbour_exchange_spec, params,
    "Work-groups of two nodes put to each other and wait for each other's signal; a "
    "ping_pong measures the latency of a put.");

SCRIPTED_WORKLOAD(neighbour_exchange, .accepts = transfer_accepts);
