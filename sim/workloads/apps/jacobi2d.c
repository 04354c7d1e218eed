/* SPDX-License-Identifier: BSD-3-Clause */
/* Jacobi relaxation of a two-dimensional stencil, split in one dimension over the nodes: ComPNet18 section 5.3, Fig 9
 * (M-084); with several GPUs a node each has a part. In each iteration every element becomes the mean of its four neighbours; the halo, a row each way, goes to
 * the adjacent peers; and a residual is reduced over all, to know whether to go on.
 *
 * In a kernel, one that stays: work-groups of the first and the last rows compute these, put them to the peers, and go
 * on with their share; the others, which are counted and not told apart, compute meanwhile. All meet; one reduces the
 * residual over the nodes by recursive doubling; all meet again.
 *
 * By ranks: exterior and interior by loops of their own, kernels on two streams where there is a GPU; the halo goes
 * when the exterior is done, beside the interior. The residual lies in host memory: a kernel writes 8 B there. */
#include "script/workload/scripted.h"
#include "workloads/interface/shared_rows.h"
#include "workloads/transfer/transfer.h"

/* The last ones are faults that the test of the pattern puts in. */
static const char *const check_names[] = {"false",      "true",       "lost_halo",
                                          "wrong_edge", "lost_round", NULL};

struct jacobi2d_spec {
    struct shared_places places;
    int64_t edge, iterations, warmup, work_groups, threads;
    double tolerance;
    int64_t check;
};

#define SPEC struct jacobi2d_spec
static const struct param params[] = {
    PARAM_SHARE("", places, SPEC, &places_rows, "", ""),
    PARAM_COUNT(edge, SPEC, "1024", "2", "65536", "Rows, and columns, of a part."),
    SHARED_ROW(iterations, SPEC, "10"),
    SHARED_ROW(warmup, SPEC, "2"),
    PARAM_COUNT(work_groups, SPEC, "0", "0", "65536",
                "Work-groups of the persistent kernel; 0: as many as run at once, but no more "
                "than have an element for each work-item."),
    SHARED_ROW(threads, SPEC, "256"),
    SHARED_ROW(tolerance, SPEC, "0"),
    PARAM_ENUM(
        check, SPEC, "false", check_names,
        "Carry real data and compare the result with a plain loop, for small stencils. Other values carry wrong data, to test the check: a halo that nobody waits for, a halo from the wrong edge, or a round of the reduction that is left out."),
};
#undef SPEC
static PARAM_TABLE_SHARING(
    jacobi2d_params, "jacobi2d", struct jacobi2d_spec, params,
    "A 5-point stencil in two dimensions over several nodes, with a residual.");

SCRIPTED_WORKLOAD(jacobi2d, .accepts = transfer_accepts);
