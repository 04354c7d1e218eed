/* SPDX-License-Identifier: BSD-3-Clause */
/* A machine's numbers and where each comes from, as a table. */
#pragma once

#include "study/table/table.h"

/* Columns: parameter, value, origin ("default", "given", "published", ...), range ("low..high" of
 * an estimate or a fit), source (for a fitted value the claims it was fitted to, too). */
struct table *provenance_table(const struct machine *machine);
