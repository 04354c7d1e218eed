/* SPDX-License-Identifier: BSD-3-Clause */
/* Groups of axes that advance together: the words zip, random and latin. */
#ifndef GPUNETSIM_SCRIPT_STUDY_GROUPS_LUA_H
#define GPUNETSIM_SCRIPT_STUDY_GROUPS_LUA_H

#include <lua.h>
#include <stdbool.h>

/* Adds the words. */
void groups_open(lua_State *L);

/* Whether the value at `index` is a group. If so pushes its axes: a list of { name, values }. */
bool groups_push_axes(lua_State *L, int index);

/* If the value on top is a group, as in `vary = latin(...)`, replaces it by a list of it alone. */
bool groups_list_alone(lua_State *L);

/* Replaces the table of axes on top by one list of its entries: its list part as it stands, then a
 * { name, values } for each of its names, sorted. `what` names the table in messages. */
void groups_list_axes(lua_State *L, const char *what);

/* Pushes name and values of entry `i` of the list of axes on top, and returns the name. */
const char *groups_push_axis(lua_State *L, lua_Integer i, const char *what);

#endif
