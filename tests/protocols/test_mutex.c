/* SPDX-License-Identifier: BSD-3-Clause */
/* A mutex on a word in memory: on every kind of agent one thread holds it at a time and no update of the guarded data is
 * lost; without contention its time follows a formula. Also a network library that several threads share. */
#include <glib.h>
#include <string.h>

#include "../models/model_test.h"
#include "protocols/shmem/mutex.h"
#include "queue_load.h"

#define AGENTS 4
#define TURNS 50

struct crowd {
    struct bench bench;
    struct mutex mutex;
    address counter;
    bool on_cp;
    int64_t started;
};

static void prepare(struct crowd *crowd, enum node_form form, bool on_cp, int64_t cores)
{
    memset(crowd, 0, sizeof *crowd);
    crowd->on_cp = on_cp;
    GError *error = NULL;
    crowd->bench.sim = sim_new(1);
    machine_spec_init(&crowd->bench.spec, software_tables());
    crowd->bench.spec.cp.cores = cores;
    crowd->bench.cluster = cluster_new(crowd->bench.sim, &crowd->bench.spec, form, &error);
    g_assert_no_error(error);
    enum node_memory memory = on_cp ? MEMORY_GPU : MEMORY_HOST;
    struct cluster *cluster = crowd->bench.cluster;
    crowd->mutex.word =
        site_allocate(cluster, cluster_site(cluster, 0, 0), memory, 64, STORE_COARSE_GRAINED);
    crowd->counter =
        site_allocate(cluster, cluster_site(cluster, 0, 0), memory, 64, STORE_COARSE_GRAINED);
    crowd->mutex.scope = SCOPE_DEVICE;
    crowd->mutex.software = software_of(&crowd->bench.spec, crowd->bench.sim);
    mutex_stats_init(&crowd->mutex.stats, crowd->bench.sim->stats, "test");
}

static void init_agent(struct crowd *crowd, struct agent *agent, struct process *self)
{
    struct agent_place place = {crowd->bench.cluster, cluster_site(crowd->bench.cluster, 0, 0)};
    agent_init(agent, crowd->on_cp ? &command_processor_kind : &host_thread_kind, place,
               crowd->started++, self);
}

/* Adds to a word by a load and a store, which only the mutex makes one. */
static void count_up(struct process *self, void *argument)
{
    struct crowd *crowd = argument;
    struct agent agent;
    init_agent(crowd, &agent, self);
    for (int i = 0; i < TURNS; i++) {
        mutex_lock(&crowd->mutex, &agent);
        uint64_t word = agent_load_word(&agent, crowd->counter);
        agent_execute(&agent, 50);
        agent_store_word(&agent, crowd->counter, word + 1);
        mutex_unlock(&crowd->mutex, &agent);
        agent_execute(&agent, 30);
    }
    agent_release(&agent, SCOPE_DEVICE); /* it lives no longer than its stores */
}

static uint64_t counted(struct crowd *crowd)
{
    struct site *node = cluster_site(crowd->bench.cluster, 0, 0);
    const struct store *store =
        crowd->on_cp ? gpu_memory(node->gpu)->store : host_directory(node->host)->store;
    uint64_t word;
    store_read(store, crowd->counter, &word, sizeof word);
    return word;
}

static void one_at_a_time(enum node_form form, bool on_cp, bool skip)
{
    struct crowd crowd;
    prepare(&crowd, form, on_cp, AGENTS);
    SOFTWARE(crowd.bench.spec)->exact = !skip;
    for (int i = 0; i < AGENTS; i++)
        process_spawn(crowd.bench.sim->processes, "agent", count_up, &crowd, 0, 0);
    g_assert_cmpint(sim_run(crowd.bench.sim), ==, SIM_FINISHED);
    const struct mutex_stats *stats = &crowd.mutex.stats;
    g_assert_cmpuint(counted(&crowd), ==, AGENTS * TURNS);
    g_assert_cmpint(stats->taken->value, ==, AGENTS * TURNS);
    g_assert_cmpint(stats->contended->value, >, 0);
    g_assert_cmpint(stats->contended->value, <, AGENTS * TURNS);
    bench_end(&crowd.bench);
}

static void test_one_at_a_time(void)
{
    for (int skip = 0; skip <= 1; skip++) {
        one_at_a_time(NODE_DISCRETE, true, skip);
        one_at_a_time(NODE_DISCRETE, false, skip);
        one_at_a_time(NODE_APU, false, skip);
    }
}

