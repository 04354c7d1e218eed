/* SPDX-License-Identifier: BSD-3-Clause */
/* UCX between processes of a node: what a message that travels alone takes, to the picosecond, and how
 * many follow one another. */
#include "../software_test.h"
#include "ucx_test.h"

/* Copies wait for no transport here; those of CUDA round to within this (fabric/transport.h). */
#define ROUNDING_PS 2

static sim_time shared_ps(const struct bench *bench, int32_t to)
{
    return to == RANK_NEAR ? UCX(bench->spec)->same_socket_latency_ps
                           : UCX(bench->spec)->cross_socket_latency_ps;
}

static enum host_copy_kind handoff(int32_t to)
{
    return to == RANK_NEAR ? HOST_COPY_HANDOFF : HOST_COPY_CROSS_SOCKET_HANDOFF;
}

static sim_time copy_out_ps(const struct bench *bench, int32_t to, int64_t bytes)
{
    return bytes ? host_ps(bench, handoff(to), bytes) : 0;
}

static sim_time copy_in_ps(const struct bench *bench, int64_t bytes)
{
    return bytes ? host_ps(bench, HOST_COPY_SAME_SOCKET, bytes) : 0;
}

static void test_eager(void)
{
    static const int64_t sizes[] = {0, 1, 100, 8192};
    for (int32_t to = RANK_NEAR; to <= RANK_FAR; to++) {
        for (size_t i = 0; i < G_N_ELEMENTS(sizes); i++) {
            struct bench bench = {0};
            bench_spec(&bench);
            struct lone lone = {.to = to, .bytes = sizes[i]};
            lone_run(&bench, &lone);
            sim_time sent_ps = send_ps(&bench) + copy_in_ps(&bench, sizes[i]);
            g_assert_cmpint(lone.sent_ps[0], ==, sent_ps);
            g_assert_cmpint(lone.received_ps[0], ==,
                            sent_ps + shared_ps(&bench, to) + take_ps(&bench) +
                                copy_out_ps(&bench, to, sizes[i]) + UCX(bench.spec)->poll_ps);
            g_assert_cmpint(lone.received_ps[1], ==, lone.received_ps[0]);
            g_assert_cmpint(ucx_count(ucx_worker(bench.ucx, to), UCX_EAGER), ==, 2);
            g_assert_cmpint(ucx_count(ucx_worker(bench.ucx, to), UCX_UNEXPECTED), ==, 0);
            bench_stop(&bench);
        }
    }
}

/* Two segments: the receiver copies the first while the sender copies the second. */
static void test_eager_segments(void)
{
    struct bench bench = {0};
    bench_spec(&bench);
    UCX(bench.spec)->segment_bytes = 4 * KIB;
    struct lone lone = {.to = RANK_NEAR, .bytes = 7 * KIB};
    lone_run(&bench, &lone);
    sim_time first_ps = send_ps(&bench) + copy_in_ps(&bench, 4 * KIB);
    sim_time second_ps = first_ps + copy_in_ps(&bench, 3 * KIB);
    sim_time shared = shared_ps(&bench, RANK_NEAR);
    sim_time free_ps =
        first_ps + shared + take_ps(&bench) + copy_out_ps(&bench, RANK_NEAR, 4 * KIB);
    g_assert_cmpint(lone.received_ps[0], ==,
                    MAX(free_ps, second_ps + shared) + UCX(bench.spec)->progress_ps +
                        copy_out_ps(&bench, RANK_NEAR, 3 * KIB) + UCX(bench.spec)->poll_ps);
    bench_stop(&bench);
}

/* An unexpected message is copied once more; one that nobody has polled is not. */
static void test_eager_unexpected(void)
{
    for (int mode = RECEIVE_LATE; mode <= RECEIVE_UNEXPECTED; mode++) {
        struct bench bench = {0};
        bench_spec(&bench);
        struct lone lone = {.to = RANK_NEAR, .bytes = 4 * KIB, .mode = (enum receive_mode)mode};
        lone_run(&bench, &lone);
        const struct ucx_spec *ucx = UCX(bench.spec);
        sim_time posted_ps = ucx->progress_ps + ucx->memory_type_ps;
        sim_time expected_ps =
            mode == RECEIVE_LATE
                ? posted_ps + take_ps(&bench) + copy_out_ps(&bench, RANK_NEAR, 4 * KIB)
                : posted_ps + UCX_MATCH_PS + copy_in_ps(&bench, 4 * KIB);
        g_assert_cmpint(lone.received_ps[0], ==, expected_ps + ucx->poll_ps);
        g_assert_cmpint(ucx_count(ucx_worker(bench.ucx, RANK_NEAR), UCX_UNEXPECTED), ==,
                        mode == RECEIVE_UNEXPECTED ? 2 : 0);
        bench_stop(&bench);
    }
}

