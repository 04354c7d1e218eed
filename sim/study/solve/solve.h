/* SPDX-License-Identifier: BSD-3-Clause */
/* Which values of parameters give a measure that is wanted: the other way round.
 *
 * Of one parameter its range is looked at in steps, and where the measure passes the target the step is cut into four again
 * and again. Of several the values are wanted that reach the target with the least change, each on the scale of its range:
 * samples of the ranges find where it is reached, NLopt's COBYLA (Powell 1994) draws that near, and the way from the present
 * values to there is cut as for one parameter. All in the same order whatever the number of workers. */
#ifndef GPUNETSIM_STUDY_SOLVE_SOLVE_H
#define GPUNETSIM_STUDY_SOLVE_SOLVE_H

#include "study/table/table.h"
#include "study/vary/parameter.h"
#include "study/vary/variants.h"

#define SOLVE_TOLERANCE 0.001 /* of the target: what is nearer is as good as equal */

/* A parameter that may change, within its range. */
struct solve_knob {
    struct vary_parameter parameter;
    double low, high;
    const char *range; /* where the range comes from, in words; static */
};

/* Something that has to hold too: a measure at most or at least a limit. */
struct solve_constraint {
    char *measure, *text; /* "energy", "2uJ" */
    bool is_least;
    double limit; /* in base units, once the measure is known */
};

/* Values that were tried. */
struct solve_try {
    double *values;        /* one a knob */
    double number, target; /* the measure and what it should be; NaN: it failed */
    double off;            /* number / target - 1 */
    double spread;    /* of off, from those of the number and of the target; 0: they have none */
    double violation; /* of the constraints, the largest, as a fraction; 0: they hold */
    char *failure;
};

enum solve_end {
    SOLVE_FOUND,
    SOLVE_JUMPS,       /* the measure passes the target in one step */
    SOLVE_UNREACHED,   /* it is on the same side of the target everywhere */
    SOLVE_CONSTRAINED, /* it is reached, but the constraints do not hold there */
};

struct solve {
    struct variants *variants;
    size_t point;
    gssize other;      /* the point whose measure is the target, under the same changes; -1: none */
    char *measure;     /* wanted of `point`; NULL: the usual one */
    char *target_text; /* "2us"; NULL with `other` */
    double target;     /* in base units, once the measure is known */
    struct solve_knob *knobs;
    size_t knob_count;
    struct solve_constraint *constraints;
    size_t constraint_count;

    struct machine *machine;     /* of the point */
    struct row *base;            /* the point as it is */
    const struct measure *shown; /* its measure */
    GArray *tries; /* struct solve_try, as they were made; the first one is the base */
    enum solve_end end;
    size_t best; /* number of the try that is nearest */
    size_t below,
        above; /* SOLVE_FOUND, SOLVE_JUMPS: tries on both sides of the target, the first one on the present side */
    gssize
        between; /* of the tries between these whose spread reaches the target, the nearest to it; -1: there is none */
};

void solve_clear(struct solve *solve);

/* Adds "cp.clock" or "cp.clock=1GHz..4GHz". The range is as given; else that of an estimated or fitted value; else a tenth of
 * the present value to ten times it. False and one sentence. */
bool solve_add_knob(struct solve *solve, const char *text, GError **error);

/* Adds "energy<=2uJ" or "rate>=1GB/s". */
bool solve_add_constraint(struct solve *solve, const char *text, GError **error);

/* The target: a value, "2us", or the same measure at another point, "design=apu", whose other axes are those of solve->point.
 * False and one sentence. */
bool solve_set_target(struct solve *solve, const char *text, GError **error);

/* Searches. False and an error if a run cannot be made, if the point itself fails or if it does not read a parameter. */
bool solve_run(struct solve *solve, GError **error);

/* --- for its parts (try.c, one.c, several.c) ------------------------------------------------------ */

/* A knob's value at `place` of its range, from 0 to 1, by the logarithm where the range is above 0; and back. */
double solve_value(const struct solve_knob *knob, double place);
double solve_place(const struct solve_knob *knob, double value);

/* Whether the try's values are in their ranges: those of the point as it is may not be. */
bool solve_is_within(const struct solve *solve, const struct solve_try *try);

static inline struct solve_try *solve_try_at(const struct solve *solve, size_t number)
{
    return &g_array_index(solve->tries, struct solve_try, number);
}

/* Tries `count` sets of values (`values[i * knob_count + k]`, rounded to what the knobs can take), those that are not known yet in
 * one go; their numbers into `numbers`. */
bool solve_try_values(struct solve *solve, const double *values, size_t count, size_t *numbers,
                      GError **error);

/* 1 and -1: the try is above or below its target; 0: it failed, or its spread reaches the target, so nobody can tell. */
int solve_side(const struct solve_try *try);

/* After a cut: the one of below, above and between that is nearest to the target, of those that keep the constraints, becomes the
 * best, and the search has ended. False if none keeps them. */
bool solve_take_end(struct solve *solve);

/* Between two tries, one on each side of the target, cuts the way until nothing is left to cut; sets below, above and between. Where
 * results are means with a spread, the ends stay so far from each other that both are on their sides for certain. */
bool solve_cut(struct solve *solve, size_t below, size_t above, GError **error);

/* Searches with one knob, or with several: tries values, sets `end` and the tries that answer. A value that fails is a try without a
 * number; false with one sentence if no try can be made at all. */
bool solve_one(struct solve *solve, GError **error);
bool solve_several(struct solve *solve, GError **error);

/* --- tables --------------------------------------------------------------------------------------- */

/* A row a knob: parameter, now, found, low, high, range. And a row a try: a column a parameter, measure, target, off_percent,
 * holds, failure. To be freed with table_free. */
struct table *solve_table(const struct solve *solve);
struct table *solve_tries(const struct solve *solve);

/* What came of it, in sentences. The caller frees it. */
char *solve_words(const struct solve *solve);

#endif
