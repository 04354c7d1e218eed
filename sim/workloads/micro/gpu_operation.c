/* SPDX-License-Identifier: BSD-3-Clause */
/* What one operation of a GPU thread takes: a load, store, atomic or fence on memory of its own GPU, of another one or of
 * the host, again and again by one work-group or many at a time. */
#include "script/workload/scripted.h"
#include "workloads/interface/shared_rows.h"

static const char *const operation_names[] = {
    "load", "load_acquire", "store_fence", "store_release", "fence", "atomic", NULL};
enum memory { HOST, GPU, PEER };
static const char *const memory_names[] = {"host", "gpu", "peer", NULL};
static const char *const scope_names[] = {"device", "system", NULL};

struct gpu_operation_spec {
    int64_t operation, memory, scope, work_groups, repeats;
    int64_t same_line; /* flag */
};

#define SPEC struct gpu_operation_spec
static const struct param params[] = {
    PARAM_ENUM(operation, SPEC, "load", operation_names,
               "What is timed: a load (past the L1), a load followed by an acquire, a store "
               "and a fence (store_release: the fence first), a fence alone, or an atomic that"
               " returns a value."),
    PARAM_ENUM(memory, SPEC, "gpu", memory_names,
               "Memory of the host, of the GPU, of another GPU."),
    PARAM_ENUM(scope, SPEC, "system", scope_names, "Scope of fences."),
    PARAM_COUNT(work_groups, SPEC, "1", "1", "4096", "Work-groups that do this at the same time."),
    PARAM_FLAG(same_line, SPEC, "false",
               "All work-groups use one line; otherwise each uses a line of its own."),
    SHARED_ROW(repeats, SPEC, "20"),
};
#undef SPEC
static PARAM_TABLE_SHARING(gpu_operation_params, "gpu_operation", struct gpu_operation_spec, params,
                           "What one load, store, atomic or fence of a GPU thread takes.");

static const struct workload_rule rules[] = {
    {"memory", "operation", "|load|load_acquire|store_fence|store_release|atomic|"},
    {"scope", "operation", "|store_fence|store_release|fence|"},
    {"same_line", "operation", "|load|load_acquire|atomic|"},
    {NULL, NULL, NULL},
};

SCRIPTED_WORKLOAD(gpu_operation, .rules = rules);
