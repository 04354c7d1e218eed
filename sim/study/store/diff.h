/* SPDX-License-Identifier: BSD-3-Clause */
/* Two stores held against each other: a new version of the program, another compiler, another
 * machine. */
#pragma once

#include "study/store/store.h"
#include "study/table/table.h"

struct diff {
    size_t compared; /* points that both have */
    size_t differences;
    struct table *shown; /* the first of them: study, point, measure, in A, in B */
};

/* Points are the same if study, values and seed are, whatever the version. Numbers agree if they
 * differ by no more than `tolerance` of the larger one. A point or a measure that one has alone is
 * a difference. NULL and an error if interrupted. */
struct diff *diff_stores(struct result_store *a, struct result_store *b, double tolerance,
                         size_t most_shown, GError **error);
void diff_free(struct diff *diff);
