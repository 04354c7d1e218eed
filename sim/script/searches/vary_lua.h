/* SPDX-License-Identifier: BSD-3-Clause */
/* Variants, machines and their parameters for the files in views/: what their searches run and ask. */
#pragma once

#include <glib.h>

#include "study/vary/parameter.h"
#include "study/vary/variants.h"

struct lua_State;

/* Pushes a table of functions, of the number `points`, the study's `title` and its `axes` by name; `variants` has to be there during
 * the call.
 *   axis(name, point)      the text of a point's value
 *   step(name, point)      which of the axis's values that is
 *   label(point)           the point's name in sentences
 *   select(text)           the points of "design=apu,bytes=8"
 *   add(point, overrides)  lists one more variant, and returns its number among the rows of run; overrides are texts,
 *                          "nic.rate=10GB/s"
 *   run()                  runs those that are listed: a row each, in their order
 *   runs()                 how many variants have been run so far
 *   band(point, read, samples, measure)    runs samples of the estimated parameters among those of `read` (band.h): samples, failed,
 *                          failure (the first one), least, p5, median, p95, most, and how many parameters are `varied`
 *   machine(point)         the machine of a point
 * A row is a table of `failure`, `read` and `unread` (nil: none), and
 *   number(name)           the number of the measure, in base units; nil: there is none
 *   measure(name, place)   the measure as outcome_find finds it: name, text, number, spread, unit (nil of a plain number), column
 * Points are counted from 0. Errors of runs are raised. */
void vary_lua_push_variants(struct lua_State *L, struct variants *variants);

/* Pushes a table of functions; the machine has to be there during the call.
 *   sections()             the machine's numbers: a list of tables with `outer` (nil: the top level), `kind` (of an instance that not
 *                          every machine has) and, as a list, its numbers: path, name, value, kind of source, low, high, source,
 *                          claims, is_bare (written without quotes)
 *   parameter(path)        a parameter, or nil and a sentence
 * A parameter is a table of path, name, text, now, source, low and high (nil: no range), least and most (of its table), least_text and
 * most_text, unit, is_whole, is_number, is_axis, choices (how many values a flag or choice has), and
 *   nearest(number), taken(number), is_taken(number), text_of(number), parse(text)    as their twins in parameter.h; parse raises
 *   settle(read)           whether a row's `read` names the axis's present value; sets `now` and `text` */
void vary_lua_push_machine(struct lua_State *L, const struct machine *machine);

/* Pushes a list of texts, NULL-ended; NULL is an empty one. */
void vary_lua_push_texts(struct lua_State *L, char *const *texts);

/* The list of texts at `index`, none of anything else. The caller frees it with g_strfreev. */
char **vary_lua_texts(struct lua_State *L, int index);

/* Makes the global table `vary`: parse(unit, text), the number of a measure; and order(seed, name, count), the numbers from 0 to count
 * - 1 in a random order. */
void vary_lua_open(struct lua_State *L);
