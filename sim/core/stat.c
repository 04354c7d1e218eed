/* SPDX-License-Identifier: BSD-3-Clause */
/* Statistics and the list of them.
 *
 * The registry keeps them in the order of their registration, which is the order in which the
 * machine was built, so that the output never depends on a hash. */
#include "core/stat.h"

#include <glib.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/check.h"

#define CHANCE_OF_GROUPS 0.001 /* that evenly distributed units are taken for two groups */
/* Two kinds of values: the least number of values, share of each kind, and distance as a share of the mean. */
#define KINDS_COUNT 50
#define KIND_LEAST 0.05
#define KINDS_APART 0.1

enum stat_type { STAT_COUNTER, STAT_LEVEL, STAT_HISTOGRAM, STAT_SUM };

struct stat_sum {
    const char *first;
    size_t stride_bytes, count;
    int64_t base; /* the sum at the last reset */
};

struct stat_entry {
    enum stat_type type;
    char *path;
    struct stat_info info;
    union {
        struct stat_counter *counter;
        struct stat_level *level;
        struct stat_histogram *histogram;
        struct stat_sum *sum;
        void *any;
    };
};

struct stat_registry {
    GArray *entries; /* of struct stat_entry */
};

/* --- registry --------------------------------------------------------------------------------- */

struct stat_registry *stat_registry_new(void)
{
    struct stat_registry *registry = g_new(struct stat_registry, 1);
    registry->entries = g_array_new(FALSE, FALSE, sizeof(struct stat_entry));
    return registry;
}

static struct stat_entry *entry_at(const struct stat_registry *registry, guint i)
{
    return &g_array_index(registry->entries, struct stat_entry, i);
}

void stat_registry_free(struct stat_registry *registry)
{
    if (!registry)
        return;
    for (guint i = 0; i < registry->entries->len; i++) {
        g_free(entry_at(registry, i)->path);
        g_free(entry_at(registry, i)->any);
    }
    g_array_free(registry->entries, TRUE);
    g_free(registry);
}

static void *register_stat(struct stat_registry *registry, enum stat_type type, const char *path,
                           const struct stat_info *info, size_t size)
{
    struct stat_entry entry = {
        .type = type, .path = g_strdup(path), .info = *info, .any = g_malloc0(size)};
    g_array_append_val(registry->entries, entry);
    return entry.any;
}

/* --- counter ---------------------------------------------------------------------------------- */

struct stat_counter *stat_counter_new(struct stat_registry *registry, const char *path,
                                      const struct stat_info *info)
{
    return register_stat(registry, STAT_COUNTER, path, info, sizeof(struct stat_counter));
}

/* --- level ------------------------------------------------------------------------------------ */

struct stat_level *stat_level_new(struct stat_registry *registry, const char *path,
                                  const struct stat_info *info, sim_time now_ps)
{
    struct stat_level *stat =
        register_stat(registry, STAT_LEVEL, path, info, sizeof(struct stat_level));
    stat->since_ps = stat->start_ps = now_ps;
    return stat;
}

/* The sum of level times time up to `now_ps`. */
static sim_uint128 level_area(const struct stat_level *stat, sim_time now_ps)
{
    check_release(now_ps >= stat->since_ps, "a level's time went back by %lld ps",
                  (long long)(stat->since_ps - now_ps));
    return stat->area + product_128(stat->level, now_ps - stat->since_ps);
}

void stat_level_set(struct stat_level *stat, sim_time now_ps, int64_t level)
{
    check_release(level >= 0, "a level became %lld", (long long)level);
    stat->area = level_area(stat, now_ps);
    stat->since_ps = now_ps;
    stat->level = level;
    stat->maximum = level > stat->maximum ? level : stat->maximum;
}

double stat_level_mean(const struct stat_level *stat, sim_time now_ps)
{
    if (now_ps == stat->start_ps)
        return (double)stat->level;
    return (double)level_area(stat, now_ps) / (double)(now_ps - stat->start_ps);
}

static void level_reset(struct stat_level *stat, sim_time now_ps)
{
    stat->since_ps = stat->start_ps = now_ps;
    stat->maximum = stat->level;
    stat->area = 0;
}

/* --- spread of a mean --------------------------------------------------------------------------- */

