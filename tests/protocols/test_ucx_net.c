/* SPDX-License-Identifier: BSD-3-Clause */
/* UCX between nodes. What a message that travels alone takes is put together from what the NICs and copy
 * engines take alone. */
#include "../software_test.h"
#include "ucx_test.h"

#define ROUNDING_PS 8 /* of the transport's shares, some transfers one after the other */

#define assert_near(value, expected)                                                               \
    do {                                                                                           \
        g_assert_cmpint(value, >=, (expected)-ROUNDING_PS);                                        \
        g_assert_cmpint(value, <=, (expected) + ROUNDING_PS);                                      \
    } while (0)

static struct lone to_remote(int64_t bytes, bool from_device, bool to_device)
{
    return (struct lone){
        .to = RANK_REMOTE, .bytes = bytes, .from_device = from_device, .to_device = to_device};
}

static int64_t remote_count(const struct bench *bench, enum ucx_count count)
{
    return ucx_count(ucx_worker(bench->ucx, RANK_REMOTE), count);
}

/* --- eager ------------------------------------------------------------------------------------- */

static void test_eager(void)
{
    static const int64_t sizes[] = {0, 1, 64, 65, 8192};
    for (size_t i = 0; i < G_N_ELEMENTS(sizes); i++) {
        struct bench bench = {0};
        bench_spec(&bench);
        int64_t bytes = sizes[i];
        sim_time way_ps = wire_ps(&bench, bytes <= 64 ? WIRE_INLINE : WIRE_DELIVERED, bytes, false);
        struct lone lone = to_remote(bytes, false, false);
        lone_run(&bench, &lone);
        sim_time copy_ps = bytes ? host_ps(&bench, HOST_COPY_SAME_SOCKET, bytes) : 0;
        sim_time sent_ps = send_ps(&bench) + copy_ps + UCX(bench.spec)->post_ps;
        g_assert_cmpint(lone.sent_ps[0], ==, sent_ps);
        assert_near(lone.received_ps[0],
                    sent_ps + way_ps + take_ps(&bench) + copy_ps + UCX(bench.spec)->poll_ps);
        g_assert_cmpint(remote_count(&bench, UCX_EAGER), ==, 2);
        bench_stop(&bench);
    }
}

static void test_eager_device(void)
{
    struct bench bench = {0};
    bench_spec(&bench);
    sim_time way_ps = wire_ps(&bench, WIRE_DELIVERED, 4 * KIB, false);
    struct lone lone = to_remote(4 * KIB, true, true);
    lone_run(&bench, &lone);
    assert_near(lone.received_ps[1], device_send_ps(&bench) + gdr_ps(&bench, false, 4 * KIB) +
                                         UCX(bench.spec)->post_ps + way_ps + take_ps(&bench) +
                                         gdr_ps(&bench, true, 4 * KIB) + UCX(bench.spec)->poll_ps);
    bench_stop(&bench);
}

/* Segments let the copies and the wire overlap. */
static void test_eager_segments(void)
{
    sim_time received_ps[2];
    for (int whole = 0; whole <= 1; whole++) {
        struct bench bench = {0};
        bench_spec(&bench);
        if (whole)
            UCX(bench.spec)->segment_bytes = MIB;
        struct lone lone = to_remote(24 * KIB, false, false);
        lone_run(&bench, &lone);
        received_ps[whole] = lone.received_ps[0];
        bench_stop(&bench);
    }
    g_assert_cmpint(received_ps[0], <, received_ps[1]);
}

/* --- rendezvous -------------------------------------------------------------------------------- */

