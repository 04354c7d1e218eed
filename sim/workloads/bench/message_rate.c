/* SPDX-License-Identifier: BSD-3-Clause */
/* How many small puts a kernel gets out: blocks of warps whose lanes put all at once, as in NVSHMEM's shmem_p
 * bandwidth test. A warp is a work-group of its own here; the warps of a block share a queue of the NIC where the
 * design says so (queue_sharers). With `signals` every put carries a signal, by one lane after the other. */
#include "workloads/interface/workload.h"
#include "workloads/transfer/intra_kernel.h"

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
                   "Rate of small puts from a kernel.");

struct rate_run {
    const struct message_rate_spec *spec;
    struct cluster *cluster;
    struct service *service;
    address buffers, signals;
    int64_t stride;
    struct signal meeting; /* of those whose warm-up is over */
    int64_t warm, ended;
    sim_time first_ps, last_ps; /* of all work-groups: first call, last return */
};

/* One step of a warp: how many puts it was. */
static int64_t put(const struct rate_run *run, struct device_context *context, int64_t work_group,
                   int64_t done, int64_t all)
{
    const struct message_rate_spec *spec = run->spec;
    address buffer = run->buffers + (address)(work_group * run->stride);
    if (spec->signals) {
        device_put_signal_nbi(context, 1, buffer, buffer, spec->bytes,
                              run->signals + (address)(work_group * CACHE_LINE_BYTES),
                              (uint64_t)done + 1);
        return 1;
    }
    int64_t left = MIN(all - done, spec->window - done % spec->window);
    int64_t count = MIN(spec->lanes, left);
    device_put_lanes_nbi(context, 1, buffer, buffer, spec->bytes, count);
    return count;
}

static void put_all(const struct rate_run *run, struct device_context *context, int64_t work_group,
                    int64_t all)
{
    for (int64_t done = 0; done < all;) {
        done += put(run, context, work_group, done, all);
        if (done % run->spec->window == 0 && done < all)
            device_quiet(context);
    }
    device_quiet(context);
}

static void counting_begins(struct rate_run *run, sim_time now_ps)
{
    run->first_ps = now_ps;
    run_energy_begins(run->cluster, now_ps);
}

/* Counting begins when all are warm. */
static void warm_up(struct rate_run *run, struct work_group *wg, struct device_context *context)
{
    put_all(run, context, wg->index, run->spec->warmup);
    if (++run->warm < run->spec->blocks * run->spec->warps) {
        signal_wait(&run->meeting, wg->process, "warm-up of the others");
        return;
    }
    counting_begins(run, process_now(wg->process));
    signal_all(&run->meeting);
}

static void program(struct work_group *wg, void *argument)
{
    struct rate_run *run = argument;
    const struct message_rate_spec *spec = run->spec;
    struct device_context context;
    device_context_create(&context, run->service, wg);
    if (spec->warmup > 0)
        warm_up(run, wg, &context);
    else if (run->first_ps < 0)
        counting_begins(run, process_now(wg->process));
    put_all(run, &context, wg->index, spec->messages);
    run->last_ps = MAX(run->last_ps, process_now(wg->process));
    if (++run->ended == spec->blocks * spec->warps)
        run_energy_ends(run->cluster, run->last_ps);
}

static bool run_message_rate(const struct machine_spec *machine, const void *argument,
                             uint64_t seed, struct workload_result *result, GError **error)
{
    const struct message_rate_spec *spec = argument;
    struct intra_kernel kernel;
    int64_t work_groups = spec->blocks * spec->warps;
    struct rate_run run = {.spec = spec, .stride = symmetric_size(spec->bytes), .first_ps = -1};
    int64_t buffer_bytes = run.stride * work_groups, signal_bytes = work_groups * CACHE_LINE_BYTES;
    struct intra_kernel_setup setup = {.design = &spec->design,
                                       .seed = seed,
                                       .kernels = 1,
                                       .work_groups = work_groups,
                                       .heap_bytes = buffer_bytes + signal_bytes};
    if (!intra_kernel_start(&kernel, machine, &setup, error))
        return false;
    signal_init(&run.meeting);
    run.cluster = kernel.cluster;
    run.service = kernel.services[0];
    run.buffers = symmetric_allocate(kernel.heap, buffer_bytes, STORE_PAYLOAD);
    run.signals = symmetric_allocate(kernel.heap, signal_bytes, STORE_FINE_GRAINED);
    struct intra_kernel_launch launch = {.work_groups = work_groups,
                                         .threads = machine->gpu.lanes,
                                         .is_cooperative = true,
                                         .program = program,
                                         .arguments = (void *[]){&run}};
    bool good = intra_kernel_run(&kernel, &launch, error);
    if (good) {
        sim_time took_ps = run.last_ps - run.first_ps;
        int64_t puts = work_groups * spec->messages;
        double rate = (double)puts * (double)PS_PER_US / (double)took_ps;
        workload_add_mean_ratio(result, "puts_per_us", rate, intra_kernel_served(&kernel),
                                kernel.sim);
        workload_add_quantity(result, "duration", UNIT_TIME, took_ps);
        workload_observe(result, kernel.cluster, 1);
    }
    intra_kernel_end(&kernel);
    return good;
}

const struct workload message_rate_workload = {
    .name = "message_rate",
    .description = "Rate of small puts from the warps of a kernel.",
    .params = &message_rate_params,
    .accepts = intra_kernel_accepts,
    .run = run_message_rate,
};
