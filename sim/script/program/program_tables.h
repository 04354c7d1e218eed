/* SPDX-License-Identifier: BSD-3-Clause */
/* What `program { ... }` and `schedule { ... }` take, for who knows nothing of Lua. */
#pragma once

#include "core/param.h"

extern struct param_table program_params, schedule_params;
