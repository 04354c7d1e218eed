/* SPDX-License-Identifier: BSD-3-Clause */
/* What a result may be, given what is only estimated: the point is simulated again and again, each time with other values of
 * all `estimated` parameters within their ranges. A Latin hypercube: of N samples each parameter has one in each N-th part of
 * its range. What is drawn for a parameter depends on its path, the seed and N alone, so points, designs and runs have the
 * same machines in sample k. */
#pragma once

#include "study/table/table.h"
#include "study/vary/parameter.h"
#include "study/vary/variants.h"

#define BAND_MOST_SAMPLES 100000

/* Overrides of sample `sample` of `count` for a machine's estimated parameters, in the order of its tables: of those in `paths`
 * (NULL-ended), or of all if that is NULL. An estimated flag or choice is at one end of its range or the other. NULL-ended, to be
 * freed with g_strfreev. */
char **band_overrides(const struct machine *machine, char *const *paths, size_t sample,
                      size_t count, uint64_t seed);

/* The parameters that band_overrides changes, as a table: parameter, value, low, high. To be freed with table_free. */
struct table *band_parameters(const struct machine *machine, char *const *paths);

/* A measure over the samples. */
struct band {
    size_t samples, failed;
    char *failure;                       /* the first one; NULL: none */
    double least, p5, median, p95, most; /* in base units; NaN if all failed */
};
void band_clear(struct band *band);

/* From the numbers of the samples that went well, which it sorts. */
void band_of(struct band *band, double *numbers, size_t count);

/* Lists the samples of a point as variants, of the parameters in `paths`; the number of the first. */
size_t band_add(struct variants *variants, size_t point, const struct machine *machine,
                char *const *paths, size_t count);

/* The band of a measure (by name) over `count` rows from `first` on. */
void band_take(struct band *band, const GPtrArray *rows, size_t first, size_t count,
               const char *measure);
