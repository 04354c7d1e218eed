/* SPDX-License-Identifier: BSD-3-Clause */
/* Dispatch and combine of a mixture of experts: each GPU sends each of its tokens to the experts that its router chose,
 * on whatever GPUs these are, and gets their answers back. Packed, all tokens for a GPU go in one message; else each
 * goes in one of its own. What DeepEP, pplx-kernels and NVSHMEM's users build GPU-initiated networking for. */
#include "script/workload/scripted.h"
#include "workloads/interface/shared_rows.h"
#include "workloads/transfer/transfer.h"

static const char *const packing_names[] = {"packed", "token", NULL};
static const char *const posting_names[] = {"each", "last", "choice", NULL};
static const char *const phase_names[] = {"dispatch", "both", NULL};
static const char *const check_names[] = {"false", "true", "lost_token", "wrong_expert", NULL};

struct moe_spec {
    struct shared_places places;
    int64_t tokens, top_k, experts, token_bytes, combine_bytes, packing, posting, phase,
        work_groups, telling_groups, threads, repeats, warmup;
    int64_t check, copies, timed_by;
};

#define SPEC struct moe_spec
static const struct param params[] = {
    PARAM_SHARE("", places, SPEC, &places_rows, "nodes=2", ""),
    PARAM_COUNT(tokens, SPEC, "16", "1", "65536", "Tokens of a GPU."),
    PARAM_COUNT(top_k, SPEC, "8", "1", "64", "Experts to which each token goes."),
    PARAM_COUNT(experts, SPEC, "256", "1", "65536", "Experts, divided equally among all GPUs."),
    PARAM_BYTES(token, SPEC, "1KiB", "1B", "1MiB", "Bytes of a token on its way to an expert."),
    PARAM_BYTES(combine, SPEC, "2KiB", "1B", "1MiB", "Bytes of an expert's answer."),
    PARAM_ENUM(packing, SPEC, "packed", packing_names,
               "All tokens for a GPU in one message, or one message for each token."),
    PARAM_ENUM(posting, SPEC, "each", posting_names,
               "Every work-group posts its own tokens as soon as it has them; or the last "
               "work-group that is ready posts all, as if a proxy must be told how many there "
               "are; or work-groups divide the tokens' choices of experts, as if the warps of "
               "a block post one choice each."),
    PARAM_ENUM(phase, SPEC, "both", phase_names,
               "What is measured: dispatch, or dispatch and combine."),
    PARAM_COUNT(work_groups, SPEC, "8", "1", "256",
                "Work-groups of a kernel that send and receive."),
    PARAM_COUNT(telling_groups, SPEC, "0", "0", "256",
                "This many work-groups first tell every expert, by a signal of its own, how "
                "many tokens to expect, and the other work-groups post the tokens (if all tell,"
                " all post). Receivers wait for these signals first. Combine begins with a "
                "signal to each GPU. 0: no signals; receivers know the numbers."),
    SHARED_ROW(threads, SPEC, "256"),
    SHARED_ROW(repeats, SPEC, "4"),
    SHARED_ROW(warmup, SPEC, "1"),
    PARAM_FLAG(copies, SPEC, "false",
               "Work-groups copy what they send into the buffer that the NIC has registered. When "
               "all that is sent to a GPU has arrived, its work-groups copy it out in equal parts "
               "(gpu.copy_rate), as pplx-kernels does."),
    PARAM_ENUM(
        timed_by, SPEC, "kernel", timed_by_names,
        "The time of a phase is measured by its work-groups, or by two events of a stream around a kernel, "
        "which include its launch and end (cuda.timed_kernel)."),
    PARAM_ENUM(
        check, SPEC, "false", check_names,
        "Carry the tokens' data and compare with a plain loop. Other values carry wrong data, to test the check: a token that is not sent on, or a token that goes to another GPU's expert."),
};
#undef SPEC
static PARAM_TABLE_SHARING(moe_params, "moe", struct moe_spec, params,
                           "Tokens go to their experts on other GPUs, and the answers back.");

static const struct workload_rule rules[] = {
    {"combine", "phase", "|both|"},
    {NULL, NULL, NULL},
};

SCRIPTED_WORKLOAD(moe, .accepts = transfer_accepts, .rules = rules);
