/* Skipped polls against polls that are all made: the same trajectory, hence the same measures to the last
 * picosecond, in fewer events. Machines, designs and loads are drawn at random (from a fixed seed), with
 * odd latencies so that looks and changes meet in all phases. */
#include <glib.h>
#include <string.h>

#include "core/rng.h"
#include "protocols/design.h"
#include "workloads/workload.h"

#define ROUNDS 40

struct load {
    struct machine_spec machine;
    char spec[1024]; /* of queue_service */
    char text[256];
};

static void set(struct load *load, const char *name, const char *text)
{
    char why[256];
    const struct param_table *table = queue_service_workload.params;
    if (!param_set_text(table, param_find(table, name), load->spec, text, why, sizeof why))
        g_error("%s", why);
}

static void set_count(struct load *load, const char *name, uint64_t count)
{
    char text[32];
    g_snprintf(text, sizeof text, "%" G_GUINT64_FORMAT, count);
    set(load, name, text);
}

/* The platform stays as it is: one process holds one. */
static void draw(struct load *load, struct rng *rng)
{
    struct machine_spec *machine = &load->machine;
    machine_spec_defaults(machine);
    machine->gpu.l2_latency_cycles = 100 + (int64_t)rng_below(rng, 100);
    machine->gpu.l1_latency_cycles = (int64_t)rng_below(rng, 30);
    machine->gpu.memory_latency_ps = 80 * PS_PER_NS + (int64_t)rng_below(rng, 50000);
    machine->gpu.directory_latency_ps = 40 * PS_PER_NS + (int64_t)rng_below(rng, 40000);
    machine->host.directory_latency_ps = 40 * PS_PER_NS + (int64_t)rng_below(rng, 40000);
    machine->gpu.bus_inbound_ps = 100 * PS_PER_NS + (int64_t)rng_below(rng, 50000);
    machine->host.loads_in_flight = 1 + (int64_t)rng_below(rng, 8);
    machine->host.device_loads_in_flight = 1 + (int64_t)rng_below(rng, 8);
    machine->cp.loads_in_flight = 1 + (int64_t)rng_below(rng, 8);
    machine->cp.cores = 16;
    machine->software.network_library = (int64_t)rng_below(rng, 2);
    machine->software.completion = (int64_t)rng_below(rng, 2);
    machine->software.quiet_by = (int64_t)rng_below(rng, 2);
    machine->software.gpu_queue_polling = rng_below(rng, 4) == 0;
    machine->software.wait_instructions = (int64_t)rng_below(rng, 10);
    machine->software.polling_rounds = 1 + (int64_t)rng_below(rng, 9);
    machine->software.queue_entries = 1 + (int64_t)rng_below(rng, 8);
    param_set_defaults(queue_service_workload.params, load->spec);
    const char *design = design_names[rng_below(rng, 4)];
    uint64_t work_groups = 1 + rng_below(rng, 24), threads = 1 + rng_below(rng, 16);
    const char *operation = rng_below(rng, 2) ? "get" : "put";
    set(load, "design", design);
    set(load, "operation", operation);
    set(load, "bytes", rng_below(rng, 2) ? "4B" : "256B");
    set_count(load, "work_groups", work_groups);
    set_count(load, "service_threads", threads);
    set_count(load, "operations", 4);
    g_snprintf(load->text, sizeof load->text,
               "%s, %s, %" G_GUINT64_FORMAT " work-groups, %" G_GUINT64_FORMAT " threads", design,
               operation, work_groups, threads);
}

static void run(struct load *load, bool skip, struct workload_result *result)
{
    char why[512];
    result->count = 0;
    load->machine.software.skip_polls = skip;
    if (!queue_service_workload.run(&load->machine, load->spec, 1, result, why, sizeof why))
        g_error("%s: %s", load->text, why);
}

static void test_same_trajectory(void)
{
    struct rng rng;
    rng_init(&rng, 11, "poll-skipping");
    int64_t made = 0, simulated = 0;
    for (int round = 0; round < ROUNDS; round++) {
        struct load load = {0};
        struct workload_result skipped, brute;
        draw(&load, &rng);
        run(&load, true, &skipped);
        run(&load, false, &brute);
        g_assert_cmpuint(skipped.count, ==, brute.count);
        for (size_t i = 0; i < brute.count; i++) {
            const struct workload_measure *one = &skipped.measures[i], *other = &brute.measures[i];
            if (strcmp(one->name, "events") == 0) {
                simulated += one->quantity;
                made += other->quantity;
                continue;
            }
            if (one->quantity != other->quantity)
                g_error("round %d, %s: %s is %" G_GINT64_FORMAT " with skipping, %" G_GINT64_FORMAT
                        " without",
                        round, load.text, one->name, one->quantity, other->quantity);
        }
    }
    g_test_message("events: %" G_GINT64_FORMAT " with skipping, %" G_GINT64_FORMAT " without",
                   simulated, made);
    g_assert_cmpint(simulated, <, made);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/poll-skipping/same-trajectory", test_same_trajectory);
    return g_test_run();
}
