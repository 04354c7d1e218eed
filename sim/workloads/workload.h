/* Workloads: what is run on a machine. Each is a parameter table, a list of measures and a function;
 * from these come the Lua function of the same name, its validation and its manual. */
#ifndef GPUNETSIM_WORKLOADS_WORKLOAD_H
#define GPUNETSIM_WORKLOADS_WORKLOAD_H

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/param.h"
#include "core/units.h"
#include "models/node.h"
#include "protocols/design.h"

/* One number that a run gives. Quantities are integers in base units, ratios doubles. */
struct workload_measure {
    const char *name; /* "latency"; columns get the unit appended ("latency_us") */
    bool is_ratio;
    enum unit_kind unit;
    int64_t quantity;
    double ratio;
};

#define WORKLOAD_MAX_MEASURES 64

struct workload_result {
    struct workload_measure measures[WORKLOAD_MAX_MEASURES];
    size_t count;
    struct param_use uses; /* of the machine's parameters: what the run could read */
    GString *stats; /* NULL: nobody asks. Else each number of the simulation's statistics is appended, as
                       workload_observe says; the caller's */
};

/* What a run that is over leaves beside its measures: to be called by each workload once, before its simulation
 * is freed. A line a statistic, separated by tabs: path, name, unit, description, field ("" for a counter), value. */
void workload_observe(struct workload_result *result, const struct sim *sim);
void workload_add_quantity(struct workload_result *result, const char *name, enum unit_kind unit,
                           int64_t value);
/* latency (mean), latency_min, _p50, _p99 and _max of a histogram of times. */
struct stat_histogram;
void workload_add_latencies(struct workload_result *result,
                            const struct stat_histogram *latencies);
void workload_add_ratio(struct workload_result *result, const char *name, double value);

struct workload {
    const char *name; /* "get_latency" */
    const char *description;
    const struct param_table *params; /* of its spec */

    /* Whether it can do what it does with this design; else one sentence. NULL if it has no parameter of
     * this kind. */
    bool (*accepts)(const struct design *design, char *why, size_t why_size);

    /* Runs it on a machine. Returns true with `result` filled, or false with one sentence in `why`
     * (deadlock, a machine that lacks a part, ...). */
    bool (*run)(const struct machine_spec *machine, const void *spec, uint64_t seed,
                struct workload_result *result, char *why, size_t why_size);
};

/* All workloads, NULL-ended; and each by itself. */
extern const struct workload *const workloads[];
extern const struct workload get_latency_workload;
extern const struct workload queue_service_workload;
extern const struct workload l2_hit_rate_workload;
extern const struct workload neighbour_exchange_workload;
extern const struct workload osu_latency_workload, osu_bandwidth_workload,
    osu_bidirectional_workload, osu_multi_pair_workload;
extern const struct workload cuda_copy_workload;

#endif
