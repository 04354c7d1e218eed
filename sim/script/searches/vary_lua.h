/* SPDX-License-Identifier: BSD-3-Clause */
/* Variants, machines and their parameters, as functions for the searches in views/. */
#pragma once

#include <glib.h>

#include "study/model/machine.h"
#include "study/vary/variants.h"

struct lua_State;

/* Pushes a table of functions, of the number `points`, the `seed`, the study's `title` and its `axes` by name; `variants` has
 * to be there during the call.
 *   axis(name, point)      the text of a point's value
 *   step(name, point)      which of the axis's values that is
 *   add(point, overrides)  lists one more variant, and returns its number among the rows of run; overrides are texts,
 *                          "nic.rate=10GB/s"
 *   run(from_store)        runs those that are listed, or takes them from the store alone: a row each, in their order; nil where one is
 *                          missing
 *   runs()                 how many variants have been run so far
 *   machine(point)         the machine of a point
 * A row is a table of `failure`, `read` and `unread` (nil: none), `measures`, each with name, kind, text, is_absent (it is not
 * modelled), unit (nil of a plain number), number (in base units; nil of a text), column and cell, and
 *   add(name, number, like)    adds one more measure of the kind of measure number `like` (nil: a plain number), and returns it
 * Points are counted from 0. Errors of runs are raised. */
void vary_lua_push_variants(struct lua_State *L, struct variants *variants);

/* vary_lua_push_row pushes such a row, which Lua frees if `is_owned`; else the row has to live during the call. vary_lua_row
 * returns the row of such a table at `index`. */
void vary_lua_push_row(struct lua_State *L, struct row *row, bool is_owned);
struct row *vary_lua_row(struct lua_State *L, int index);

/* Pushes a table of functions; the machine has to be there during the call.
 *   sections()             the machine's numbers: a list of tables with `outer` (nil: the top level), `kind` (of an instance that not
 *                          every machine has) and, as a list, its numbers: path, name, value, kind of source, low, high, source,
 *                          claims, is_bare (written without quotes)
 *   parameter(path)        a number of the machine, or an axis "design.polling_rounds", also with the value that it has, as rows list
 *                          what was read; or nil and a sentence
 * A parameter is a table of path, name, text, now (NaN: an axis whose value a row tells), source, low and high (nil: no range),
 * least and most (of its table), least_text and most_text, unit, is_whole, is_number (no flag and no choice), is_axis, choices
 * (how many values a flag or choice has), and
 *   is_taken(number)       whether the machine with this value is a good one; of an axis: true
 *   text_of(number)        the value as a user writes it
 *   parse(text)            the number of such a text; raises */
void vary_lua_push_machine(struct lua_State *L, const struct machine *machine);

/* Makes the global table `vary`: parse(unit, text), the number of a measure; and places (script/values/places.h). */
void vary_lua_open(struct lua_State *L);
