/* SPDX-License-Identifier: BSD-3-Clause */
/* How often the GPU's front end looks at a flag that a stream waits for, and what it takes to answer.
 *
 * The clock of its looks starts with its last answer. A thread that sets its flag a delay after that answer sees the next one after a time
 * such that delay + time = c + k P: P is the time from look to look, whatever the delay, and c what the front end takes from one answer to
 * the next if the flag is there at its first look: three operations on memory, and the look itself, a load. So P is the period by which
 * the sums of all delays are most alike; measured medians may be of another k, but not between two. Of two periods apart c, that is
 * taken which is nearest to the answers to flags that were set at once. */
#include <math.h>
#include <string.h>

#include "study/calibration/measured_facts_parts.h"

#define PERIOD_LEAST_NS 200.0
#define PERIOD_MOST_NS 40000.0
#define PERIOD_STEP 1.0002 /* a delay of 500 us is known to a fiftieth of a period of 8 us */
#define DELAYS_LEAST 4
#define SPREAD_PART 0.9 /* of the times: they differ by a period at most, and what disturbs them */
#define ALIKE 0.06      /* of a period: sums that differ by more are not of one */
#define FIRST_PART 0.75 /* of an answer to a flag that is set at once */
#define OPERATIONS 3    /* from an answer to the next */

static double sum_of(const GArray *points, guint i)
{
    const struct facts_point *point = &g_array_index(points, struct facts_point, i);
    return 1000 * point->at + point->value;
}

/* The sums' place in a period: that of them which the others are least away from, in the mean; a few that are disturbed do not move it. */
static double place_of(const GArray *points, double period_ns, double *off_ns)
{
    double place_ns = 0;
    *off_ns = INFINITY;
    for (guint i = 0; i < points->len; i++) {
        double off = 0;
        for (guint k = 0; k < points->len; k++)
            off += fabs(remainder(sum_of(points, k) - sum_of(points, i), period_ns));
        if (off / points->len >= *off_ns)
            continue;
        *off_ns = off / points->len;
        place_ns = sum_of(points, i);
    }
    return place_ns;
}

/* How much the times differ. */
static double spread_of(const GArray *points)
{
    double least = INFINITY, most = 0;
    for (guint i = 0; i < points->len; i++) {
        double time_ns = g_array_index(points, struct facts_point, i).value;
        least = fmin(least, time_ns);
        most = fmax(most, time_ns);
    }
    return most - least;
}

/* The period of flags with delays; 0: they have none. *place_ns: c, modulo it. */
static double period_of(const GArray *points, double *place_ns)
{
    double best_ns = 0, least = ALIKE;
    double from_ns = fmax(PERIOD_LEAST_NS, SPREAD_PART * spread_of(points));
    for (double period_ns = from_ns; period_ns < PERIOD_MOST_NS; period_ns *= PERIOD_STEP) {
        double off_ns, at_ns = place_of(points, period_ns, &off_ns);
        if (off_ns / period_ns >= least)
            continue;
        least = off_ns / period_ns;
        best_ns = period_ns;
        *place_ns = at_ns;
    }
    return best_ns;
}

/* The first place of c that is no less than this. */
static double place_from(double place_ns, double period_ns, double from_ns)
{
    return place_ns + ceil((from_ns - place_ns) / period_ns) * period_ns;
}

/* The time of a flag that is set at once; 0: there is none. */
static double at_once(const struct delimited *table, const char *const *filter)
{
    const char *value = delimited_find(table, "p10_ns") >= 0 ? "p10_ns" : "median_ns";
    g_autoptr(GArray) points = facts_points(table, filter, "delay_us", "", value);
    facts_keep_medians(points);
    bool has = points->len > 0 && g_array_index(points, struct facts_point, 0).at <= 0;
    return has ? g_array_index(points, struct facts_point, 0).value : 0;
}

static void read_looks(struct measured_looks *looks, const struct delimited *table,
                       const char *place)
{
    const char *const filter[] = {"flags_in", place, NULL};
    g_autoptr(GArray) points = facts_points(table, filter, "delay_us", "", "median_ns");
    while (points->len > 0 && g_array_index(points, struct facts_point, 0).at <= 0)
        g_array_remove_index(points, 0);
    double place_ns = 0;
    double period_ns = points->len < DELAYS_LEAST ? 0 : period_of(points, &place_ns);
    if (period_ns <= 0)
        return;
    looks->period_ns = period_ns;
    looks->behind_ns = place_from(place_ns, period_ns, FIRST_PART * at_once(table, filter));
    g_free(looks->source);
    looks->source = g_path_get_basename(table->path);
}

void facts_read_front_end(struct measured_facts *facts, const struct delimited *table)
{
    read_looks(&facts->looks[LOOK_DEVICE], table, "device");
    read_looks(&facts->looks[LOOK_HOST], table, "host");
}

void facts_add_front_end(struct measured_facts *facts)
{
    const struct measured_looks *near = &facts->looks[LOOK_DEVICE], *far = &facts->looks[LOOK_HOST];
    double load_ns = facts->load_ns[LOOK_DEVICE], far_load_ns = facts->load_ns[LOOK_HOST];
    double gap_ns = near->period_ns - load_ns, far_gap_ns = far->period_ns - far_load_ns;
    if (near->period_ns <= 0 || load_ns <= 0 || gap_ns <= 0 || near->behind_ns <= load_ns)
        return;
    facts_add(facts, "cuda.front_end_gap", facts_time_text(gap_ns),
              g_strdup_printf("%s: device flags: %.2f us from look to look, less a load",
                              near->source, near->period_ns / 1000));
    facts_add(
        facts, "cuda.front_end_operation",
        facts_time_text((near->behind_ns - load_ns) / OPERATIONS),
        g_strdup_printf("%s: device flags: %.2f us from answer to answer but for looks: %d of "
                        "these, and a load",
                        near->source, near->behind_ns / 1000, OPERATIONS));
    if (far->period_ns > 0 && far_load_ns > 0 && far_gap_ns >= gap_ns)
        facts_add(facts, "cuda.front_end_host", facts_time_text(far_gap_ns - gap_ns),
                  g_strdup_printf("%s: host flags: %.2f us from look to look, less a load",
                                  far->source, far->period_ns / 1000));
}
