/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows, machines and their parameters, as functions for the searches in views/. */
#pragma once

#include <glib.h>

#include "study/model/machine.h"
#include "study/model/study.h"

struct lua_State;

/* Pushes a row, which has to live as long as the table that is pushed.
 * A row is a table of `failure`, `read` and `unread` (nil: none), `measures`, each with name, kind, text, is_absent (it is not
 * modelled), unit (nil of a plain number), number (in base units; nil of a text), column and cell, and
 *   add(name, number, like)    adds one more measure of the kind of measure number `like` (nil: a plain number), and returns it */
void vary_lua_push_row(struct lua_State *L, struct row *row);

/* The row of such a table at `index`. */
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
