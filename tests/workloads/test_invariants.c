/* SPDX-License-Identifier: BSD-3-Clause */
/* What holds of every message between ranks, whatever the design, its size, the window, the placement and the machine, at
 * points drawn at random:
 *   - it is no faster than the narrowest link on its way, or the way's latencies;
 *   - more bytes take no less time, but where a protocol changes (the thresholds below);
 *   - it takes as long from the one end as from the other;
 *   - more NICs, or faster links, buses or copies do not make it slower;
 *   - each core's accounts add up to its time. */
#include <sys/wait.h>
#include <unistd.h>

#include "../designs.h"
#include "../models/job_alone.h"
#include "../sanitized.h"
#include "../software_test.h"
#include "core/rng.h"
#include "models/topology.h"
#include "protocols/runtimes/messenger.h"

enum {
    POINTS = IS_SANITIZED ? 250 : 700,
    ROUNDS = 10,
    COUNTED = 6,
    WINDOW_MOST = 12,
    BYTES_MOST = 22
};
#define TOLERANCE 1.02
/* A PE takes up all that has arrived before it picks the first message (M-108): what comes sooner may hold that up. */
#define TOLERANCE_OF_PE 1.08

struct point {
    struct machine_spec spec;
    const char *design;
    struct job_place places[2];
    int64_t bytes, window;
};

struct game {
    const struct point *point;
    struct runtime *runtime;
    struct message messages[2][2 * WINDOW_MOST];
    sim_time took_ps; /* half of a round, mean of the last ones */
};

static struct game *playing; /* by the two ranks of the run */

static void send_window(struct job_process *process)
{
    const struct point *point = playing->point;
    int32_t rank = process->rank;
    messenger_send_window(playing->runtime, rank, playing->messages[rank], (size_t)point->window,
                          1 - rank, 0, job_device_block(process, 1, point->bytes), NULL);
    messenger_wait(playing->runtime, rank, playing->messages[rank], (size_t)point->window);
}

static void receive_window(struct job_process *process)
{
    const struct point *point = playing->point;
    int32_t rank = process->rank;
    struct message *messages = playing->messages[rank] + WINDOW_MOST;
    for (int64_t i = 0; i < point->window; i++)
        messenger_receive(playing->runtime, rank, &messages[i], 1 - rank, 0,
                          job_device_block(process, 2, point->bytes));
    messenger_wait(playing->runtime, rank, messages, (size_t)point->window);
}

static void program(struct process *self, void *argument)
{
    struct job_process *process = argument;
    sim_time start_ps = 0;
    (void)self;
    for (int round = 0; round < ROUNDS; round++) {
        if (round == ROUNDS - COUNTED)
            start_ps = cpu_now(&process->cpu);
        if (process->rank == 0)
            send_window(process);
        receive_window(process);
        if (process->rank == 1)
            send_window(process);
    }
    if (process->rank == 0)
        playing->took_ps = (cpu_now(&process->cpu) - start_ps) / (2 * COUNTED);
    cpu_settle(&process->cpu);
}

/* A core that never sleeps but in its accounts: they add up to when it has ended. */
static void check_accounts(const struct job *job, sim_time end_ps)
{
    sim_time latest_ps = 0;
    for (int32_t rank = 0; rank < job->count; rank++) {
        sim_time sum_ps = 0;
        for (int account = 0; account < CPU_ACCOUNTS; account++)
            sum_ps += job->processes[rank].cpu.time_ps[account];
        g_assert_cmpint(sum_ps, <=, end_ps);
        latest_ps = MAX(latest_ps, sum_ps);
    }
    g_assert_cmpint(latest_ps, ==, end_ps);
}

static sim_time play_here(const struct point *point)
{
    GError *error = NULL;
    struct game game = {.point = point};
    struct sim *sim = sim_new(1);
    struct job *job = job_alone(sim, &point->spec, point->places, 2, &error);
    g_assert_no_error(error);
    game.runtime = runtime_new(job, design_named(point->design), &error);
    g_assert_no_error(error);
    playing = &game;
    for (int32_t rank = 0; rank < 2; rank++)
        job_start(job, rank, program, &job->processes[rank]);
    g_assert_cmpint(sim_run(sim), ==, SIM_FINISHED);
    check_accounts(job, sim_now(sim));
    runtime_free(game.runtime);
    job_alone_free(job);
    sim_free(sim);
    return game.took_ps;
}