static uint64_t units_of_batch(const struct stat_units *units)
{
    return units->each > 0 ? units->each : 1;
}

/* Joins each two batches into one. */
static void join_batches(struct stat_units *units)
{
    for (size_t i = 0; i < STAT_BATCHES; i++)
        units->sums[i] = i < STAT_BATCHES / 2 ? units->sums[2 * i] + units->sums[2 * i + 1] : 0;
    units->each = 2 * units_of_batch(units);
}

void stat_unit(struct stat_units *units, double value)
{
    if (units->count == STAT_BATCHES * units_of_batch(units))
        join_batches(units);
    units->sums[units->count++ / units_of_batch(units)] += value;
}

void stat_unit_ends(struct stat_units *units, int64_t at)
{
    if (units->is_marked)
        stat_unit(units, (double)(at - units->mark));
    units->is_marked = true;
    units->mark = at;
}

/* The mean of the whole batches from a first one on, and its standard error. */
struct batch_mean {
    size_t count;
    double mean, error;
};

static struct batch_mean mean_from(const struct stat_units *units, size_t first)
{
    size_t all = (size_t)(units->count / units_of_batch(units));
    struct batch_mean of = {.count = all - first};
    double sum = 0, squares = 0;
    for (size_t i = first; i < all; i++)
        sum += units->sums[i];
    of.mean = of.count > 0 ? sum / (double)of.count : 0;
    for (size_t i = first; i < all; i++)
        squares += (units->sums[i] - of.mean) * (units->sums[i] - of.mean);
    if (of.count >= 2)
        of.error = sqrt(squares / (double)(of.count - 1) / (double)of.count);
    return of;
}

/* The mean of all batches, or of the batches behind the transient. */
static struct batch_mean mean_of_batches(const struct stat_units *units)
{
    struct batch_mean best = mean_from(units, 0);
    size_t most = units->has_transient && best.count >= 4 ? best.count / 2 : 0;
    for (size_t first = 1; first <= most; first++) {
        struct batch_mean of = mean_from(units, first);
        best = of.error < best.error ? of : best;
    }
    return best;
}

static double half_width(const struct batch_mean *of)
{
    /* Student's t at 97.5 % for 1, 2, ... degrees of freedom */
    static const double t[STAT_BATCHES - 1] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365,
                                               2.306,  2.262, 2.228, 2.201, 2.179, 2.160, 2.145,
                                               2.131,  2.120, 2.110, 2.101, 2.093};
    return t[of->count - 2] * of->error;
}

double stat_units_mean(const struct stat_units *units)
{
    return mean_from(units, 0).mean / (double)units_of_batch(units);
}

double stat_spread(const struct stat_units *units)
{
    struct batch_mean of = mean_of_batches(units);
    return of.count < 2 ? -1 : half_width(&of) / (double)units_of_batch(units);
}

