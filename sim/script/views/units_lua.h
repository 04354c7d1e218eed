/* SPDX-License-Identifier: BSD-3-Clause */
/* Units and values for the files in views/. */
#pragma once

#include "study/model/value.h"

struct lua_State;

/* Adds to the table on top of the stack (units: "time", "bytes", ... as of columns):
 *   unit_named(unit, name)             the suffix that a name in columns stands for, or nil ("GB/s" of "GBps")
 *   unit_suffixes(unit)                all of them, as messages have them
 *   unit_base(unit)                    that of the base unit
 *   unit_scale(unit, suffix)           base units that one of the suffix is
 *   parse(unit, text)                  base units of "1.5us"; nil: it is no such quantity
 *   value_texts(kind, unit, number)    a quantity or a plain number as a user would write it, and as in columns
 *   column_name(kind, unit, name)      the column of such a value: "latency_us"
 *   time_text(ps)                      "1.5us" */
void units_lua_add(struct lua_State *L);

/* The kind of a value as the files in views/ call it. */
const char *units_lua_kind(enum value_kind kind);

/* The same for a kind of units. */
const char *units_lua_unit(enum unit_kind unit);
enum unit_kind units_lua_check_unit(struct lua_State *L, int argument);