/* What precedes the work of a rendezvous's receiver, and what follows it at the sender. */
static sim_time announced_ps(const struct bench *bench, const struct lone *lone)
{
    return (lone->from_device ? device_send_ps(bench) : send_ps(bench)) +
           UCX(bench->spec)->control_ps + shared_ps(bench, lone->to) + take_ps(bench);
}

static void check_rendezvous(const struct bench *bench, const struct lone *lone, int round,
                             sim_time work_ps)
{
    const struct ucx_spec *ucx = UCX(bench->spec);
    sim_time done_ps = announced_ps(bench, lone) + work_ps + ucx->control_ps;
    g_assert_cmpint(lone->received_ps[round], >=, done_ps + ucx->poll_ps);
    g_assert_cmpint(lone->received_ps[round], <=, done_ps + ucx->poll_ps + ROUNDING_PS);
    g_assert_cmpint(lone->sent_ps[round], ==,
                    lone->received_ps[round] + shared_ps(bench, lone->to) + ucx->progress_ps);
}

static void test_cross_attach(void)
{
    for (int32_t to = RANK_NEAR; to <= RANK_FAR; to++) {
        struct bench bench = {0};
        bench_spec(&bench);
        struct lone lone = {.to = to, .bytes = MIB + 1};
        lone_run(&bench, &lone);
        check_rendezvous(
            &bench, &lone, 0,
            UCX(bench.spec)->cross_attach_ps +
                host_ps(&bench, to == RANK_NEAR ? HOST_COPY_SAME_SOCKET : HOST_COPY_CROSS_SOCKET,
                        MIB + 1));
        g_assert_cmpint(ucx_count(ucx_worker(bench.ucx, to), UCX_CROSS_ATTACH), ==, 2);
        bench_stop(&bench);
    }
}

/* An announcement without a receive waits; the receive then starts the copy by itself. */
static void test_rendezvous_unexpected(void)
{
    struct bench bench = {0};
    bench_spec(&bench);
    const struct ucx_spec *ucx = UCX(bench.spec);
    struct lone lone = {.to = RANK_NEAR, .bytes = MIB, .mode = RECEIVE_UNEXPECTED};
    lone_run(&bench, &lone);
    g_assert_cmpint(lone.received_ps[0], ==,
                    ucx->progress_ps + ucx->memory_type_ps + UCX_MATCH_PS + ucx->cross_attach_ps +
                        host_ps(&bench, HOST_COPY_SAME_SOCKET, MIB) + ucx->control_ps +
                        ucx->poll_ps);
    g_assert_cmpint(ucx_count(ucx_worker(bench.ucx, RANK_NEAR), UCX_UNEXPECTED), ==, 2);
    bench_stop(&bench);
}

/* The first message pays for opening the handle; the copy's end is found by an event query, or by
 * synchronizing the stream. */
static void test_ipc(void)
{
    for (int to = RANK_NEAR; to <= RANK_FAR; to++) {
        for (int device_queue = 0; device_queue <= 1; device_queue++) {
            struct bench bench = {0};
            bench_spec(&bench);
            UCX(bench.spec)->device_queue = device_queue;
            const struct cuda_spec *cuda = &bench.spec.cuda;
            struct lone lone = {.to = to, .bytes = MIB + 1, .from_device = true, .to_device = true};
            lone_run(&bench, &lone);
            sim_time copy_ps =
                engine_ps(&bench, lone_block(&lone, to, true, 2), lone_block(&lone, 0, true, 1));
            sim_time work_ps = cuda->copy_call_ps + copy_ps +
                               (device_queue ? cuda->synchronize_ps
                                             : cuda->event_query_ps + UCX(bench.spec)->progress_ps);
            check_rendezvous(&bench, &lone, 1, work_ps);
            check_rendezvous(&bench, &lone, 0, work_ps + cuda->map_ps);
            g_assert_cmpint(ucx_count(ucx_worker(bench.ucx, to), UCX_IPC), ==, 2);
            bench_stop(&bench);
        }
    }
}