static int compare_values(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median_of(const double *sorted, size_t count)
{
    return (sorted[(count - 1) / 2] + sorted[count / 2]) / 2;
}

/* The first value behind the widest gap, of those from `first` to `last`. */
static size_t widest_gap(const double *sorted, size_t first, size_t last)
{
    size_t widest = first;
    for (size_t i = first; i <= last; i++)
        if (sorted[i] - sorted[i - 1] > sorted[widest] - sorted[widest - 1])
            widest = i;
    return widest;
}

bool stat_two_groups(const struct stat_units *units, struct stat_groups *groups)
{
    double sorted[STAT_BATCHES];
    size_t count = units->count, least = MAX((count + 4) / 5, 2);
    if (count < 2 * least || count > STAT_BATCHES)
        return false;
    memcpy(sorted, units->sums, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, compare_values);
    size_t cut = widest_gap(sorted, least, count - least);
    double gap = sorted[cut] - sorted[cut - 1], range = sorted[count - 1] - sorted[0];
    double cuts = (double)(count + 1 - 2 * least);
    if (gap == 0 || cuts * pow(1 - gap / range, (double)count - 2) > CHANCE_OF_GROUPS)
        return false;
    *groups = (struct stat_groups){.lower = median_of(sorted, cut),
                                   .upper = median_of(sorted + cut, count - cut),
                                   .lower_share = (double)cut / (double)count};
    return true;
}

double stat_relative_spread(const struct stat_units *units)
{
    struct batch_mean of = mean_of_batches(units);
    return of.count < 2 || of.mean == 0 ? 0 : half_width(&of) / fabs(of.mean);
}

/* --- histogram -------------------------------------------------------------------------------- */

/* Small values have a bucket each; from there on an octave [2^e, 2^(e+1)) has 2^STAT_SUB_BITS
 * buckets of width 2^(e - STAT_SUB_BITS). */

static size_t bucket_of(int64_t value)
{
    if (value < 1 << STAT_SUB_BITS)
        return (size_t)value;
    int shift = 63 - __builtin_clzll((uint64_t)value) - STAT_SUB_BITS;
    return ((size_t)shift << STAT_SUB_BITS) + (size_t)(value >> shift);
}

/* The greatest value of the bucket. */
static int64_t bucket_end(size_t bucket)
{
    if (bucket < 1u << STAT_SUB_BITS)
        return (int64_t)bucket;
    size_t shift = (bucket >> STAT_SUB_BITS) - 1;
    uint64_t step = bucket - (shift << STAT_SUB_BITS);
    return (int64_t)(((step + 1) << shift) - 1);
}

struct stat_histogram *stat_histogram_new(struct stat_registry *registry, const char *path,
                                          const struct stat_info *info)
{
    return register_stat(registry, STAT_HISTOGRAM, path, info, sizeof(struct stat_histogram));
}

void stat_record(struct stat_histogram *histogram, int64_t value)
{
    check_release(value >= 0, "a histogram was given %lld", (long long)value);
    if (histogram->count == 0 || value < histogram->minimum)
        histogram->minimum = value;
    if (value > histogram->maximum)
        histogram->maximum = value;
    stat_unit(&histogram->units, (double)value);
    histogram->count++;
    histogram->sum += (uint64_t)value;
    uint32_t *bucket = &histogram->buckets[bucket_of(value)];
    check_release(*bucket < UINT32_MAX, "a histogram has more than 2^32 - 1 values near %lld",
                  (long long)value);
    ++*bucket;
}

void stat_histogram_reset(struct stat_histogram *histogram)
{
    memset(histogram, 0, sizeof *histogram);
}

int64_t stat_quantile(const struct stat_histogram *histogram, double fraction)
{
    check_release(fraction >= 0 && fraction <= 1, "the quantile at %g", fraction);
    if (fraction == 0 || histogram->count == 0)
        return histogram->minimum;
    /* 0.07 is a little more than 7/100 as a double: without the allowance the rank of the 7th of
     * 100 values would come out above 7. */
    double rank = fraction * (double)histogram->count * (1 - 0x1p-50);
    uint64_t seen = 0;
    size_t bucket = bucket_of(histogram->minimum);
    for (; bucket < bucket_of(histogram->maximum); bucket++) {
        seen += histogram->buckets[bucket];
        if ((double)seen >= rank)
            break;
    }
    int64_t end = bucket_end(bucket);
    return end < histogram->maximum ? end : histogram->maximum;
}

/* Values of a part of the buckets, each of which stands for its end. */
struct bucket_sums {
    double count, sum, squares;
};

static struct bucket_sums sums_of(const struct stat_histogram *histogram, size_t bucket)
{
    double count = histogram->buckets[bucket], end = (double)bucket_end(bucket);
    return (struct bucket_sums){count, count * end, count * end * end};
}

static void add_sums(struct bucket_sums *sums, struct bucket_sums more)
{
    sums->count += more.count;
    sums->sum += more.sum;
    sums->squares += more.squares;
}

/* Whether means of later batches differ at least half as much as means of independent values would: otherwise all have the same share
 * of each kind, or the kinds are the first values and the others. */
static bool is_share_open(const struct stat_histogram *histogram, double variance)
{
    double each = (double)units_of_batch(&histogram->units);
    struct batch_mean of =
        mean_from(&histogram->units, (size_t)((double)histogram->count / each) / 2);
    double error = of.error / each;
    return 4 * error * error * (double)of.count * each >= variance;
}

bool stat_two_kinds(const struct stat_histogram *histogram, struct stat_groups *kinds)
{
    size_t first = bucket_of(histogram->minimum), last = bucket_of(histogram->maximum);
    struct bucket_sums all = {0}, below = {0};
    for (size_t i = first; i <= last; i++)
        add_sums(&all, sums_of(histogram, i));
    double mean = all.sum / all.count, variance = all.squares / all.count - mean * mean, best = 0;
    for (size_t cut = first; cut < last; cut++) {
        add_sums(&below, sums_of(histogram, cut));
        double lower = below.sum / below.count;
        double upper = (all.sum - below.sum) / (all.count - below.count);
        double share = below.count / all.count;
        double between = share * (1 - share) * (upper - lower) * (upper - lower);
        if (between > best) {
            best = between;
            *kinds = (struct stat_groups){lower, upper, share};
        }
    }
    return all.count >= KINDS_COUNT && best > (0.75 + 1 / sqrt(all.count)) * variance &&
           kinds->lower_share >= KIND_LEAST && kinds->lower_share <= 1 - KIND_LEAST &&
           kinds->upper - kinds->lower > KINDS_APART * mean && is_share_open(histogram, variance);
}

/* --- sum --------------------------------------------------------------------------------------- */

void stat_sum_new(struct stat_registry *registry, const char *path, const struct stat_info *info,
                  const int64_t *first, size_t stride_bytes, size_t count)
{
    struct stat_sum *sum = register_stat(registry, STAT_SUM, path, info, sizeof(struct stat_sum));
    *sum = (struct stat_sum){(const char *)first, stride_bytes, count, 0};
}

static int64_t sum_now(const struct stat_sum *sum)
{
    int64_t now = -sum->base;
    for (size_t i = 0; i < sum->count; i++) {
        int64_t number;
        memcpy(&number, sum->first + i * sum->stride_bytes, sizeof number);
        now += number;
    }
    return now;
}

/* --- reading ---------------------------------------------------------------------------------- */

void stat_reset(struct stat_registry *registry, sim_time now_ps)
{
    for (guint i = 0; i < registry->entries->len; i++) {
        struct stat_entry *entry = entry_at(registry, i);
        if (entry->type == STAT_COUNTER)
            entry->counter->value = 0;
        else if (entry->type == STAT_LEVEL)
            level_reset(entry->level, now_ps);
        else if (entry->type == STAT_SUM)
            entry->sum->base += sum_now(entry->sum);
        else
            stat_histogram_reset(entry->histogram);
    }
}

/* The function that stat_visit calls for the numbers of an entry, and its arguments. */
struct visitor {
    stat_visit_fn *visit;
    void *argument;
    const struct stat_entry *entry;
};

static void tell(const struct visitor *visitor, const char *field, double value)
{
    visitor->visit(visitor->entry->path, &visitor->entry->info, field, value, visitor->argument);
}

static void tell_histogram(const struct visitor *visitor, const struct stat_histogram *histogram)
{
    tell(visitor, "count", (double)histogram->count);
    tell(visitor, "mean", stat_mean(histogram));
    tell(visitor, "min", (double)histogram->minimum);
    tell(visitor, "p50", (double)stat_quantile(histogram, 0.50));
    tell(visitor, "p90", (double)stat_quantile(histogram, 0.90));
    tell(visitor, "p99", (double)stat_quantile(histogram, 0.99));
    tell(visitor, "max", (double)histogram->maximum);
}

void stat_visit(const struct stat_registry *registry, sim_time now_ps, stat_visit_fn *visit,
                void *argument)
{
    for (guint i = 0; i < registry->entries->len; i++) {
        const struct stat_entry *entry = entry_at(registry, i);
        const struct visitor visitor = {visit, argument, entry};
        if (entry->type == STAT_COUNTER) {
            tell(&visitor, NULL, (double)entry->counter->value);
        } else if (entry->type == STAT_SUM) {
            tell(&visitor, NULL, (double)sum_now(entry->sum));
        } else if (entry->type == STAT_LEVEL) {
            tell(&visitor, "mean", stat_level_mean(entry->level, now_ps));
            tell(&visitor, "max", (double)entry->level->maximum);
        } else {
            tell_histogram(&visitor, entry->histogram);
        }
    }
}
