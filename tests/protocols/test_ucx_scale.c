/* SPDX-License-Identifier: BSD-3-Clause */
/* 3,072 processes, as many as the GPUs of 512 nodes of Summit, each exchanging with six neighbours: it ends,
 * all is received, and a worker stays small. */
#include "../software_test.h"
#include "protocols/ucx/ucx_parts.h"
#include "ucx_test.h"

#define NODES 512
#define COUNT (6 * NODES)
#define NEIGHBOURS 6
#define ROUNDS 2

static const int32_t offsets[NEIGHBOURS] = {1, -1, 12, -12, 192, -192};

struct rank {
    struct bench *bench;
    int32_t rank, sent, received;
    int64_t bytes;
    bool is_device;
};

static void count_one(const struct ucx_result *result, void *argument)
{
    (void)result;
    ++*(int32_t *)argument;
}

static struct block block_of(const struct rank *rank, uint32_t id)
{
    const struct job_process *process = &rank->bench->job->processes[rank->rank];
    return rank->is_device ? job_device_block(process, id, rank->bytes)
                           : job_host_block(process, BLOCK_PAGEABLE, id, rank->bytes);
}

static void exchange(struct process *self, void *argument)
{
    struct rank *rank = argument;
    struct ucx_worker *worker = ucx_worker(rank->bench->ucx, rank->rank);
    (void)self;
    for (int round = 1; round <= ROUNDS; round++) {
        for (uint32_t i = 0; i < NEIGHBOURS; i++)
            ucx_tag_receive(worker, block_of(rank, 1 + i), i, count_one, &rank->received);
        for (uint32_t i = 0; i < NEIGHBOURS; i++)
            ucx_tag_send(worker, (rank->rank + offsets[i] + COUNT) % COUNT,
                         block_of(rank, 1 + NEIGHBOURS + i), i, NULL, count_one, &rank->sent);
        while (rank->received < round * NEIGHBOURS || rank->sent < round * NEIGHBOURS)
            if (!ucx_progress(worker))
                ucx_wait(worker);
    }
}

static int64_t worker_bytes(const struct ucx_worker *worker)
{
    size_t slots = worker->posted.firsts.capacity + worker->unexpected.firsts.capacity +
                   worker->channels.capacity + worker->registrations.capacity;
    size_t channel = worker->ucx->channels.object_bytes;
    return (int64_t)(sizeof *worker + slots * sizeof(struct map_slot) +
                     worker->channels.count * channel);
}

static void run_exchange(int64_t bytes, bool is_device)
{
    struct bench bench = {0};
    bench_spec(&bench);
    bench.spec.nodes = NODES;
    bench.spec.transport.kind = TRANSPORT_SEGMENT;
    UCX(bench.spec)->rails = 2;
    struct job_place *places = g_new(struct job_place, COUNT);
    struct rank *ranks = g_new0(struct rank, COUNT);
    for (int32_t i = 0; i < COUNT; i++)
        places[i] = (struct job_place){.node = i / 6, .gpu = i % 6};
    bench.sim = sim_new(1);
    bench.job = job_alone(bench.sim, &bench.spec, places, COUNT, NULL);
    g_assert_nonnull(bench.job);
    bench.ucx = ucx_new(bench.job, &ucx_params);
    for (int32_t i = 0; i < COUNT; i++) {
        ranks[i] =
            (struct rank){.bench = &bench, .rank = i, .bytes = bytes, .is_device = is_device};
        job_start(bench.job, i, exchange, &ranks[i]);
    }
    g_assert_cmpint(sim_run(bench.sim), ==, SIM_FINISHED);
    int64_t greatest_bytes = 0;
    for (int32_t i = 0; i < COUNT; i++) {
        g_assert_cmpint(ranks[i].received, ==, ROUNDS * NEIGHBOURS);
        greatest_bytes = MAX(greatest_bytes, worker_bytes(ucx_worker(bench.ucx, i)));
    }
    g_assert_cmpint(bench.ucx->received_bytes, ==, COUNT * ROUNDS * NEIGHBOURS * bytes);
    g_test_message("%lld B a worker, %d exchanges of %lld B in %.1f us simulated",
                   (long long)greatest_bytes, ROUNDS, (long long)bytes,
                   (double)sim_now(bench.sim) / (double)US);
    g_assert_cmpint(greatest_bytes, <=, 4096);
    bench_stop(&bench);
    g_free(ranks);
    g_free(places);
}

static void test_eager(void)
{
    run_exchange(4 * KIB, false);
}

static void test_rendezvous(void)
{
    run_exchange(96 * KIB, false);
}

static void test_device(void)
{
    run_exchange(96 * KIB, true);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/ucx/scale/eager", test_eager);
    g_test_add_func("/ucx/scale/rendezvous", test_rendezvous);
    g_test_add_func("/ucx/scale/device", test_device);
    return g_test_run();
}