/* GPU memory, eager: by mapped memory; by cudaMemcpy, much slower, where GDRCopy was not found (P-L05). */
static void test_eager_device(void)
{
    struct bench bench = {0};
    bench_spec(&bench);
    struct lone lone = {.to = RANK_NEAR, .bytes = 1000, .from_device = true, .to_device = true};
    lone_run(&bench, &lone);
    sim_time around_ps = device_send_ps(&bench) + shared_ps(&bench, RANK_NEAR) + take_ps(&bench) +
                         UCX(bench.spec)->poll_ps;
    sim_time mapped_ps = around_ps + gdr_ps(&bench, false, 1000) + gdr_ps(&bench, true, 1000);
    g_assert_cmpint(lone.received_ps[1], ==, mapped_ps);
    g_assert_cmpint(lone.received_ps[0], ==, mapped_ps + 2 * bench.spec.cuda.map_ps);
    g_assert_cmpint(ucx_count(ucx_worker(bench.ucx, RANK_NEAR), UCX_EAGER_DEVICE), ==, 2);
    bench_stop(&bench);

    UCX(bench.spec)->gdr_copy = false;
    struct lone slow = {.to = RANK_NEAR, .bytes = 1000, .from_device = true, .to_device = true};
    lone_run(&bench, &slow);
    const struct cuda_spec *cuda = &bench.spec.cuda;
    struct block gpu0 = lone_block(&slow, RANK_HOME, true, 1);
    struct block gpu1 = lone_block(&slow, RANK_NEAR, true, 2);
    struct block host = lone_block(&slow, RANK_HOME, false, 3);
    sim_time slow_ps = around_ps + engine_ps(&bench, host, gpu0) + engine_ps(&bench, gpu1, host) +
                       2 * (cuda->copy_call_ps + cuda->synchronize_ps);
    g_assert_cmpint(slow.received_ps[1], >=, slow_ps);
    g_assert_cmpint(slow.received_ps[1], <=, slow_ps + 2 * ROUNDING_PS);
    g_assert_cmpint(slow.received_ps[1], >, 4 * mapped_ps);
    bench_stop(&bench);
}

/* Unexpected: kept on the host, then written to the GPU (M-119). */
static void test_eager_device_unexpected(void)
{
    struct bench bench = {0};
    bench_spec(&bench);
    struct lone lone = {.to = RANK_NEAR,
                        .bytes = 1000,
                        .from_device = true,
                        .to_device = true,
                        .mode = RECEIVE_UNEXPECTED};
    lone_run(&bench, &lone);
    const struct ucx_spec *ucx = UCX(bench.spec);
    g_assert_cmpint(lone.received_ps[1], ==,
                    ucx->progress_ps + ucx->memory_type_ps + ucx->device_send_ps + UCX_MATCH_PS +
                        gdr_ps(&bench, true, 1000) + ucx->poll_ps);
    bench_stop(&bench);
}

/* A receiver that computes does not advance a rendezvous, though it has posted (M-010). */
struct busy {
    struct bench bench;
    sim_time received_ps, sent_ps;
};

static void busy_received(const struct ucx_result *result, void *argument)
{
    struct busy *busy = argument;
    (void)result;
    busy->received_ps = cpu_now(bench_cpu(&busy->bench, RANK_NEAR));
}

static void busy_sent(const struct ucx_result *result, void *argument)
{
    struct busy *busy = argument;
    (void)result;
    busy->sent_ps = cpu_now(bench_cpu(&busy->bench, RANK_HOME));
}

static void busy_receiver(struct process *self, void *argument)
{
    struct busy *busy = argument;
    struct ucx_worker *worker = ucx_worker(busy->bench.ucx, RANK_NEAR);
    struct block block = job_host_block(ucx_process(worker), BLOCK_PAGEABLE, 2, MIB);
    (void)self;
    ucx_tag_receive(worker, block, 1, busy_received, busy);
    compute_until(&busy->bench, RANK_NEAR, 1000 * US);
    g_assert_cmpint(busy->received_ps, ==, 0);
    g_assert_true(ucx_progress(worker));
    g_assert_cmpint(busy->received_ps, >, 1000 * US);
}

static void busy_sender(struct process *self, void *argument)
{
    struct busy *busy = argument;
    struct ucx_worker *worker = ucx_worker(busy->bench.ucx, RANK_HOME);
    struct block block = job_host_block(ucx_process(worker), BLOCK_PAGEABLE, 1, MIB);
    (void)self;
    ucx_tag_send(worker, RANK_NEAR, block, 1, NULL, busy_sent, busy);
    while (!busy->sent_ps)
        if (!ucx_progress(worker))
            ucx_wait(worker);
    g_assert_cmpint(busy->sent_ps, >, 1000 * US);
}

