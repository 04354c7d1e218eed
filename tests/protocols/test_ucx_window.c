/* SPDX-License-Identifier: BSD-3-Clause */
/* Windows of 64 messages, as in the suite's bandwidth test: what the slowest part lets through. */
#include "../software_test.h"
#include "ucx_test.h"

#define WINDOW 64

struct window {
    struct bench bench;
    int32_t to;
    int64_t bytes;
    bool is_device;
    int32_t sent, received;
    sim_time took_ps; /* from the first send to the last end at the receiver */
    sim_time cuda_ps; /* the receiver's core in CUDA, both windows */
};

static void count_one(const struct ucx_result *result, void *argument)
{
    (void)result;
    ++*(int32_t *)argument;
}

static struct block window_block(const struct ucx_worker *worker, const struct window *window)
{
    const struct job_process *process = ucx_process(worker);
    return window->is_device ? job_device_block(process, 1, window->bytes)
                             : job_host_block(process, BLOCK_PAGEABLE, 1, window->bytes);
}

/* Twice, so that caches are warm in the second. */
static void sender(struct process *self, void *argument)
{
    struct window *window = argument;
    struct ucx_worker *worker = ucx_worker(window->bench.ucx, RANK_HOME);
    (void)self;
    for (int32_t round = 1; round <= 2; round++) {
        compute_until(&window->bench, RANK_HOME, round * PS_PER_S);
        for (int32_t i = 0; i < WINDOW; i++)
            ucx_tag_send(worker, window->to, window_block(worker, window), 100, NULL, count_one,
                         &window->sent);
        while (window->sent < round * WINDOW)
            if (!ucx_progress(worker))
                ucx_wait(worker);
    }
}

static void receiver(struct process *self, void *argument)
{
    struct window *window = argument;
    struct ucx_worker *worker = ucx_worker(window->bench.ucx, window->to);
    (void)self;
    for (int32_t round = 1; round <= 2; round++) {
        for (int32_t i = 0; i < WINDOW; i++)
            ucx_tag_receive(worker, window_block(worker, window), 100, count_one,
                            &window->received);
        while (window->received < round * WINDOW)
            if (!ucx_progress(worker))
                ucx_wait(worker);
        window->took_ps = cpu_now(bench_cpu(&window->bench, window->to)) - round * PS_PER_S;
    }
}

static void window_run(struct window *window)
{
    bench_start(&window->bench);
    job_start(window->bench.job, window->to, receiver, window);
    job_start(window->bench.job, RANK_HOME, sender, window);
    g_assert_cmpint(sim_run(window->bench.sim), ==, SIM_FINISHED);
    window->cuda_ps = bench_cpu(&window->bench, window->to)->time_ps[CPU_CUDA];
    g_assert_cmpint(window->took_ps, >, 0);
}

/* The peer engine copies one message after the other, each with its setup: that is what large messages get
 * of the link. What comes first and last is that of one message. */
static void test_ipc(void)
{
    struct window window = {.to = RANK_NEAR, .bytes = 4 * MIB, .is_device = true};
    bench_spec(&window.bench);
    window_run(&window);
    struct bench *bench = &window.bench;
    sim_time engine = engine_ps(bench, window_block(ucx_worker(bench->ucx, RANK_NEAR), &window),
                                window_block(ucx_worker(bench->ucx, RANK_HOME), &window));
    g_assert_cmpint(window.took_ps, >=, WINDOW * engine);
    g_assert_cmpint(window.took_ps, <=,
                    WINDOW * engine + 2 * bench->spec.cuda.copy_call_ps +
                        WINDOW * bench->spec.cuda.event_query_ps + 5 * US);
    bench_stop(bench);
}

/* Each copy under way is an event to query in each poll (M-121): a lone message has one query, one of a
 * window many. */
static void test_ipc_queries(void)
{
    sim_time cuda_ps[2];
    for (int slow = 0; slow <= 1; slow++) {
        struct window window = {.to = RANK_NEAR, .bytes = 256 * KIB, .is_device = true};
        bench_spec(&window.bench);
        window.bench.spec.cuda.event_query_ps = 100000 + slow;
        window_run(&window);
        cuda_ps[slow] = window.cuda_ps;
        bench_stop(&window.bench);
    }
    int64_t queries = cuda_ps[1] - cuda_ps[0]; /* at a picosecond each */
    g_assert_cmpint(queries, >, 2 * WINDOW * 8);
    g_assert_cmpint(queries, <=, 2 * WINDOW * WINDOW);
}

