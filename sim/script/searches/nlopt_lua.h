/* SPDX-License-Identifier: BSD-3-Clause */
/* NLopt for the files in views/. */
#pragma once

struct lua_State;

/* Makes the global table `nlopt` with minimise(problem), which returns the place where the search ended; all places are lists of
 * numbers from 0 to 1. A problem has
 *   algorithm                      "bobyqa" or "cobyla"
 *   start, evaluations             where it begins, and how many it may take
 *   step                           of the first ones; nil: NLopt's own
 *   tolerance                      the search ends where no number moves by more
 *   objective(x)                   what becomes least
 *   constraints(x)                 a list of constraint_count numbers, none above 0 where x is good; nil: there are none
 * An error in one of the functions ends the search and is raised. */
void nlopt_lua_open(struct lua_State *L);
