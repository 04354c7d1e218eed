/* Remote gets by one work-group, one after the other: ComPNet18 section 5.2, Fig 8a.
 *
 * Node 0 runs a kernel of one work-group that gets `bytes` from the symmetric heap of node 1, `repeats`
 * times after `warmup` times that do not count. The latency is what the work-group sees, from the call
 * to its return. Nothing runs on node 1 but its NIC. */
#include "workloads/intra_kernel.h"
#include "workloads/workload.h"

struct get_latency_spec {
    struct design design;
    int64_t bytes;
    int64_t repeats;
    int64_t warmup;
    int64_t threads;
    int64_t service_threads;
};

#define SPEC struct get_latency_spec
static const struct param params[] = {
    PARAM_DESIGN(SPEC, NULL, "The design that serves the gets."),
    {"bytes", PARAM_QUANTITY, UNIT_BYTES, offsetof(SPEC, bytes), NULL, "1B", "1GiB", NULL,
     "Payload of a get.", NULL},
    PARAM_COUNT(repeats, SPEC, "100", "1", "1000000", "Gets that are measured."),
    PARAM_COUNT(warmup, SPEC, "4", "0", "1000000", "Gets before them that are not."),
    PARAM_COUNT(threads, SPEC, "64", "1", "1024", "Work-items of the work-group."),
    PARAM_COUNT(service_threads, SPEC, "0", "0", "64",
                "Service threads of the node that gets; 0: as many as the design says."),
};
#undef SPEC
static PARAM_TABLE(get_latency_params, "get_latency", struct get_latency_spec, params,
                   "Latency of remote gets by one work-group, one after the other.");

struct get_run {
    const struct get_latency_spec *spec;
    struct service *service;
    address buffer; /* on both nodes */
};

static void program(struct work_group *wg, void *argument)
{
    struct get_run *run = argument;
    struct device_context context;
    device_context_create(&context, run->service, wg);
    for (int64_t i = 0; i < run->spec->warmup + run->spec->repeats; i++) {
        if (i == run->spec->warmup)
            operation_log_reset(service_log(run->service));
        device_get(&context, 1, run->buffer, run->buffer, run->spec->bytes);
    }
}

static bool run_get_latency(const struct machine_spec *machine, const void *argument, uint64_t seed,
                            struct workload_result *result, char *why, size_t why_size)
{
    const struct get_latency_spec *spec = argument;
    struct intra_kernel kernel;
    struct intra_kernel_setup setup = {.design = &spec->design,
                                       .seed = seed,
                                       .kernels = 1,
                                       .work_groups = 1,
                                       .service_threads = spec->service_threads,
                                       .heap_bytes = symmetric_size(spec->bytes)};
    if (!intra_kernel_start(&kernel, machine, &setup, why, why_size))
        return false;
    struct get_run run = {
        .spec = spec,
        .service = kernel.services[0],
        .buffer = symmetric_allocate(kernel.heap, spec->bytes, STORE_PAYLOAD),
    };
    struct intra_kernel_launch launch = {.work_groups = 1,
                                         .threads = spec->threads,
                                         .program = program,
                                         .arguments = (void *[]){&run}};
    bool good = intra_kernel_run(&kernel, &launch, why, why_size);
    if (good)
        intra_kernel_report(&kernel, result);
    intra_kernel_end(&kernel);
    return good;
}

const struct workload get_latency_workload = {
    .name = "get_latency",
    .description = "Latency of remote gets by one work-group, one after the other.",
    .params = &get_latency_params,
    .accepts = intra_kernel_accepts,
    .run = run_get_latency,
};
