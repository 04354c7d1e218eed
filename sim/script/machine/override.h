/* SPDX-License-Identifier: BSD-3-Clause */
/* Overrides from the command line: "nic.doorbell_latency=5ns", "nodes=4" for the top level, or an axis of all
 * designs that are used, "design.polling_rounds=1". */
#pragma once

#include <glib.h>
#include <stdbool.h>

#include "protocols/design.h"
#include "study/model/study.h"

/* The beginning of an override of a study's setting: "study.window=8" (study/settings_lua.h). */
#define OVERRIDE_SETTING "study."
bool override_is_setting(const char *override);

/* Applies to the machine each override of a NULL-ended list (NULL: none) that is not for designs, and notes it in the
 * provenance. False and an error at the first override that is wrong. */
bool override_all(struct machine *machine, const char *const *overrides, GError **error);

/* Applies the overrides for designs. False and one sentence if the resulting axes cannot be combined. */
bool override_design(struct design *design, const char *const *overrides, GError **error);

/* Whether no override changes an axis of a design, for commands that use only a machine; else one sentence. */
bool overrides_are_of_machine(const char *const *overrides, GError **error);

/* Checks overrides as far as that is possible before there is a machine. */
bool overrides_valid(const char *const *overrides, GError **error);