/* Host memory by RDMA read, GPU memory by GPUDirect: the first message registers both sides' memory. */
static void test_read(void)
{
    for (int device = 0; device <= 1; device++) {
        struct bench bench = {0};
        bench_spec(&bench);
        UCX(bench.spec)->gpu_direct_bytes = MIB;
        const struct ucx_spec *ucx = UCX(bench.spec);
        sim_time announce_ps = control_ps(&bench);
        sim_time read_ps = wire_ps(&bench, WIRE_READ, MIB - 1, device);
        struct lone lone = to_remote(MIB - 1, device, device);
        lone_run(&bench, &lone);
        sim_time warm_ps = (device ? device_send_ps(&bench) : send_ps(&bench)) +
                           ucx->registration_hit_ps + announce_ps + take_ps(&bench) +
                           ucx->registration_hit_ps + ucx->post_ps +
                           (device ? ucx->direct_setup_ps : 0) + read_ps + ucx->progress_ps +
                           ucx->control_ps + ucx->post_ps + ucx->poll_ps;
        assert_near(lone.received_ps[1], warm_ps);
        assert_near(lone.received_ps[0],
                    warm_ps +
                        2 * (UCX_REGISTRATION_PS + ucx->registration_growth_ps * (MIB - 1) / 1024 -
                             ucx->registration_hit_ps));
        assert_near(lone.sent_ps[1], lone.received_ps[1] + announce_ps - ucx->control_ps -
                                         ucx->post_ps + ucx->progress_ps);
        g_assert_cmpint(remote_count(&bench, device ? UCX_GPU_DIRECT : UCX_RDMA), ==, 2);
        bench_stop(&bench);
    }
}

static void test_rails(void)
{
    sim_time received_ps[2];
    for (int rails = 1; rails <= 2; rails++) {
        struct bench bench = {0};
        bench_spec(&bench);
        UCX(bench.spec)->rails = rails;
        struct lone lone = to_remote(16 * MIB, false, false);
        lone_run(&bench, &lone);
        received_ps[rails - 1] = lone.received_ps[1];
        bench_stop(&bench);
    }
    double ratio = (double)received_ps[0] / (double)received_ps[1];
    g_assert_cmpfloat(ratio, >, 1.95);
    g_assert_cmpfloat(ratio, <, 2.0);
}

/* --- to its own process ------------------------------------------------------------------------- */

/* A process with a receive posted sends itself a message of GPU memory, twice. */
static void own_program(struct process *self, void *argument)
{
    struct lone *lone = argument;
    struct ucx_worker *worker = ucx_worker(lone->bench->ucx, RANK_HOME);
    (void)self;
    for (int32_t round = 0; round < LONE_ROUNDS; round++) {
        unsigned tag = 40u + (unsigned)round;
        ucx_tag_receive(worker, lone_block(lone, RANK_HOME, true, 2), tag, lone_received, lone);
        lone->called_ps = cpu_now(bench_cpu(lone->bench, RANK_HOME));
        ucx_tag_send(worker, RANK_HOME, lone_block(lone, RANK_HOME, true, 1), tag, lone, lone_sent,
                     lone);
        while (lone->sends <= round || lone->receives <= round)
            if (!ucx_progress(worker))
                ucx_wait(worker);
    }
}

/* How long the second message takes; `count`: messages of that protocol. */
static sim_time own_ps(struct bench *bench, int64_t bytes, enum ucx_count count)
{
    struct lone lone = {.bench = bench, .bytes = bytes, .from_device = true, .to_device = true};
    bench_start(bench);
    job_start(bench->job, RANK_HOME, own_program, &lone);
    g_assert_cmpint(sim_run(bench->sim), ==, SIM_FINISHED);
    g_assert_cmpint(ucx_count(ucx_worker(bench->ucx, RANK_HOME), count), ==, LONE_ROUNDS);
    bench_stop(bench);
    return lone.received_ps[1];
}

/* By UCX's rates a NIC of 12.5 GB/s reads 12.5 parts of 22.98576 and the GPU copies the others, which is over long before. The loop passes a
 * bus of 15.754 GB/s each way; where nothing is read all is copied. Two NICs take 25 parts of 35.48576. */
