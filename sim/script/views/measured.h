/* SPDX-License-Identifier: BSD-3-Clause */
/* Measurements beside a study: tables whose rows views/measured.lua joins to the study's points. */
#pragma once

#include <glib.h>
#include <stdbool.h>

#include "study/model/study.h"

/* Whether each of its files, if it has any, has the columns and rows that the study says, and a column for each axis; false and
 * one sentence with file:line. */
bool measured_check(const struct study *study, GError **error);

struct lua_State;

/* Pushes a list of the name of each axis, the kind and unit of its values, and the list of these as texts. Returns 1. */
int axes_lua_push(struct lua_State *L, const struct study *study);
