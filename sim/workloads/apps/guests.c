/* SPDX-License-Identifier: BSD-3-Clause */
/* Both kinds of guests on one machine at the same time: a kernel whose work-groups get from the other node, and a job
 * of two ranks, one a node, that play ping-pong, each under a design of its own.
 *
 * Of either so many operations are measured. Who is through with them goes on with the same, unmeasured, until the
 * other is, too: so each is measured beside the other all the time. `running` takes one of them away: what is left
 * then has the machine to itself, and gives what its own workload does. */
#include <glib.h>
#include <stdio.h>

#include "core/error.h"
#include "workloads/interface/shared_rows.h"
#include "workloads/interface/workload.h"
#include "workloads/transfer/transfer.h"

enum running { RUNNING_BOTH, RUNNING_KERNEL, RUNNING_JOB };
static const char *const running_names[] = {"both", "kernel", "job", NULL};

struct guests_spec {
    struct design kernel_design, job_design;
    int64_t running;
    int64_t kernel_bytes, work_groups, gets;
    int64_t threads, service_threads;
    int64_t job_bytes, messages, job_gpu;
    int64_t warmup;
};

#define SPEC struct guests_spec
static const struct param params[] = {
    PARAM_STRUCT(kernel_design, SPEC, NULL, &design_record,
                 "The design that serves the kernel's work-groups."),
    PARAM_STRUCT(job_design, SPEC, NULL, &design_record, "The design of the job's ranks."),
    PARAM_ENUM(running, SPEC, "both", running_names,
               "Which of the two guests run: the kernel, the job, or both."),
    PARAM_SHARE("kernel_", kernel_bytes, SPEC, &bytes_row, "bytes=8B", ""),
    PARAM_COUNT(work_groups, SPEC, "1", "1", "4096",
                "Work-groups of the kernel on GPU 0 of node 0."),
    PARAM_COUNT(gets, SPEC, "100", "1", "10000", "Gets of each work-group that are measured."),
    SHARED_ROW(threads, SPEC, "64"),
    SHARED_ROW(service_threads, SPEC, "0"),
    PARAM_SHARE("job_", job_bytes, SPEC, &bytes_row, "bytes=8B", ""),
    PARAM_COUNT(messages, SPEC, "100", "1", "10000", "Ping-pongs that are measured."),
    PARAM_COUNT(job_gpu, SPEC, "0", "0", "63",
                "GPU of either node that the job's ranks belong to."),
    SHARED_ROW(warmup, SPEC, "4"),
};
#undef SPEC
static PARAM_TABLE_SHARING(
    guests_params, "guests", struct guests_spec, params,
    "A kernel with in-kernel queues and a job of ranks on one machine at the same time.");

struct guests {
    const struct guests_spec *spec;
    struct world *kernel, *job; /* NULL: not there */
    struct transfer_buffer kernel_buffer, job_buffer;
    struct stat_histogram *gets, *ping_pongs;
    int64_t groups_left;           /* with gets to be measured */
    bool is_job_measured, is_last; /* ping-pong of the job */
};

/* --- the kernel ----------------------------------------------------------------------------------- */

static void get_program(struct party *party, void *argument)
{
    struct guests *guests = argument;
    const struct guests_spec *spec = guests->spec;
    int64_t end = spec->warmup + spec->gets;
    for (int64_t i = 0; i < end || (guests->job != NULL && !guests->is_job_measured); i++) {
        sim_time start_ps = party_now(party);
        transfer_get(party, 1, party->group, guests->kernel_buffer, spec->kernel_bytes);
        if (i >= spec->warmup && i < end)
            stat_record(guests->gets, party_now(party) - start_ps);
        if (i == end - 1)
            guests->groups_left--;
    }
}

/* --- the job -------------------------------------------------------------------------------------- */

static void send(struct party *party, const struct guests *guests)
{
    struct message message;
    transfer_send(party, &message, 1 - party->place, 0, 0, guests->job_buffer,
                  guests->spec->job_bytes);
    transfer_wait(party, &message, 1);
}

static void receive(struct party *party, const struct guests *guests)
{
    struct message message;
    transfer_receive(party, &message, 1 - party->place, 0, 0, guests->job_buffer,
                     guests->spec->job_bytes);
    transfer_wait(party, &message, 1);
}

static void answer_program(struct party *party, struct guests *guests)
{
    for (bool is_last = false; !is_last;) {
        receive(party, guests);
        is_last = guests->is_last; /* the message says so */
        send(party, guests);
    }
}

static void ping_pong_program(struct party *party, void *argument)
{
    struct guests *guests = argument;
    const struct guests_spec *spec = guests->spec;
    int64_t end = spec->warmup + spec->messages;
    if (party->place == 1) {
        answer_program(party, guests);
        return;
    }
    for (int64_t i = 0; !guests->is_last; i++) {
        guests->is_last = i >= end - 1 && (guests->kernel == NULL || guests->groups_left == 0);
        sim_time start_ps = party_now(party);
        send(party, guests);
        receive(party, guests);
        if (i >= spec->warmup && i < end)
            stat_record(guests->ping_pongs, party_now(party) - start_ps);
        guests->is_job_measured = guests->is_job_measured || i == end - 1;
    }
}

/* --- both ----------------------------------------------------------------------------------------- */

