/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the time of a point's operations went. */
#pragma once

#include "script/views/listener.h"

/* What views/observed.lua is told of a design: a view_describe. */
GVariant *explain_design(const struct design *d);
