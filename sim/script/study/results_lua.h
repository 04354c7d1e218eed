/* SPDX-License-Identifier: BSD-3-Clause */
/* The results of a study as its functions see them: those of claims and of published values. */
#pragma once

#include <lua.h>

#include "study/model/study.h"

/* What a results object is made of, and what a function with it gives. */
struct results {
    const struct study *study;
    const char *claim; /* id of the one that is evaluated; NULL: none */
    struct row *const *rows;
    size_t row_count;
    GVariant *answer; /* of the claim: what study_evaluate_claim gives */
    char *conclusion; /* of all results: what study_conclude gives */
};

/* Pushes the object: r:value { ... }, r:each "axis", r.rows (views/tables/results.lua). */
void results_push(lua_State *L, const struct results *results);
