/* SPDX-License-Identifier: BSD-3-Clause */
/* A job of four processes on two nodes for tests of the UCX layer, and messages that travel alone. Every
 * parameter has a value of its own, so that one taken for another shows to the picosecond. */
#pragma once

#include <glib.h>

#include "../models/job_alone.h"
#include "../software_test.h"
#include "protocols/ucx/ucx_parts.h"

#define US PS_PER_US
#define KIB INT64_C(1024)
#define MIB (1024 * KIB)

/* RANK_NEAR shares a socket with RANK_HOME, RANK_FAR its node. */
enum { RANK_HOME, RANK_NEAR, RANK_FAR, RANK_REMOTE, RANKS };

struct bench {
    struct machine_spec spec;
    struct sim *sim;
    struct job *job;
    struct ucx *ucx;
};

static inline struct job_process *ucx_process(const struct ucx_worker *worker)
{
    return worker->process;
}

static inline void bench_library(struct ucx_spec *ucx)
{
    param_set_defaults(&ucx_params, ucx);
    ucx->send_ps = 211003;
    ucx->control_ps = 53017;
    ucx->post_ps = 97001;
    ucx->progress_ps = 89041;
    ucx->poll_ps = 47051;
    ucx->memory_type_ps = 31071;
    ucx->registration_hit_ps = 149093;
    ucx->same_socket_latency_ps = 113101;
    ucx->cross_socket_latency_ps = 307103;
    ucx->intra_node_eager_bytes = 8 * KIB;
    ucx->cross_attach_ps = 1009107;
    ucx->intra_node_device_eager_bytes = 8 * KIB;
    ucx->eager_bytes = 24 * KIB;
    ucx->device_eager_bytes = 8 * KIB;
    ucx->fragment_cost_ps = 1013109;
    ucx->direct_setup_ps = 503113;
    ucx->device_send_ps = 71119;
}

static inline void bench_spec(struct bench *bench)
{
    struct machine_spec *spec = &bench->spec;
    machine_spec_init(spec, software_tables());
    spec->nodes = 2;
    spec->node = (struct node_shape){
        .sockets = 2, .gpus_per_socket = 3, .nics_per_socket = 1, .gpu_link = 1};
    bench_library(UCX(*spec));
}

/* After changes to bench->spec. */
static inline void bench_start(struct bench *bench)
{
    static const struct job_place places[RANKS] = {
        {.node = 0, .gpu = 0}, {.node = 0, .gpu = 1}, {.node = 0, .gpu = 3}, {.node = 1, .gpu = 0}};
    GError *error = NULL;
    bench->sim = sim_new(1);
    bench->job = job_alone(bench->sim, &bench->spec, places, RANKS, &error);
    g_assert_no_error(error);
    bench->ucx = ucx_new(bench->job, &ucx_params);
}

static inline void bench_stop(struct bench *bench)
{
    ucx_free(bench->ucx);
    job_alone_free(bench->job);
    sim_free(bench->sim);
}

static inline struct cpu *bench_cpu(struct bench *bench, int32_t rank)
{
    return &bench->job->processes[rank].cpu;
}

/* --- messages that travel alone --------------------------------------------------------------- */

enum receive_mode {
    RECEIVE_EXPECTED,   /* posted long before */
    RECEIVE_LATE,       /* the process does nothing but compute until long after, then posts */
    RECEIVE_UNEXPECTED, /* the same, but its progress has taken the message up */
};

#define LONE_ROUNDS 2 /* the first finds caches empty */
#define LONE_LATE_PS (20000 * US)

/* Times are from the call of send; for the late ones `received_ps` is from the call of receive. */
struct lone {
    int32_t from, to;
    int64_t bytes;
    bool from_device, to_device;
    enum receive_mode mode;
    struct bench *bench;
    sim_time called_ps, posted_ps;
    sim_time received_ps[LONE_ROUNDS], sent_ps[LONE_ROUNDS];
    int32_t receives, sends;
};

