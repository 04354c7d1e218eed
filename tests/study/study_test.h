/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows made by hand, for tests that need no script: sizes 8 B and 64 B by designs a and b. */
#ifndef GPUNETSIM_TESTS_STUDY_TEST_H
#define GPUNETSIM_TESTS_STUDY_TEST_H

#include <glib.h>

#include "script/study/point.h"
#include "study/model/study.h"

static struct value test_sizes[] = {
    {.kind = VALUE_QUANTITY, .unit = UNIT_BYTES, .quantity = 8, .text = (char[]){"8B"}},
    {.kind = VALUE_QUANTITY, .unit = UNIT_BYTES, .quantity = 64, .text = (char[]){"64B"}},
};
static struct value test_designs[] = {
    {.kind = VALUE_TEXT, .text = (char[]){"a"}},
    {.kind = VALUE_TEXT, .text = (char[]){"b, the \"other\""}},
};
static const struct axis test_axes[] = {
    {.name = (char[]){"bytes"}, .values = test_sizes, .count = 2},
    {.name = (char[]){"design"}, .values = test_designs, .count = 2},
};
#define TEST_AXES 2
#define TEST_POINTS 4

/* The latency of a point: 1.5 us and a picosecond for each point before it. */
static inline int64_t test_latency_ps(size_t point)
{
    return 1500000 + (int64_t)point;
}

/* A row as study_run_point would give it, with a latency and a hit rate of a third. */
static inline struct row *test_row(size_t point)
{
    struct row *row = g_new0(struct row, 1);
    row->axis_index = g_new0(size_t, TEST_AXES);
    row->axis_index[0] = point / 2;
    row->axis_index[1] = point % 2;
    row->measure_count = 2;
    row->measures = g_new0(struct measure, 2);
    row->measures[0].name = g_strdup("latency");
    row->measures[0].value = (struct value){.kind = VALUE_QUANTITY,
                                            .unit = UNIT_TIME,
                                            .quantity = test_latency_ps(point),
                                            .text = g_strdup("latency as text")};
    row->measures[1].name = g_strdup("hit_rate");
    row->measures[1].value =
        (struct value){.kind = VALUE_NUMBER, .number = 1.0 / 3.0, .text = g_strdup("0.333")};
    return row;
}

#endif
