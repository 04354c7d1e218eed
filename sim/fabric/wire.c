/* SPDX-License-Identifier: BSD-3-Clause */
#include "fabric/wire.h"

#define SPEC struct wire_spec
static const struct param rows[] = {WIRE_ROWS(PARAM_ENTRY)};
#undef SPEC
static PARAM_TABLE(wire_table, "wire", struct wire_spec, rows, "A link.");
const struct param_record wire_rows = {.table = &wire_table};