static inline void lone_received(const struct ucx_result *result, void *argument)
{
    struct lone *lone = argument;
    sim_time since_ps = lone->mode == RECEIVE_EXPECTED ? lone->called_ps : lone->posted_ps;
    g_assert_cmpint(result->source, ==, lone->from);
    g_assert_cmpint(result->bytes, ==, lone->bytes);
    g_assert_cmpuint(result->tag, ==, 40u + (unsigned)lone->receives);
    g_assert_true(result->content == lone);
    lone->received_ps[lone->receives++] = cpu_now(bench_cpu(lone->bench, lone->to)) - since_ps;
}

static inline void lone_sent(const struct ucx_result *result, void *argument)
{
    struct lone *lone = argument;
    g_assert_cmpint(result->bytes, ==, lone->bytes);
    lone->sent_ps[lone->sends++] = cpu_now(bench_cpu(lone->bench, lone->from)) - lone->called_ps;
}

static inline struct block lone_block(struct lone *lone, int32_t rank, bool is_device, uint32_t id)
{
    const struct job_process *process = &lone->bench->job->processes[rank];
    return is_device ? job_device_block(process, id, lone->bytes)
                     : job_host_block(process, BLOCK_PAGEABLE, id, lone->bytes);
}

static inline void compute_until(struct bench *bench, int32_t rank, sim_time at_ps)
{
    struct cpu *cpu = bench_cpu(bench, rank);
    cpu_spend(cpu, CPU_APPLICATION, at_ps - cpu_now(cpu));
    cpu_settle(cpu);
}

static inline void lone_sender(struct process *self, void *argument)
{
    struct lone *lone = argument;
    struct ucx_worker *worker = ucx_worker(lone->bench->ucx, lone->from);
    (void)self;
    for (int32_t round = 0; round < LONE_ROUNDS; round++) {
        compute_until(lone->bench, lone->from, (3 * round + 1) * LONE_LATE_PS);
        lone->called_ps = cpu_now(bench_cpu(lone->bench, lone->from));
        ucx_tag_send(worker, lone->to, lone_block(lone, lone->from, lone->from_device, 1),
                     40u + (unsigned)round, lone, lone_sent, lone);
        while (lone->sends <= round)
            if (!ucx_progress(worker))
                ucx_wait(worker);
    }
}

static inline void lone_receiver(struct process *self, void *argument)
{
    struct lone *lone = argument;
    struct bench *bench = lone->bench;
    struct ucx_worker *worker = ucx_worker(bench->ucx, lone->to);
    (void)self;
    for (int32_t round = 0; round < LONE_ROUNDS; round++) {
        if (lone->mode != RECEIVE_EXPECTED)
            compute_until(bench, lone->to, (3 * round + 2) * LONE_LATE_PS);
        if (lone->mode == RECEIVE_UNEXPECTED) {
            g_assert_true(ucx_progress(worker));
            compute_until(bench, lone->to, cpu_now(bench_cpu(bench, lone->to)) + 100 * US);
        }
        g_assert_cmpint(lone->receives, ==, round);
        lone->posted_ps = cpu_now(bench_cpu(bench, lone->to));
        ucx_tag_receive(worker, lone_block(lone, lone->to, lone->to_device, 2),
                        40u + (unsigned)round, lone_received, lone);
        while (lone->receives <= round)
            if (!ucx_progress(worker))
                ucx_wait(worker);
    }
}

static inline void lone_run(struct bench *bench, struct lone *lone)
{
    lone->bench = bench;
    bench_start(bench);
    job_start(bench->job, lone->to, lone_receiver, lone);
    job_start(bench->job, lone->from, lone_sender, lone);
    g_assert_cmpint(sim_run(bench->sim), ==, SIM_FINISHED);
    g_assert_cmpint(lone->receives, ==, LONE_ROUNDS);
    g_assert_cmpint(lone->sends, ==, LONE_ROUNDS);
}

/* --- what the layers below take alone --------------------------------------------------------- */

