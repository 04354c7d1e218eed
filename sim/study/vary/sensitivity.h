/* SPDX-License-Identifier: BSD-3-Clause */
/* How much a measure depends on each parameter that a run read: each is changed by itself and the point is simulated again.
 *
 * The elasticity is d ln(measure) / d ln(parameter): by how many percent the measure grows where the parameter grows by one. It
 * is taken from both sides, ln(m2 / m1) / ln(p2 / p1), so that a power law gives its exponent exactly; from one side where the
 * other is out of bounds. */
#ifndef GPUNETSIM_STUDY_VARY_SENSITIVITY_H
#define GPUNETSIM_STUDY_VARY_SENSITIVITY_H

#include "study/figure/plot.h"
#include "study/table/table.h"
#include "study/vary/parameter.h"
#include "study/vary/variants.h"

/* One value of a parameter, tried. */
struct sensitivity_try {
    double value;
    size_t variant;
    double number; /* the measure; NaN: it failed */
    char *failure; /* NULL: it went well */
};

/* Values on both sides. */
struct sensitivity_pair {
    struct sensitivity_try
        tries[2]; /* below and above; of a flag or choice another value, [1] alone */
    bool has_try[2];
    double effect; /* largest change of the measure, as a fraction */
};

enum sensitivity_outcome {
    SENSITIVITY_MOVES,
    SENSITIVITY_FAILS,
    SENSITIVITY_BELOW_SPREAD, /* it moves the measure by no more than what the measure itself spreads */
    SENSITIVITY_NOTHING,      /* the measure stays, as far as the parameter was changed */
    SENSITIVITY_NOT_CHANGED, /* there is no other value to try */
    SENSITIVITY_NOT_READ,
};

#define SENSITIVITY_WIDER 3 /* steps that are tried where the usual one moves nothing */

/* A parameter, and what it does. */
struct sensitivity_entry {
    struct vary_parameter parameter;
    enum sensitivity_outcome outcome;
    struct sensitivity_pair
        shown; /* the nearest values that move the measure, or the farthest that were tried */
    struct sensitivity_pair wider[SENSITIVITY_WIDER];
    double elasticity; /* NaN: there is none */
    char *note;        /* NULL or what is not as usual */
};

struct sensitivity {
    size_t point;
    char *name;                 /* point_label */
    const struct measure *base; /* of `row` */
    double
        spread; /* of the base, as a fraction: the measure `NAME_spread` of the row; 0: the row has none */
    struct row *row;
    struct machine *machine;
    GArray *entries; /* struct sensitivity_entry, the most sensitive first */
};

/* Of some points of a study: each changed by `step` (0.1 is 10 %) up and down. What can only be whole moves by at least one; what
 * the machine does not take is tried at half and twice its value; what is 0 at the ends of its range; flags and choices take
 * their other values. A result may move in steps: a number that moves nothing is changed as far as to the ends of its range (of
 * its table's, and at most a hundredth to a hundred times; a tenth to ten times if it is a number of things or of bytes), and if that
 * moves the measure, by less. So do the axes of the design that the point's last workload took. `measure` as in outcome_find. An array of struct sensitivity *, a point each; NULL and one sentence. */
GPtrArray *sensitivity_run(struct variants *variants, const GArray *points, const char *measure,
                           double step, GError **error);

/* A row a parameter and tried value: point, parameter, value, origin, low, high, MEASURE_low, MEASURE_high, low_percent,
 * high_percent, elasticity, note. `all`: also those without effect and those that were not read, and the column outcome. To be
 * freed with table_free. */
struct table *sensitivity_table(const GPtrArray *list, bool all);

/* A sentence on the parameters of this outcome, none of MOVES or FAILS; NULL if there are none. The caller frees it. */
char *sensitivity_idle(const struct sensitivity *sensitivity, enum sensitivity_outcome outcome);

/* A sentence on the values of the design's axes that failed; NULL if there are none. The caller frees it. */
char *sensitivity_apart(const struct sensitivity *sensitivity);

/* A tornado plot: a bar each for the most sensitive parameters, a panel a point. NULL and one sentence if it cannot be drawn. */
struct figure *sensitivity_figure(const GPtrArray *list, const char *title, double step,
                                  GError **error);

#endif
