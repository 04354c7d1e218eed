/* SPDX-License-Identifier: BSD-3-Clause */
/* How long work-groups wait for their operations when many of them share a node's service threads:
 * ComPNet18 Figs 4 and 8b, 8c.
 *
 * Node 0 runs a kernel of `work_groups` work-groups; each calls `operations` blocking operations on node 1,
 * one after the other, on buffers of its own. The service time is what a work-group sees of one of them.
 *
 * With `posts` above 1 the operations do not block: after so many of them the work-group waits for all
 * (quiet). How many are under way then is bounded by the depth of its queue. */
#include "core/error.h"
#include "protocols/shmem/device_library.h"
#include "script/workload/scripted.h"
#include "workloads/interface/shared_rows.h"
#include "workloads/transfer/transfer.h"

struct queue_service_spec {
    struct shared_kernel kernel;
    int64_t operation;
    int64_t bytes;
    int64_t work_groups;
    int64_t operations, warmup;
    int64_t streaming, streaming_lines;
    int64_t posts;
    int64_t post;
    sim_time service_time_ps, think_time_ps;
};

enum operation { OPERATION_GET, OPERATION_PUT, OPERATION_NOP };
static const char *const operation_names[] = {"get", "put", "nop", NULL};

/* In the order of enum ring_post. */
static const char *const post_names[] = {"released", "fenced", "packed", "line", NULL};

#define SPEC struct queue_service_spec
static const struct param params[] = {
    PARAM_SHARE("", kernel, SPEC, &kernel_rows, "", ""),
    PARAM_ENUM(operation, SPEC, "get", operation_names,
               "What the work-groups call: a remote get or put, or nop, which goes to the "
               "server and back."),
    SHARED_ROW(bytes, SPEC, "8B"),
    SHARED_ROW(work_groups, SPEC, ""),
    PARAM_COUNT(operations, SPEC, "100", "1", "1000000", "Operations of each work-group."),
    PARAM_COUNT(warmup, SPEC, "0", "0", "1000000",
                "Warm-up operations of each work-group that are not counted."),
    PARAM_COUNT(streaming, SPEC, "0", "0", "65536",
                "Additional work-groups, each of which continuously reads one buffer of 16 MiB "
                "and writes another."),
    PARAM_COUNT(streaming_lines, SPEC, "16", "1", "4096",
                "Lines that a wavefront of these work-groups keeps in flight: by default four "
                "vector loads of 4 B per work-item, unrolled four times."),
    PARAM_COUNT(posts, SPEC, "1", "1", "1000000",
                "Operations that a work-group posts before it waits: 1 for blocking calls. With"
                " more, the latency of gets and puts is that of the wait (quiet); nops are "
                "posted together after one fence, and waited for one by one."),
    PARAM_ENUM(post, SPEC, "released", post_names,
               "How a work-group posts: the entry, a fence, its status word, a fence; the same"
               " without the last fence; or with one store, of 16 bytes (nop only) or of the "
               "line, without a fence."),
    PARAM_TIME(service_time, SPEC, "0ns", "0ns", "1ms", "Time that a server spends on a nop."),
    PARAM_TIME(think_time, SPEC, "0ns", "0ns", "1ms",
               "Time of a work-group between two operations, or between two windows of "
               "operations."),
};
#undef SPEC
static PARAM_TABLE_SHARING(
    queue_service_params, "queue_service", struct queue_service_spec, params,
    "Service time of many work-groups' operations by a node's service threads.");

extern const struct workload queue_service_workload;

static bool posts_are_possible(const struct queue_service_spec *spec,
                               const struct machine_spec *machine, GError **error)
{
    bool is_nop = spec->operation == OPERATION_NOP;
    const struct software_spec *software = machine_part(machine, &software_params);
    char text[PARAM_TEXT_SIZE];
    if (is_nop && !design_has_poller(&spec->kernel.design))
        error_set(error,
                  "operation = nop goes to a server and back; design %s has nobody who polls",
                  design_text(&spec->kernel.design, text));
    else if (!is_nop && (spec->post == RING_POST_PACKED || spec->service_time_ps > 0))
        error_set(error, "post = packed and service_time are for operation = nop");
    else if (spec->post != RING_POST_RELEASED && !design_has_poller(&spec->kernel.design))
        error_set(error, "post = %s is to a server's queue; the design has no such server",
                  post_names[spec->post]);
    else if (is_nop && spec->posts > MIN(DEVICE_NOPS_MOST, software->queue_entries))
        error_set(error, "%lld nops at once do not fit: a queue takes %lld", (long long)spec->posts,
                  (long long)MIN(DEVICE_NOPS_MOST, software->queue_entries));
    else
        return true;
    return false;
}

static bool run_queue_service(const struct machine_spec *machine, const void *spec, uint64_t seed,
                              struct workload_result *result, GError **error)
{
    return posts_are_possible(spec, machine, error) &&
           scripted_run(&queue_service_workload, machine, spec, seed, result, error);
}

static const struct workload_rule rules[] = {
    {"bytes", "operation", "|get|put|"},
    {"streaming_lines", "streaming", NULL},
    {NULL, NULL, NULL},
};

const struct workload queue_service_workload = {
    .name = "queue_service",
    .params = &queue_service_params,
    .accepts = transfer_accepts_kernel,
    .run = run_queue_service,
    .rules = rules,
};