static void test_own_process(void)
{
    const int64_t bytes = 64 * MIB;
    const double loop_ps[] = {0, (double)bytes * 12.5 / 22.98576 / 15.754e-3,
                              (double)bytes * 12.5 / 35.48576 / 15.754e-3};
    struct bench bench = {0};
    bench_spec(&bench);
    g_assert_cmpint(bench.spec.network.wire.rate_Bps, ==, 12500000000);
    sim_time copied_ps = own_ps(&bench, bytes, UCX_IPC);
    for (int rails = 1; rails <= 2; rails++) {
        UCX(bench.spec)->gpu_direct_bytes = 64 * MIB;
        UCX(bench.spec)->rails = rails;
        sim_time looped_ps = own_ps(&bench, bytes, UCX_GPU_DIRECT);
        g_assert_cmpfloat((double)looped_ps, >, loop_ps[rails]);
        g_assert_cmpfloat((double)looped_ps, <, 1.15 * loop_ps[rails]);
        g_assert_cmpint(looped_ps, >, 5 * copied_ps);
    }
    UCX(bench.spec)->device_queue = true;
    g_assert_cmpint(own_ps(&bench, bytes, UCX_IPC), <, 2 * copied_ps);
    UCX(bench.spec)->device_queue = false;
    g_assert_cmpint(own_ps(&bench, 64 * MIB + 1, UCX_IPC), <, 2 * copied_ps);
}

/* A NIC of more than four times a copy's rate reads all. The platform is another one, of which a process holds one. */
static void test_own_process_of_fast_nic(void)
{
    struct bench bench = {0};
    if (!g_test_subprocess()) {
        g_test_trap_subprocess(NULL, 0, 0);
        g_test_trap_assert_passed();
        return;
    }
    bench_spec(&bench);
    UCX(bench.spec)->gpu_direct_bytes = 64 * MIB;
    bench.spec.network.wire.rate_Bps = INT64_C(50000000000);
    bench.spec.bus.wire.rate_Bps = INT64_C(50000000000);
    sim_time looped_ps = own_ps(&bench, 64 * MIB, UCX_GPU_DIRECT);
    g_assert_cmpfloat((double)looped_ps, >, 64.0 * MIB / 50e-3);
}

/* --- the pipeline ------------------------------------------------------------------------------ */

struct stages {
    sim_time request_ps;  /* asking for a fragment, until the sender's progress has taken it up */
    sim_time out_ps;      /* the copy engine */
    sim_time found_ps;    /* from its end until the core goes on */
    sim_time write_ps;    /* until completed */
    sim_time announce_ps; /* until the receiver has taken it up */
    sim_time in_ps;
};

static struct stages stages_of(struct bench *bench, int64_t bytes)
{
    const struct ucx_spec *ucx = UCX(bench->spec);
    const struct cuda_spec *cuda = &bench->spec.cuda;
    struct stages stages = {
        .request_ps =
            ucx->fragment_cost_ps + control_ps(bench) + ucx->progress_ps + ucx->fragment_cost_ps,
        .found_ps =
            ucx->device_queue ? cuda->synchronize_ps : cuda->event_query_ps + ucx->progress_ps,
        .write_ps = ucx->post_ps + wire_ps(bench, WIRE_COMPLETED, bytes, false) + ucx->progress_ps,
        .announce_ps = control_ps(bench) + ucx->progress_ps,
    };
    bench_start(bench);
    struct lone like = to_remote(bytes, true, true);
    like.bench = bench;
    stages.out_ps = engine_ps(bench, lone_block(&like, RANK_HOME, false, 3),
                              lone_block(&like, RANK_HOME, true, 1));
    stages.in_ps = engine_ps(bench, lone_block(&like, RANK_REMOTE, true, 2),
                             lone_block(&like, RANK_REMOTE, false, 4));
    bench_stop(bench);
    return stages;
}