/* In a process of its own: SimGrid keeps the platform that it has once built. */
static sim_time play(const struct point *point)
{
    int ends[2], status;
    sim_time took_ps = 0;
    g_assert_cmpint(pipe(ends), ==, 0);
    platform_simgrid_version(NULL); /* loaded once, and not in each child */
    pid_t child = fork();
    g_assert_cmpint(child, >=, 0);
    if (child == 0) {
        took_ps = play_here(point);
        _exit(write(ends[1], &took_ps, sizeof took_ps) == sizeof took_ps ? 0 : 1);
    }
    close(ends[1]);
    g_assert_cmpint(read(ends[0], &took_ps, sizeof took_ps), ==, sizeof took_ps);
    close(ends[0]);
    g_assert_cmpint(waitpid(child, &status, 0), ==, child);
    g_assert_cmpint(status, ==, 0);
    return took_ps;
}

/* --- points ------------------------------------------------------------------------------------- */

static void draw_machine(struct rng *rng, struct machine_spec *spec)
{
    machine_spec_init(spec, software_tables());
    spec->nodes = 2;
    spec->node = (struct node_shape){.sockets = 2,
                                     .gpus_per_socket = 3,
                                     .nics_per_socket = 1 + (int64_t)rng_below(rng, 2),
                                     .gpu_link = GPU_LINK_NVLINK};
    spec->nvlink.wire.rate_Bps = INT64_C(1000000000) * (25 + (int64_t)rng_below(rng, 3) * 25);
    spec->network.wire.rate_Bps = INT64_C(1000000000) * (6 + (int64_t)rng_below(rng, 3) * 6);
    UCX(*spec)->gpu_direct_bytes = rng_below(rng, 2) ? INT64_C(1) << 40 : 0;
    UCX(*spec)->device_queue = (int64_t)rng_below(rng, 2);
}

static struct point draw(struct rng *rng)
{
    static const struct job_place others[] = {{.node = 0, .gpu = 1}, {.node = 0, .gpu = 2},
                                              {.node = 0, .gpu = 4}, {.node = 1, .gpu = 0},
                                              {.node = 1, .gpu = 2}, {.node = 1, .gpu = 5}};
    struct point point = {.bytes = INT64_C(1) << rng_below(rng, BYTES_MOST),
                          .window = 1 + (int64_t)rng_below(rng, WINDOW_MOST)};
    size_t designs = 0;
    while (host_designs()[designs] != NULL)
        designs++;
    point.design = host_designs()[rng_below(rng, designs)];
    point.places[1] = others[rng_below(rng, G_N_ELEMENTS(others))];
    point.bytes += (int64_t)rng_below(rng, (uint64_t)point.bytes);
    draw_machine(rng, &point.spec);
    return point;
}

static char *text_of(const struct point *point)
{
    return g_strdup_printf("%s, window %d of %d B to GPU %d of node %d", point->design,
                           (int)point->window, (int)point->bytes, (int)point->places[1].gpu,
                           (int)point->places[1].node);
}

/* --- bounds ------------------------------------------------------------------------------------- */

static void check_links(const struct point *point, sim_time took_ps)
{
    bool is_far = point->places[1].node == 1;
    int64_t rate_Bps = point->spec.nvlink.wire.rate_Bps;
    if (is_far)
        rate_Bps = MIN(rate_Bps,
                       point->spec.network.wire.rate_Bps * topology_nic_count(&point->spec.node));
    sim_time least_ps = transfer_ps(point->window * point->bytes, rate_Bps);
    least_ps += is_far ? point->spec.network.wire.latency_ps : 0;
    g_assert_cmpint(took_ps, >=, least_ps);
}