/* Alone, a command processor's lock is its read-modify-write: to the L2 and back for the read, the
 * same for the write. The first finds the line in device memory. */
static void lock_alone(struct process *self, void *argument)
{
    struct crowd *crowd = argument;
    const struct machine_spec *spec = &crowd->bench.spec;
    struct agent agent;
    init_agent(crowd, &agent, self);
    sim_time half_way_ps = cycles_ps(spec->gpu.l2.latency_cycles, spec->gpu.clock_Hz) / 2;
    sim_time memory_ps =
        spec->gpu.memory_latency_ps + transfer_ps(CACHE_LINE_BYTES, spec->gpu.memory_rate_Bps);
    mutex_lock(&crowd->mutex, &agent);
    g_assert_cmpint(process_now(self), ==, 4 * half_way_ps + memory_ps);
    mutex_unlock(&crowd->mutex, &agent);
    process_sleep(self, PS_PER_US);
    sim_time start_ps = process_now(self);
    mutex_lock(&crowd->mutex, &agent);
    g_assert_cmpint(process_now(self) - start_ps, ==, 4 * half_way_ps);
    mutex_unlock(&crowd->mutex, &agent);
    agent_release(&agent, SCOPE_DEVICE);
    g_assert_cmpint(crowd->mutex.stats.contended->value, ==, 0);
}

static void test_alone(void)
{
    struct crowd crowd;
    prepare(&crowd, NODE_DISCRETE, true, 1);
    bench_run(&crowd.bench, lock_alone, &crowd);
    bench_end(&crowd.bench);
}

/* --- the network library ----------------------------------------------------------------------- */

static void run_library(struct load *load, const char *design, const char *library,
                        const char *threads)
{
    g_autoptr(GError) error = NULL;
    load_init(load);
    load->machine.cp.cores = 4;
    SOFTWARE(load->machine)->queue_entries = 2; /* so that work queues fill up */
    g_autofree char *text =
        g_strdup_printf("%s{nic_queue.sharers=%s,service_threads=%s}", design, library, threads);
    set(load, "design", text);
    set(load, "work_groups", "24");
    set(load, "operations", "5");
    if (!queue_service_workload.run(&load->machine, load->spec, 1, &load->result, &error))
        g_error("%s: %s", design, error->message);
}

static int64_t measure(const struct load *load, const char *name)
{
    for (size_t i = 0; i < load->result.count; i++)
        if (strcmp(load->result.measures[i].name, name) == 0)
            return load->result.measures[i].quantity;
    g_error("no measure %s", name);
}

/* Each operation takes the mutex of the work queue once; a quiet that waits for a counter takes none, one that
 * takes entries that of the event queue. An interface of one's own, or one thread alone, takes none.
 * Sharing costs a command processor time; CPU cores exchange a line in less than the phases of their polls, and
 * what one of them has counted the others need not. */
static void test_library(void)
{
    static const char *const served[] = {"dgpu-host-queue", "apu", "comp-net"};
    for (size_t d = 0; d < G_N_ELEMENTS(served); d++) {
        struct load shared, entries, own, alone;
        run_library(&shared, served[d], "0", "4");
        run_library(&entries, served[d], "0,quiet_by=entries", "4");
        run_library(&own, served[d], "1", "4");
        run_library(&alone, served[d], "0", "1");
        g_test_message("%s: %" G_GINT64_FORMAT " ps shared, %" G_GINT64_FORMAT
                       " ps own, %" G_GINT64_FORMAT " of %" G_GINT64_FORMAT " contended",
                       served[d], measure(&shared, "duration"), measure(&own, "duration"),
                       measure(&shared, "locks_contended"), measure(&shared, "locks_taken"));
        g_assert_cmpint(measure(&shared, "locks_taken"), ==, 24 * 5);
        g_assert_cmpint(measure(&entries, "locks_taken"), >, 24 * 5);
        g_assert_cmpint(measure(&shared, "locks_contended"), >, 0);
        g_assert_cmpint(measure(&own, "locks_taken"), ==, 0);
        g_assert_cmpint(measure(&alone, "locks_taken"), ==, 0);
        double ratio = (double)measure(&shared, "duration") / (double)measure(&own, "duration");
        g_assert_cmpfloat(ratio, >, strcmp(served[d], "comp-net") == 0 ? 1.1 : 0.8);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    test_designs_load();
    g_test_add_func("/mutex/one-at-a-time", test_one_at_a_time);
    g_test_add_func("/mutex/alone", test_alone);
    g_test_add_func("/mutex/library", test_library);
    return g_test_run();
}