/* A fragment from the request to the end of its copy into the GPU. */
static sim_time fragment_ps(const struct bench *bench, const struct stages *stages)
{
    sim_time call_ps = bench->spec.cuda.copy_call_ps;
    return stages->request_ps + call_ps + stages->out_ps + stages->found_ps + stages->write_ps +
           stages->announce_ps + call_ps + stages->in_ps + stages->found_ps;
}

static sim_time staged_start_ps(const struct bench *bench)
{
    return device_send_ps(bench) + control_ps(bench) + take_ps(bench);
}

static void test_staged_alone(void)
{
    for (int device_queue = 0; device_queue <= 1; device_queue++) {
        struct bench bench = {0};
        bench_spec(&bench);
        UCX(bench.spec)->device_queue = device_queue;
        struct stages stages = stages_of(&bench, 300 * KIB);
        sim_time expected_ps =
            staged_start_ps(&bench) + fragment_ps(&bench, &stages) + UCX(bench.spec)->poll_ps;
        struct lone lone = to_remote(300 * KIB, true, true);
        lone_run(&bench, &lone);
        assert_near(lone.received_ps[0], expected_ps);
        assert_near(lone.received_ps[1], expected_ps);
        g_assert_cmpint(lone.sent_ps[0], <, lone.received_ps[0] - stages.in_ps);
        g_assert_cmpint(remote_count(&bench, UCX_STAGED), ==, 2);
        bench_stop(&bench);
    }
}

/* One fragment at a time: each goes the whole way before the next sets out. Many at a time: the slowest
 * stage decides, the others fill and empty the pipeline. */
static void test_staged_pipeline(void)
{
    enum { FRAGMENTS = 32 };
    int64_t fragment_bytes = 512 * KIB;
    static const int64_t slow_setups_ps[] = {0, 150 * US};
    for (size_t i = 0; i < G_N_ELEMENTS(slow_setups_ps); i++) {
        for (int in_flight = 1; in_flight <= 8; in_flight *= 8) {
            struct bench bench = {0};
            bench_spec(&bench);
            bench.spec.cuda.copy_setup_ps += slow_setups_ps[i];
            UCX(bench.spec)->fragment_bytes = fragment_bytes;
            UCX(bench.spec)->fragments_in_flight = in_flight;
            struct stages stages = stages_of(&bench, fragment_bytes);
            sim_time start_ps = staged_start_ps(&bench);
            sim_time alone_ps = fragment_ps(&bench, &stages);
            struct lone lone = to_remote(FRAGMENTS * fragment_bytes, true, true);
            lone_run(&bench, &lone);
            const struct platform_route *route = platform_route(
                bench.job->cluster->platform, bench.job->processes[RANK_HOME].core_port,
                bench.job->processes[RANK_REMOTE].core_port);
            sim_time slowest_ps = MAX(transfer_ps(fragment_bytes, route->bandwidth_Bps),
                                      MAX(stages.out_ps, stages.in_ps));
            if (in_flight == 1) {
                g_assert_cmpint(lone.received_ps[0] - start_ps - UCX(bench.spec)->poll_ps, >=,
                                FRAGMENTS * alone_ps - FRAGMENTS * ROUNDING_PS);
                g_assert_cmpint(lone.received_ps[0] - start_ps - UCX(bench.spec)->poll_ps, <=,
                                FRAGMENTS * alone_ps + FRAGMENTS * ROUNDING_PS);
            } else {
                g_assert_cmpint(lone.received_ps[0], >=, FRAGMENTS * slowest_ps);
                g_assert_cmpfloat((double)lone.received_ps[0], <=,
                                  1.04 * (double)(FRAGMENTS * slowest_ps) +
                                      (double)(start_ps + 2 * alone_ps));
            }
            bench_stop(&bench);
        }
    }
}

