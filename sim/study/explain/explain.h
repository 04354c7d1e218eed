/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the time of a point's operations went. */
#pragma once

#include "script/views/listener.h"

/* A listener that adds up the stages of operations and follows the critical paths of iterations: its result is for
 * views/explain.lua. To be freed with view_listener_free; NULL and one sentence if views/observed.lua cannot be run. */
struct view_listener *explanation_new(const char *file, GError **error);