static inline sim_time host_ps(const struct bench *bench, enum host_copy_kind kind, int64_t bytes)
{
    return host_copy_ps(&bench->spec.host_copy, kind, bytes);
}

/* A send up to its protocol, of host memory; of GPU memory. */
static inline sim_time send_ps(const struct bench *bench)
{
    return UCX(bench->spec)->send_ps + UCX(bench->spec)->memory_type_ps;
}

static inline sim_time device_send_ps(const struct bench *bench)
{
    return send_ps(bench) + UCX(bench->spec)->device_send_ps;
}

/* Taking something up for which there is one receive, and ending it. */
static inline sim_time take_ps(const struct bench *bench)
{
    return UCX(bench->spec)->progress_ps + UCX_MATCH_PS;
}

static inline sim_time gdr_ps(const struct bench *bench, bool is_write, int64_t bytes)
{
    const struct cuda_spec *cuda = &bench->spec.cuda;
    return cuda->gdr_call_ps +
           transfer_ps(bytes, is_write ? cuda->gdr_write_rate_Bps : cuda->gdr_read_rate_Bps);
}

/* A lone copy, from its engine's choice to its end. */
static inline sim_time engine_ps(const struct bench *bench, struct block to, struct block from)
{
    const struct cuda_spec *cuda = &bench->spec.cuda;
    const struct platform_route *route =
        platform_route(bench->job->cluster->platform, from.port, to.port);
    bool is_peer = block_is_device(from) && block_is_device(to);
    int64_t chunk_bytes = is_peer ? cuda->peer_chunk_bytes : cuda->copy_chunk_bytes;
    return cuda->copy_setup_ps + (is_peer ? cuda->peer_setup_ps : 0) + route->latency_ps +
           transfer_ps(from.bytes, route->bandwidth_Bps) +
           transfer_ps(MIN(from.bytes, chunk_bytes), route->bandwidth_Bps);
}

static inline void note_time(void *argument)
{
    struct bench *bench = argument;
    bench->job->processes[0].cpu.owed_ps = sim_now(bench->sim); /* a place that nobody uses here */
}

enum wire { WIRE_INLINE, WIRE_DELIVERED, WIRE_COMPLETED, WIRE_READ };

/* What the NICs take alone between RANK_HOME, who posts, and RANK_REMOTE; of GPU memories or of host memories. */
static inline sim_time wire_ps(const struct bench *like, enum wire wire, int64_t bytes, bool of_gpu)
{
    struct bench bench = {.spec = like->spec};
    bench_start(&bench);
    const struct job_process *home = &bench.job->processes[RANK_HOME];
    const struct job_process *remote = &bench.job->processes[RANK_REMOTE];
    struct verbs_operation operation = {.node = home->node,
                                        .remote_node = remote->node,
                                        .rail = home->rail,
                                        .remote_rail = remote->rail,
                                        .core_port = home->core_port,
                                        .local_port = of_gpu ? home->gpu_port : home->core_port,
                                        .remote_port =
                                            of_gpu ? remote->gpu_port : remote->core_port,
                                        .bytes = bytes,
                                        .is_inline = wire == WIRE_INLINE,
                                        .argument = &bench};
    bool is_delivered = wire == WIRE_INLINE || wire == WIRE_DELIVERED;
    *(is_delivered ? &operation.delivered : &operation.completed) = note_time;
    if (wire == WIRE_READ)
        verbs_read(bench.job->nics, &operation);
    else
        verbs_write(bench.job->nics, &operation);
    g_assert_cmpint(sim_run(bench.sim), ==, SIM_FINISHED);
    sim_time took_ps = bench.job->processes[0].cpu.owed_ps;
    bench_stop(&bench);
    g_assert_cmpint(took_ps, >, 0);
    return took_ps;
}

/* A control message, from its making until it is in the other inbox. */
static inline sim_time control_ps(const struct bench *bench)
{
    const struct ucx_spec *ucx = UCX(bench->spec);
    return ucx->control_ps + ucx->post_ps + wire_ps(bench, WIRE_INLINE, UCX_CONTROL_BYTES, false);
}
