/* SPDX-License-Identifier: BSD-3-Clause */
/* Explains where the time of a point's operations went. */
#pragma once

#include "script/views/listener.h"

/* The description of a design for views/observed.lua: a view_describe. */
GVariant *explain_design(const struct design *d);