static void test_rails(void)
{
    sim_time took_ps[2], wire_ps = 0;
    for (int rails = 1; rails <= 2; rails++) {
        struct window window = {.to = RANK_REMOTE, .bytes = 2 * MIB};
        bench_spec(&window.bench);
        UCX(window.bench.spec)->rails = rails;
        window_run(&window);
        took_ps[rails - 1] = window.took_ps;
        const struct job_process *processes = window.bench.job->processes;
        const struct platform_route *route =
            platform_route(window.bench.job->cluster->platform, processes[RANK_HOME].core_port,
                           processes[RANK_REMOTE].core_port);
        wire_ps = transfer_ps(WINDOW * window.bytes, route->bandwidth_Bps);
        bench_stop(&window.bench);
    }
    g_assert_cmpint(took_ps[0], >, wire_ps);
    g_assert_cmpfloat((double)took_ps[0], <, 1.05 * (double)wire_ps);
    double ratio = (double)took_ps[0] / (double)took_ps[1];
    g_assert_cmpfloat(ratio, >, 1.95);
    g_assert_cmpfloat(ratio, <, 2.0);
}

/* Fragments of all messages share the engines and the wire: the slowest of them is busy all the time. */
static void test_staged(void)
{
    struct window window = {.to = RANK_REMOTE, .bytes = 2 * MIB, .is_device = true};
    bench_spec(&window.bench);
    window_run(&window);
    struct bench *bench = &window.bench;
    int64_t fragment_bytes = UCX(bench->spec)->fragment_bytes;
    const struct job_process *home = &bench->job->processes[RANK_HOME];
    const struct job_process *remote = &bench->job->processes[RANK_REMOTE];
    const struct platform_route *route =
        platform_route(bench->job->cluster->platform, home->core_port, remote->core_port);
    sim_time out_ps = engine_ps(bench, job_host_block(home, BLOCK_PINNED, 3, fragment_bytes),
                                job_device_block(home, 1, fragment_bytes));
    sim_time wire_ps = transfer_ps(fragment_bytes, route->bandwidth_Bps);
    sim_time busy_ps = WINDOW * window.bytes / fragment_bytes * MAX(out_ps, wire_ps);
    g_assert_cmpint(window.took_ps, >=, busy_ps);
    g_assert_cmpfloat((double)window.took_ps, <, 1.05 * (double)busy_ps);
    g_assert_cmpint(ucx_count(ucx_worker(bench->ucx, RANK_REMOTE), UCX_STAGED), ==, 2 * WINDOW);
    bench_stop(bench);
}

/* One fragment at a time on the wire: the next is posted when the completion of the one before is taken up,
 * which may wait for what the core does for the other fragments. */
static void test_fragments_on_wire(void)
{
    struct window window = {.to = RANK_REMOTE, .bytes = 2 * MIB, .is_device = true};
    bench_spec(&window.bench);
    struct bench *bench = &window.bench;
    const struct ucx_spec *ucx = UCX(bench->spec);
    UCX(bench->spec)->fragments_on_wire = 1;
    sim_time cycle_ps = ucx->post_ps + wire_ps(bench, WIRE_COMPLETED, ucx->fragment_bytes, false) +
                        ucx->progress_ps;
    window_run(&window);
    const struct cuda_spec *cuda = &bench->spec.cuda;
    sim_time core_ps = 3 * ucx->progress_ps + ucx->fragment_cost_ps + cuda->copy_call_ps +
                       cuda->event_record_ps + 2 * cuda->event_query_ps + ucx->control_ps +
                       2 * ucx->post_ps;
    int64_t fragments = WINDOW * window.bytes / ucx->fragment_bytes;
    g_assert_cmpint(window.took_ps, >=, fragments * cycle_ps);
    g_assert_cmpint(window.took_ps, <=, fragments * (cycle_ps + core_ps));
    bench_stop(bench);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/ucx/window/ipc", test_ipc);
    g_test_add_func("/ucx/window/ipc-queries", test_ipc_queries);
    g_test_add_func("/ucx/window/rails", test_rails);
    g_test_add_func("/ucx/window/staged", test_staged);
    g_test_add_func("/ucx/window/fragments-on-wire", test_fragments_on_wire);
    return g_test_run();
}
