/* SPDX-License-Identifier: BSD-3-Clause */
/* What `program { ... }` and `schedule { ... }` take, for who knows nothing of Lua. */
#ifndef GPUNETSIM_SCRIPT_PROGRAM_PROGRAM_TABLES_H
#define GPUNETSIM_SCRIPT_PROGRAM_PROGRAM_TABLES_H

#include "core/param.h"

extern struct param_table program_params, schedule_params;

#endif
