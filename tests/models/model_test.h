/* SPDX-License-Identifier: BSD-3-Clause */
/* What tests of device models share: a machine of two nodes with all defaults, and a process to act in. */
#pragma once

#include <glib.h>

#include "models/node.h"

struct bench {
    struct sim *sim;
    struct machine_spec spec;
    struct cluster *cluster;
};

/* `tables`: what the machine has beside devices; NULL for nothing. */
static inline void bench_start(struct bench *bench, enum node_form form,
                               const struct param_table *const *tables)
{
    GError *error = NULL;
    bench->sim = sim_new(1);
    machine_spec_init(&bench->spec, tables);
    bench->cluster = cluster_new(bench->sim, &bench->spec, form, &error);
    g_assert_no_error(error);
}

static inline void bench_end(struct bench *bench)
{
    cluster_free(bench->cluster);
    sim_free(bench->sim);
}

/* Runs `fn` as a process from the current time on, until nothing is left to do. */
static inline void bench_run(struct bench *bench, process_fn *fn, void *argument)
{
    process_spawn(bench->sim->processes, "test", fn, argument, sim_now(bench->sim), 0);
    g_assert_cmpint(sim_run(bench->sim), ==, SIM_FINISHED);
}

/* One way over the bus for `payload` bytes between two devices of a node: two links, the switch between
 * them, and the packet's time on both wires. */
static inline sim_time bus_one_way_ps(const struct bus_spec *bus, int64_t payload)
{
    return 2 * (bus->wire.latency_ps +
                transfer_ps(payload + bus->header_bytes, bus->wire.rate_Bps)) +
           bus->switch_latency_ps;
}

/* Rounding: every link of a way may round up by a picosecond. */
#define BUS_ROUNDING_PS 4
