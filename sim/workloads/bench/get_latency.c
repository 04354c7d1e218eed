/* SPDX-License-Identifier: BSD-3-Clause */
/* Remote gets by one party, one after the other: ComPNet18 section 5.2, Fig 8a.
 *
 * The party of node 0 gets `bytes` from the memory of node 1, `repeats` times after `warmup` times that do
 * not count. The latency is what it sees, from the call to its return. As a work-group it is alone in its
 * kernel, and nothing runs on node 1 but its NIC; as a rank it asks for the data by a message that the rank
 * of node 1 answers. */
#include "workloads/interface/shared_rows.h"
#include "workloads/interface/workload.h"
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

struct get_run {
    const struct get_latency_spec *spec;
    struct world *world;
    struct transfer_buffer buffer;
    struct stat_histogram *latencies;
};

/* The party of node 0 gets; that of node 1 has its memory read. */
static void program(struct party *party, void *argument)
{
    struct get_run *run = argument;
    if (party->place == 1) {
        transfer_serve(party, 0, 0);
        return;
    }
    for (int64_t i = 0; i < run->spec->warmup + run->spec->repeats; i++) {
        if (i == run->spec->warmup)
            world_reset(run->world, party_now(party));
        sim_time start_ps = party_now(party);
        transfer_get(party, 1, 0, run->buffer, run->spec->bytes);
        if (i >= run->spec->warmup)
            stat_record(run->latencies, party_now(party) - start_ps);
    }
    world_measures_to(run->world, party_now(party));
    transfer_leave(party, 1, 0);
}

/* Work-groups' latencies come from the log of operations, beside their stages. */
static void report(const struct get_run *run, struct workload_result *result)
{
    const struct stat_histogram *logged = world_latencies(run->world);
    const struct stat_histogram *latencies = logged != NULL ? logged : run->latencies;
    workload_add_latencies(result, latencies);
    workload_add_percentiles(result, "latency", latencies, run->spec->kernel.percentiles);
    world_report(run->world, (double)run->spec->repeats, result);
}

static bool run_get_latency(const struct machine_spec *machine, const void *argument, uint64_t seed,
                            struct workload_result *result, GError **error)
{
    static const struct stat_info latency_info = {"get", "ps",
                                                  "a get, from the call to its return"};
    static const struct job_place places[] = {{.node = 0}, {.node = 1}};
    const struct get_latency_spec *spec = argument;
    struct world_setup setup = {.design = &spec->kernel.design,
                                .seed = seed,
                                .places = places,
                                .place_count = 2,
                                .groups = 1,
                                .threads = spec->kernel.threads,
                                .served_places = 1,
                                .heap_bytes = transfer_heap_bytes(1, spec->bytes)};
    struct world *world = world_new(machine, &setup, error);
    if (world == NULL)
        return false;
    struct get_run run = {
        .spec = spec,
        .world = world,
        .buffer = world_buffer(world, spec->bytes, TRANSFER_PAYLOAD),
        .latencies = stat_histogram_new(world_sim(world)->stats, "party0", &latency_info),
    };
    bool good = world_run(world, program, (void *[]){&run, &run}, error);
    if (good)
        report(&run, result);
    world_free(world);
    return good;
}

const struct workload get_latency_workload = {
    .name = "get_latency",
    .params = &get_latency_params,
    .accepts = transfer_accepts,
    .run = run_get_latency,
};