/* Sizes at which a protocol changes, and by how much a runtime's headers may shift them. */
static bool has_switch(const struct point *point, int64_t from_bytes, int64_t to_bytes)
{
    enum { HEADERS = 256 };
    const struct ucx_spec *libraries[] = {UCX(point->spec), LIBRARY(point->spec, "pami"),
                                          LIBRARY(point->spec, "mrail")};
    const int64_t runtimes[] = {AMPI_ZERO_COPY_BYTES, AMPI_POOL_MESSAGE_BYTES, CHARM_EAGER_BYTES};
    bool found = false;
    for (size_t i = 0; i < G_N_ELEMENTS(runtimes); i++)
        found |= from_bytes <= runtimes[i] && runtimes[i] <= to_bytes + HEADERS;
    for (size_t i = 0; i < G_N_ELEMENTS(libraries); i++) {
        const struct ucx_spec *of = libraries[i];
        const int64_t limits[] = {of->intra_node_eager_bytes,
                                  of->intra_node_device_eager_bytes,
                                  of->eager_bytes,
                                  of->device_eager_bytes,
                                  of->inline_bytes,
                                  of->gpu_direct_bytes};
        for (size_t k = 0; k < G_N_ELEMENTS(limits); k++)
            found |= from_bytes <= limits[k] && limits[k] <= to_bytes + HEADERS;
        found |= from_bytes / of->fragment_bytes !=
                 to_bytes / of->fragment_bytes; /* one more in the pipeline */
    }
    return found;
}

/* A resource becomes more or faster. */
static const char *improve(struct rng *rng, struct machine_spec *spec)
{
    switch (rng_below(rng, 6)) {
    case 0:
        spec->node.nics_per_socket++;
        return "a NIC more a socket";
    case 1:
        spec->nvlink.wire.rate_Bps *= 2;
        return "NVLink twice as fast";
    case 2:
        spec->network.wire.rate_Bps *= 2;
        return "the network twice as fast";
    case 3:
        spec->socket_link.wire.rate_Bps *= 2;
        return "the socket link twice as fast";
    case 4:
        spec->bus.wire.rate_Bps *= 2;
        return "the bus twice as fast";
    default:
        spec->host_copy.rate_Bps *= 2;
        spec->host_copy.handoff_rate_Bps *= 2;
        spec->host_copy.cross_socket_rate_Bps *= 2;
        spec->host_copy.cross_socket_handoff_rate_Bps *= 2;
        return "copies twice as fast";
    }
}

static void check_not_more(const struct point *point, const char *what, sim_time now_ps,
                           double tolerance, sim_time before_ps)
{
    if ((double)now_ps <= tolerance * (double)before_ps)
        return;
    g_autofree char *text = text_of(point);
    g_test_message("%s: %s takes %lld ps, not at most %lld ps", text, what, (long long)now_ps,
                   (long long)before_ps);
    g_test_fail();
}

static void test_points(void)
{
    struct rng rng;
    rng_init(&rng, 1, "invariants");
    for (int i = 0; i < POINTS; i++) {
        struct point point = draw(&rng), larger = point, swapped = point, better = point;
        sim_time took_ps = play(&point);
        check_links(&point, took_ps);
        larger.bytes += 1 + (int64_t)rng_below(&rng, (uint64_t)point.bytes);
        if (!has_switch(&point, point.bytes, larger.bytes))
            check_not_more(&point, "less than a larger size", took_ps, TOLERANCE, play(&larger));
        swapped.places[0] = point.places[1];
        swapped.places[1] = point.places[0];
        check_not_more(&point, "the other way", play(&swapped), 1, took_ps);
        check_not_more(&point, "this way", took_ps, 1, play(&swapped));
        const char *what = improve(&rng, &better.spec);
        bool has_pe =
            g_str_has_prefix(point.design, "charm") || g_str_has_prefix(point.design, "ampi");
        check_not_more(&point, what, play(&better), has_pe ? TOLERANCE_OF_PE : TOLERANCE, took_ps);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    test_designs_load();
    g_test_add_func("/invariants/points", test_points);
    return g_test_run();
}
