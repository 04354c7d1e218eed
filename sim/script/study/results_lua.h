/* SPDX-License-Identifier: BSD-3-Clause */
/* The results of a study as the functions of its claims and of its published values get them. */
#pragma once

#include <lua.h>

#include "study/model/study.h"

/* The data of a results object, and the results of a function that uses it. */
struct results {
    const struct study *study;
    const char *claim; /* id of the claim that is evaluated; NULL: none */
    struct row *const *rows;
    size_t row_count;
    GVariant *answer; /* the result of study_evaluate_claim */
    char *conclusion; /* the result of study_conclude */
};

/* Pushes the object: r:value { ... }, r:each "axis", r.rows (views/tables/results.lua). */
void results_push(lua_State *L, const struct results *results);
