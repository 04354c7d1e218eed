/* SPDX-License-Identifier: BSD-3-Clause */
/* A machine as the text of a machine file: every number that its own file gave, with its source; defaults are left out. */
#ifndef GPUNETSIM_STUDY_CALIBRATION_MACHINE_TEXT_H
#define GPUNETSIM_STUDY_CALIBRATION_MACHINE_TEXT_H

#include <glib.h>
#include <stdbool.h>

#include "study/model/machine.h"

/* Writes what is to stand for the parameter of this path instead ("measured(...)") to `lua`; false: nothing does. */
typedef bool machine_text_instead(void *context, GString *lua, const char *path,
                                  const struct param *param);

/* The text, for the caller to g_free; `header` is a comment without its dashes, lines separated by line ends. `instead` may be
 * NULL. */
char *machine_text(const struct machine *machine, const char *header, machine_text_instead *instead,
                   void *context);

/* Appends a parameter's value as it stands in a machine file: numbers without a unit and flags bare, all else in quotes. */
void machine_text_append_value(GString *lua, const struct param *param, const char *text);

#endif
