/* SPDX-License-Identifier: BSD-3-Clause */
/* The rules about axes of designs that cannot be combined are data: views/rules.lua. */
#pragma once

#include <glib.h>
#include <stdbool.h>

/* Reads the rules, once, for design_valid (protocols/design.h). False and an error if the file is missing or bad. */
bool design_rules_open(GError **error);