static bool open_kernel(struct guests *guests, const struct machine_spec *machine, uint64_t seed,
                        GError **error)
{
    static const struct stat_info info = {"get", "ps", "a get, from the call to its return"};
    static const struct job_place places[] = {{.node = 0}, {.node = 1}};
    const struct guests_spec *spec = guests->spec;
    struct world_setup setup = {.design = &spec->kernel_design,
                                .seed = seed,
                                .places = places,
                                .place_count = 2,
                                .groups = spec->work_groups,
                                .threads = spec->threads,
                                .service_threads = spec->service_threads,
                                .served_places = 1,
                                .heap_bytes =
                                    transfer_heap_bytes(spec->work_groups, spec->kernel_bytes)};
    guests->kernel = world_new(machine, &setup, error);
    if (guests->kernel == NULL)
        return false;
    guests->kernel_buffer = world_buffer(guests->kernel, spec->kernel_bytes, TRANSFER_PAYLOAD);
    guests->gets = stat_histogram_new(world_sim(guests->kernel)->stats, "kernel", &info);
    guests->groups_left = spec->work_groups;
    return true;
}

static bool open_job(struct guests *guests, const struct machine_spec *machine, uint64_t seed,
                     GError **error)
{
    static const struct stat_info info = {"ping_pong", "ps", "a message and its answer"};
    const struct guests_spec *spec = guests->spec;
    const struct job_place places[] = {{.node = 0, .gpu = (int32_t)spec->job_gpu},
                                       {.node = 1, .gpu = (int32_t)spec->job_gpu}};
    struct world_setup setup = {.design = &spec->job_design,
                                .beside = guests->kernel,
                                .seed = seed,
                                .places = places,
                                .place_count = 2,
                                .groups = 1,
                                .served_places = 2};
    guests->job = world_new(machine, &setup, error);
    if (guests->job == NULL)
        return false;
    guests->job_buffer = world_buffer(guests->job, spec->job_bytes, TRANSFER_PAYLOAD);
    guests->ping_pongs = stat_histogram_new(world_sim(guests->job)->stats, "job", &info);
    return true;
}

static int64_t mean(const struct stat_histogram *histogram)
{
    return (int64_t)(histogram->sum / histogram->count);
}

static void report(const struct guests *guests, struct workload_result *result)
{
    const struct world *any = guests->kernel != NULL ? guests->kernel : guests->job;
    struct cluster *cluster = world_cluster(any);
    if (guests->kernel != NULL) {
        workload_add_mean_time(result, "get_latency", mean(guests->gets), &guests->gets->units);
        workload_add_quantity(result, "get_latency_max", UNIT_TIME, guests->gets->maximum);
    }
    if (guests->job != NULL) {
        workload_add_quantity(result, "message_latency", UNIT_TIME,
                              (mean(guests->ping_pongs) + 1) / 2);
        workload_add_quantity(result, "message_latency_max", UNIT_TIME,
                              (guests->ping_pongs->maximum + 1) / 2);
    }
    workload_add_quantity(result, "host_cores_left", UNIT_COUNT,
                          cluster_cores_left(cluster, CORES_OF_HOST, 0, 0));
    workload_add_quantity(result, "cp_cores_left", UNIT_COUNT,
                          cluster_cores_left(cluster, CORES_OF_CP, 0, 0));
    param_uses_only(&cluster->sim->uses, &host_params, "cores", NULL); /* those left over */
    param_uses_only(&cluster->sim->uses, &cp_params, "cores", NULL);
    workload_observe(result, cluster, 1);
    workload_add_quantity(result, "events", UNIT_COUNT,
                          (int64_t)event_executed(cluster->sim->events));
}

static bool run_worlds(struct guests *guests, GError **error)
{
    void *both[] = {guests, guests};
    struct world *worlds[2];
    party_program *programs[2];
    void *const *arguments[] = {both, both};
    size_t count = 0;
    if (guests->kernel != NULL) {
        worlds[count] = guests->kernel;
        programs[count++] = get_program;
    }
    if (guests->job != NULL) {
        worlds[count] = guests->job;
        programs[count++] = ping_pong_program;
    }
    return worlds_run(worlds, count, programs, arguments, error);
}

/* Whether each design is one of its kind. */
static bool are_of_both_kinds(const struct guests_spec *spec, GError **error)
{
    char text[PARAM_TEXT_SIZE];
    bool is_kernel = spec->kernel_design.initiator != INITIATOR_HOST;
    if (is_kernel && spec->job_design.initiator == INITIATOR_HOST)
        return true;
    return error_set(
        error, "%s; %s is none",
        is_kernel ? "job_design takes a design of ranks, initiator = host"
                  : "kernel_design takes a design of work-groups, initiator = kernel or trigger",
        design_text(is_kernel ? &spec->job_design : &spec->kernel_design, text));
}

static bool run_guests(const struct machine_spec *machine, const void *argument, uint64_t seed,
                       struct workload_result *result, GError **error)
{
    const struct guests_spec *spec = argument;
    struct guests guests = {.spec = spec};
    double gets = (double)spec->work_groups * (double)(spec->warmup + spec->gets);
    double messages = 2 * (double)(spec->warmup + spec->messages);
    bool good = are_of_both_kinds(spec, error) &&
                machine_can_carry(
                    machine, gets * (double)spec->kernel_bytes + messages * (double)spec->job_bytes,
                    error) &&
                (spec->running == RUNNING_JOB || open_kernel(&guests, machine, seed, error)) &&
                (spec->running == RUNNING_KERNEL || open_job(&guests, machine, seed, error)) &&
                run_worlds(&guests, error);
    if (good)
        report(&guests, result);
    world_free(guests.job);
    world_free(guests.kernel);
    return good;
}

const struct workload guests_workload = {
    .name = "guests",
    .params = &guests_params,
    .run = run_guests,
};