/* Between host memory of one side and GPU memory of the other there is one copy less. */
static void test_staged_mixed(void)
{
    sim_time received_ps[4];
    for (int kinds = 1; kinds <= 3; kinds++) {
        struct bench bench = {0};
        bench_spec(&bench);
        struct lone lone = to_remote(300 * KIB, kinds & 1, kinds & 2);
        lone_run(&bench, &lone);
        received_ps[kinds] = lone.received_ps[1];
        g_assert_cmpint(remote_count(&bench, UCX_STAGED), ==, 2);
        bench_stop(&bench);
    }
    g_assert_cmpint(received_ps[1], <, received_ps[3]);
    g_assert_cmpint(received_ps[2], <, received_ps[3]);
}

/* --- order ------------------------------------------------------------------------------------- */

/* Large and small messages of one tag, eager and rendezvous, in the order of their sending, though the
 * small ones are faster on the wire. */
#define ORDER_COUNT 12
static const int64_t order_bytes[ORDER_COUNT] = {20000, 1, 300000,  0, 24000, 8,
                                                 5000,  3, 1000000, 2, 20001, 64};

struct order {
    struct bench bench;
    int32_t received, sent;
};

static void order_received(const struct ucx_result *result, void *argument)
{
    int64_t *bytes = argument;
    *bytes = result->bytes;
}

static void order_receiver(struct process *self, void *argument)
{
    struct order *order = argument;
    struct ucx_worker *worker = ucx_worker(order->bench.ucx, RANK_REMOTE);
    int64_t bytes[ORDER_COUNT];
    (void)self;
    for (int i = 0; i < ORDER_COUNT; i++) {
        bytes[i] = -1;
        ucx_tag_receive(worker, job_host_block(ucx_process(worker), BLOCK_PAGEABLE, 2, MIB), 7,
                        order_received, &bytes[i]);
    }
    for (int i = 0; i < ORDER_COUNT; i++) {
        while (bytes[i] < 0)
            if (!ucx_progress(worker))
                ucx_wait(worker);
        g_assert_cmpint(bytes[i], ==, order_bytes[i]);
        order->received++;
    }
}

static void order_sent(const struct ucx_result *result, void *argument)
{
    (void)result;
    ++*(int32_t *)argument;
}

static void order_sender(struct process *self, void *argument)
{
    struct order *order = argument;
    struct ucx_worker *worker = ucx_worker(order->bench.ucx, RANK_HOME);
    (void)self;
    for (int i = 0; i < ORDER_COUNT; i++)
        ucx_tag_send(worker, RANK_REMOTE,
                     job_host_block(ucx_process(worker), BLOCK_PAGEABLE, 1, order_bytes[i]), 7,
                     NULL, order_sent, &order->sent);
    while (order->sent < ORDER_COUNT)
        if (!ucx_progress(worker))
            ucx_wait(worker);
}

static void test_order(void)
{
    struct order order = {0};
    bench_spec(&order.bench);
    bench_start(&order.bench);
    job_start(order.bench.job, RANK_REMOTE, order_receiver, &order);
    job_start(order.bench.job, RANK_HOME, order_sender, &order);
    g_assert_cmpint(sim_run(order.bench.sim), ==, SIM_FINISHED);
    g_assert_cmpint(order.received, ==, ORDER_COUNT);
    bench_stop(&order.bench);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/ucx/net/eager", test_eager);
    g_test_add_func("/ucx/net/eager-device", test_eager_device);
    g_test_add_func("/ucx/net/eager-segments", test_eager_segments);
    g_test_add_func("/ucx/net/read", test_read);
    g_test_add_func("/ucx/net/rails", test_rails);
    g_test_add_func("/ucx/net/own-process", test_own_process);
    g_test_add_func("/ucx/net/own-process-of-fast-nic", test_own_process_of_fast_nic);
    g_test_add_func("/ucx/net/staged-alone", test_staged_alone);
    g_test_add_func("/ucx/net/staged-pipeline", test_staged_pipeline);
    g_test_add_func("/ucx/net/staged-mixed", test_staged_mixed);
    g_test_add_func("/ucx/net/order", test_order);
    return g_test_run();
}