static void test_progress(void)
{
    struct busy busy = {0};
    bench_spec(&busy.bench);
    bench_start(&busy.bench);
    job_start(busy.bench.job, RANK_NEAR, busy_receiver, &busy);
    job_start(busy.bench.job, RANK_HOME, busy_sender, &busy);
    g_assert_cmpint(sim_run(busy.bench.sim), ==, SIM_FINISHED);
    bench_stop(&busy.bench);
}

/* Probes see unexpected messages, oldest first, and take none; a poll that finds nothing costs its time. */
#define PROBE_TAG(i) (UINT64_C(0x10) * (unsigned)(i) + 3)
#define PROBED 3

struct probing {
    struct bench bench;
    char contents[PROBED];
    int32_t received;
};

static void probed_received(const struct ucx_result *result, void *argument)
{
    struct probing *probing = argument;
    static const int32_t order[PROBED] = {1, 0, 2};
    int32_t number = order[probing->received++];
    g_assert_cmpuint(result->tag, ==, PROBE_TAG(number));
    g_assert_true(result->content == &probing->contents[number]);
}

static void probing_receiver(struct process *self, void *argument)
{
    struct probing *probing = argument;
    struct cpu *cpu = bench_cpu(&probing->bench, RANK_NEAR);
    struct ucx_worker *worker = ucx_worker(probing->bench.ucx, RANK_NEAR);
    struct block block = job_host_block(ucx_process(worker), BLOCK_PAGEABLE, 2, 64);
    struct ucx_result result;
    (void)self;
    g_assert_false(ucx_progress(worker));
    g_assert_cmpint(cpu_now(cpu), ==, UCX(probing->bench.spec)->poll_ps);
    compute_until(&probing->bench, RANK_NEAR, 100 * US);
    g_assert_false(ucx_tag_probe(worker, PROBE_TAG(0), &result));
    g_assert_true(ucx_progress(worker));
    sim_time since_ps = cpu_now(cpu);
    g_assert_true(ucx_tag_probe(worker, PROBE_TAG(0), &result));
    g_assert_cmpuint(result.tag, ==, PROBE_TAG(0));
    g_assert_cmpint(result.bytes, ==, 8);
    g_assert_cmpint(result.source, ==, RANK_HOME);
    g_assert_false(ucx_tag_probe(worker, PROBE_TAG(9), &result));
    g_assert_cmpint(cpu_now(cpu) - since_ps, ==, UCX_MATCH_PS);
    g_assert_true(ucx_tag_probe(worker, PROBE_TAG(1), &result));
    ucx_tag_receive_probed(worker, block, PROBE_TAG(1), probed_received, probing);
    ucx_tag_receive(worker, block, PROBE_TAG(0), probed_received, probing);
    ucx_tag_receive(worker, block, PROBE_TAG(2), probed_received, probing);
    g_assert_cmpint(probing->received, ==, PROBED);
    g_assert_false(ucx_tag_probe(worker, PROBE_TAG(0), &result));
}

static void probing_sender(struct process *self, void *argument)
{
    struct probing *probing = argument;
    struct ucx_worker *worker = ucx_worker(probing->bench.ucx, RANK_HOME);
    struct block block = job_host_block(ucx_process(worker), BLOCK_PAGEABLE, 1, 8);
    (void)self;
    for (int32_t i = 0; i < PROBED; i++)
        ucx_tag_send(worker, RANK_NEAR, block, PROBE_TAG(i), &probing->contents[i], NULL, NULL);
}

static void test_probe(void)
{
    struct probing probing = {0};
    bench_spec(&probing.bench);
    bench_start(&probing.bench);
    job_start(probing.bench.job, RANK_NEAR, probing_receiver, &probing);
    job_start(probing.bench.job, RANK_HOME, probing_sender, &probing);
    g_assert_cmpint(sim_run(probing.bench.sim), ==, SIM_FINISHED);
    bench_stop(&probing.bench);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/ucx/intra_node/eager", test_eager);
    g_test_add_func("/ucx/intra_node/eager-segments", test_eager_segments);
    g_test_add_func("/ucx/intra_node/eager-unexpected", test_eager_unexpected);
    g_test_add_func("/ucx/intra_node/cross-attach", test_cross_attach);
    g_test_add_func("/ucx/intra_node/rendezvous-unexpected", test_rendezvous_unexpected);
    g_test_add_func("/ucx/intra_node/ipc", test_ipc);
    g_test_add_func("/ucx/intra_node/eager-device", test_eager_device);
    g_test_add_func("/ucx/intra_node/eager-device-unexpected", test_eager_device_unexpected);
    g_test_add_func("/ucx/intra_node/progress", test_progress);
    g_test_add_func("/ucx/intra_node/probe", test_probe);
    return g_test_run();
}
