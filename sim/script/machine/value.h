/* Values of axes and measures: from Lua, and as columns. The column functions are in script.h. */
#ifndef GPUNETSIM_SCRIPT_MACHINE_VALUE_H
#define GPUNETSIM_SCRIPT_MACHINE_VALUE_H

#include <lua.h>
#include <stdbool.h>

#include "study/model/study.h"

/* Copies the string, number, boolean or design at `index`; strings stay text. False, and *value untouched,
 * if it is none of these (or not finite, or holds a NUL). A text that is too long is the script's
 * error. */
bool value_read(lua_State *L, int index, struct script_value *value);

/* Makes a quantity of a text that is one. False, and *value unchanged, if it is not. */
bool value_to_quantity(struct script_value *value);
bool value_to_quantity_of(struct script_value *value, enum unit_kind unit);

/* A quantity or a plain number, with its text. */
struct script_value value_quantity(int64_t quantity, enum unit_kind unit);
struct script_value value_number(double number);

/* Sets the fields by which a script sees a value: `name` is its exact text if it is a quantity or a
 * text, its column's name a number. The table is on top of the stack. */
void value_set_fields(lua_State *L, const char *name, const struct script_value *value);

/* Whether two values are the same, however they were written. */
bool value_equal(const struct script_value *a, const struct script_value *b);

void value_clear(struct script_value *value);

/* Adds the words pow2, range and quantity. */
void series_open(lua_State *L);

#endif
