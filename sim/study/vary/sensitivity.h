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

/* A parameter that was read, and what it does. */
struct sensitivity_entry {
    struct vary_parameter parameter;
    struct sensitivity_try
        tries[2]; /* below and above; of a flag or choice another value, [1] alone */
    bool has_try[2];
    double elasticity; /* NaN: there is none */
    double effect;     /* largest change of the measure, as a fraction */
    char *note;        /* NULL or what is not as usual */
};

struct sensitivity {
    size_t point;
    char *name;                 /* point_label */
    const struct measure *base; /* of `row` */
    struct row *row;
    struct machine *machine;
    GArray *entries; /* struct sensitivity_entry, the most sensitive first */
};

/* Of some points of a study: each changed by `step` (0.1 is 10 %) up and down. What can only be whole moves by at least one; what
 * the machine does not take is tried at half and twice its value; what is 0 at the ends of its range; flags and choices take
 * their other values. So do the axes of the design that the point's last workload took. `measure` as in outcome_find. An array of struct sensitivity *, a point each; NULL and one sentence. */
GPtrArray *sensitivity_run(struct variants *variants, const GArray *points, const char *measure,
                           double step, GError **error);

/* A row a parameter and tried value: point, parameter, value, origin, low, high, MEASURE_low, MEASURE_high, low_percent,
 * high_percent, elasticity, note. `all`: also those without effect. To be freed with table_free. */
struct table *sensitivity_table(const GPtrArray *list, bool all);

/* A sentence on the parameters that were read and do nothing; NULL if there are none. The caller frees it. */
char *sensitivity_idle(const struct sensitivity *sensitivity);

/* A sentence on the values of the design's axes that failed; NULL if there are none. The caller frees it. */
char *sensitivity_apart(const struct sensitivity *sensitivity);

/* A tornado plot: a bar each for the most sensitive parameters, a panel a point. NULL and one sentence if it cannot be drawn. */
struct figure *sensitivity_figure(const GPtrArray *list, const char *title, double step,
                                  GError **error);

#endif
