/* SPDX-License-Identifier: BSD-3-Clause */
/* The rules about axes of designs that do not go together are data: views/rules.lua. */
#pragma once

#include <glib.h>
#include <stdbool.h>

/* Reads them, once, for design_valid (protocols/design.h). False and an error if the file is not there or not good. */
bool design_rules_open(GError **error);
