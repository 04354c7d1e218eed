/* SPDX-License-Identifier: BSD-3-Clause */
/* Explanations as stacked bars: a bar a point, a part a stage. */
#ifndef GPUNETSIM_STUDY_EXPLAIN_BARS_H
#define GPUNETSIM_STUDY_EXPLAIN_BARS_H

#include "study/explain/explain.h"
#include "study/figure/plot.h"

struct explained_point {
    const char *name;
    const struct explained *of;
};

/* A row a point: its name, then the mean of each stage that one of them uses ("posted_us"). To be freed with table_free. */
struct table *explained_bars(const struct explained_point *points, size_t count);

/* Draws that table. NULL and one sentence if it cannot be drawn. */
struct figure *explained_figure(const struct table *bars, const char *title, GError **error);

#endif
