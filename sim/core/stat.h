/* SPDX-License-Identifier: BSD-3-Clause */
/* Statistics, each declared with name, unit and one sentence, and listed in a registry under its
 * component's path. A model adds to them and knows nothing of their output. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/check.h"
#include "core/simtime.h"

/* The description of a statistic; its texts are static. */
struct stat_info {
    const char *name;        /* "reads" */
    const char *unit;        /* "1", "B", "ps", "fJ" */
    const char *description; /* "loads that found their line in the cache" */
};
#define STAT(...) (&(struct stat_info){__VA_ARGS__})

struct stat_registry;
struct stat_registry *stat_registry_new(void);
void stat_registry_free(struct stat_registry *registry); /* frees also every statistic in it */

/* --- counter ---------------------------------------------------------------------------------- */

struct stat_counter {
    int64_t value;
};

/* Registers a counter under `path` ("node0.nic"); the registry owns it. What it counts stays below 2^63. */
struct stat_counter *stat_counter_new(struct stat_registry *registry, const char *path,
                                      const struct stat_info *info);
static inline void stat_count(struct stat_counter *counter, int64_t amount)
{
    check_release(!__builtin_add_overflow(counter->value, amount, &counter->value),
                  "a counter passes 2^63 - 1");
}

/* --- time average of a level (queue length, busy slots) --------------------------------------- */

struct stat_level {
    int64_t level, maximum;
    sim_time since_ps, start_ps;
    sim_uint128 area; /* sum of level * ps; levels are >= 0 */
};

/* Registers a level, 0 at `now_ps`, under `path`; the registry owns it. It is set to a level >= 0 at times that never go back;
 * its mean is over the time since it was made or reset, up to `now_ps`. */
struct stat_level *stat_level_new(struct stat_registry *registry, const char *path,
                                  const struct stat_info *info, sim_time now_ps);
void stat_level_set(struct stat_level *stat, sim_time now_ps, int64_t level);
double stat_level_mean(const struct stat_level *stat, sim_time now_ps);

/* --- spread of a mean --------------------------------------------------------------------------- */

/* Repeated units of a run (operations, repeats), in their order. They are kept as sums of batches of equal length, 10 to
 * STAT_BATCHES of them (fewer units: one unit in each batch), since neighbouring units may depend on each other. All zero: none. */
#define STAT_BATCHES 20

struct stat_units {
    double sums[STAT_BATCHES];
    uint64_t count, each; /* units in all, and in a batch (0 means 1) */
    int64_t mark;         /* the time at which the last unit ended */
    bool is_marked;
    /* The first units may differ from the others, as while queues fill: stat_spread. */
    bool has_transient;
};

void stat_unit(struct stat_units *units, double value);

/* A unit ends here, at a time, and the next one begins: for units that follow one another. The first call only begins a unit. */
void stat_unit_ends(struct stat_units *units, int64_t at);

/* Half of the width of the interval that holds the mean with 95 %, by Student's t over whole batches; -1 if there are less than
 * two of them. With a transient the first batches are left out, at most half of all: as many as give the mean of the others the
 * smallest standard error (MSER: K. P. White, Simulation 69(6), 1997). stat_relative_spread: as a share of the mean, 0 if that
 * is 0. */
double stat_units_mean(
    const struct stat_units *units); /* mean of all units in whole batches; 0 if there are none */
double stat_spread(const struct stat_units *units);
double stat_relative_spread(const struct stat_units *units);

/* Two groups into which units fall: their medians, and the lower one's share of the units. */
struct stat_groups {
    double lower, upper, lower_share;
};

/* Whether 4 to STAT_BATCHES units fall into two groups; if so, fills in `groups`. Their sorted values are cut at the widest gap that
 * leaves a fifth of them, and two at least, on each side. It parts two groups if its share of the whole range would be as large in
 * one of 1,000 samples of evenly distributed values at most: of n values, a given gap has the share s or more with
 * (1 - s)^(n - 2) (the spacings of uniform values: R. Pyke, J. R. Stat. Soc. B 27(3), 1965), times the number of possible cuts.
 * A sample with one peak has narrower gaps near its middle than this. */
bool stat_two_groups(const struct stat_units *units, struct stat_groups *groups);

/* --- log-linear histogram --------------------------------------------------------------------- */

/* Values >= 0; 32 buckets an octave, so a quantile is within 1/32 of the true one. Exact count,
 * sum, minimum and maximum. */
#define STAT_SUB_BITS 5
#define STAT_BUCKETS ((64 - STAT_SUB_BITS) << STAT_SUB_BITS)

struct stat_histogram {
    uint64_t count;
    int64_t minimum, maximum;
    sim_uint128 sum;
    struct stat_units units; /* its values in the order in which they came */
    uint32_t buckets[STAT_BUCKETS];
};

struct stat_histogram *stat_histogram_new(struct stat_registry *registry, const char *path,
                                          const struct stat_info *info);
void stat_record(struct stat_histogram *histogram, int64_t value);
void stat_histogram_reset(struct stat_histogram *histogram); /* removes all recorded values */
static inline double stat_mean(const struct stat_histogram *histogram)
{
    return histogram->count ? (double)histogram->sum / (double)histogram->count : 0;
}

/* Whether 50 values or more are of two kinds, whose shares may be others with the least change: fills in the kinds' means and the lower
 * one's share. They are parted where the variance between them is greatest (N. Otsu, IEEE Trans. SMC 9(1), 1979): 0.64 of all variance
 * for normally, 0.75 for evenly distributed values, and more for two kinds, by the reciprocal root of the number of values at least, which
 * 1 of 500 samples of evenly distributed values exceeds. Each has 5 % of the values, and they are a tenth of the mean apart. Shares that
 * are the same throughout, as where one of four operations takes another way, are no such kinds. */
bool stat_two_kinds(const struct stat_histogram *histogram, struct stat_groups *kinds);

/* The smallest value v such that at least `fraction` (0..1) of the values are <= v, to within the
 * width of its bucket (its upper end, at most the maximum). 0 if empty. */
int64_t stat_quantile(const struct stat_histogram *histogram, double fraction);

/* --- sum of numbers that somebody keeps anyway -------------------------------------------------- */

/* Registers the sum of `count` numbers that lie `stride_bytes` apart. They are read when statistics are read, and have to live
 * until then. stat_reset does not change them: the sum then counts from their values at that time. */
void stat_sum_new(struct stat_registry *registry, const char *path, const struct stat_info *info,
                  const int64_t *first, size_t stride_bytes, size_t count);

/* --- reading ---------------------------------------------------------------------------------- */

/* Starts all statistics anew at `now_ps`: the end of a warm-up. Levels keep their level. */
void stat_reset(struct stat_registry *registry, sim_time now_ps);

/* Calls `visit` for each number in order of registration: a counter or a sum gives one, a level "mean" and
 * "max", a histogram "count", "mean", "min", "p50", "p90", "p99" and "max" (`field`; NULL for a
 * counter). */
typedef void stat_visit_fn(const char *path, const struct stat_info *info, const char *field,
                           double value, void *argument);
void stat_visit(const struct stat_registry *registry, sim_time now_ps, stat_visit_fn *visit,
                void *argument);
