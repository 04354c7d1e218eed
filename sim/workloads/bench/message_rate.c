/* SPDX-License-Identifier: BSD-3-Clause */
/* How many small puts a kernel gets out: blocks of warps whose lanes put all at once, as in NVSHMEM's shmem_p
 * bandwidth test. A warp is a work-group of its own here; the warps of a block share a queue of the NIC where the
 * design says so (nic_queue.sharers). With `signals` every put carries a signal, by one lane after the other. */
#include "protocols/shmem/service.h"
#include "workloads/interface/workload.h"
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

struct rate_run {
    const struct message_rate_spec *spec;
    struct transfer_buffer buffer;
    struct transfer_signals signals;
    struct signal meeting; /* of those whose warm-up is over */
    int64_t warm, ended;
    sim_time first_ps, last_ps; /* of all work-groups: first call, last return */
};

/* One step of a warp: how many puts it was. */
static int64_t put(const struct rate_run *run, struct party *party, int64_t done, int64_t all)
{
    const struct message_rate_spec *spec = run->spec;
    if (spec->signals) {
        transfer_post_put_signal(party, 1, party->group, run->buffer, spec->bytes, run->signals, 0,
                                 (uint64_t)done + 1);
        return 1;
    }
    int64_t left = MIN(all - done, spec->window - done % spec->window);
    int64_t count = MIN(spec->lanes, left);
    transfer_post_put_lanes(party, 1, party->group, run->buffer, spec->bytes, count);
    return count;
}

static void put_all(const struct rate_run *run, struct party *party, int64_t all)
{
    for (int64_t done = 0; done < all;) {
        done += put(run, party, done, all);
        if (done % run->spec->window == 0 && done < all)
            transfer_quiet(party);
    }
    transfer_quiet(party);
}

static void counting_begins(struct rate_run *run, const struct party *party)
{
    run->first_ps = party_now(party);
    world_measures_from(party->world, run->first_ps);
}

/* Counting begins when all are warm. */
static void warm_up(struct rate_run *run, struct party *party)
{
    put_all(run, party, run->spec->warmup);
    if (++run->warm < run->spec->blocks * run->spec->warps) {
        signal_wait(&run->meeting, party_process(party), "warm-up of the others");
        return;
    }
    counting_begins(run, party);
    signal_all(&run->meeting);
}

static void program(struct party *party, void *argument)
{
    struct rate_run *run = argument;
    if (run->spec->warmup > 0)
        warm_up(run, party);
    else if (run->first_ps < 0)
        counting_begins(run, party);
    put_all(run, party, run->spec->messages);
    run->last_ps = MAX(run->last_ps, party_now(party));
    if (++run->ended == run->spec->blocks * run->spec->warps)
        world_measures_to(party->world, run->last_ps);
}

static void prepare(void *argument, struct world *world)
{
    struct rate_run *run = argument;
    run->buffer = world_buffer(world, run->spec->bytes, TRANSFER_PAYLOAD);
    run->signals = world_signals(world, 1);
}

static void report(const void *argument, const struct world *world, struct workload_result *result)
{
    const struct rate_run *run = argument;
    const struct message_rate_spec *spec = run->spec;
    sim_time took_ps = run->last_ps - run->first_ps;
    double puts = (double)(spec->blocks * spec->warps * spec->messages);
    workload_add_mean_ratio(result, "puts_per_us", puts * (double)PS_PER_US / (double)took_ps,
                            service_served(world_service(world)));
    workload_add_quantity(result, "duration", UNIT_TIME, took_ps);
    workload_observe(result, world_cluster(world), 1);
}

static bool run_message_rate(const struct machine_spec *machine, const void *argument,
                             uint64_t seed, struct workload_result *result, GError **error)
{
    static const struct world_task task = {prepare, program, report};
    const struct message_rate_spec *spec = argument;
    struct rate_run run = {.spec = spec, .first_ps = -1};
    if (!machine_kinds_share(machine, &gpu_params, "lanes", "message_rate", error))
        return false;
    int64_t groups = spec->blocks * spec->warps;
    struct world_setup setup = {.design = &spec->design,
                                .seed = seed,
                                .place_count = 2,
                                .served_places = 1,
                                .groups = groups,
                                .threads = machine->gpu.lanes,
                                .in_kernel = true,
                                .is_cooperative = true,
                                .heap_bytes = transfer_heap_bytes(groups, spec->bytes) +
                                              transfer_signal_bytes(groups, 1)};
    signal_init(&run.meeting);
    return world_run_alone(machine, &setup, &task, &run, result, error);
}

const struct workload message_rate_workload = {
    .name = "message_rate",
    .params = &message_rate_params,
    .accepts = transfer_accepts_kernel,
    .run = run_message_rate,
};
