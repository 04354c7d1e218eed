/* SPDX-License-Identifier: BSD-3-Clause */
/* Files of measurements beside a study, for views/measured.lua, which joins them to its points. */
#pragma once

#include <glib.h>
#include <stdbool.h>

#include "study/model/measured.h"
#include "study/model/study.h"

/* Whether the file has the columns and rows that the study says, and a column for each axis; false and one sentence with
 * file:line. */
bool measured_check(const struct study *study, const struct measured *measured, GError **error);

struct lua_State;

/* Pushes the study and the files as views/measured.lua gets them. Returns 2. */
int measured_push(struct lua_State *L, const struct study *study, const struct measured *files,
                  size_t file_count);
