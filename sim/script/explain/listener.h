/* SPDX-License-Identifier: BSD-3-Clause */
/* Listeners to simulations (core/observe.h) that are files in views/. */
#pragma once

#include <glib.h>

#include "core/observe.h"

struct view_listener;

/* views/FILE.lua returns the functions operation, step, counted_on, reset and begin, or instead of operation and step only a
 * function call; these are called as the functions of the same names in struct observe_listener. It also returns the functions
 * stages, which is first given a list of all (name, component, description) in the order of enum stage; design, which is given
 * a number and a table for each design before it occurs in other calls; and result. Programs that simulate at the same time are
 * told apart by an address. NULL and one sentence if the file cannot be run. */
struct view_listener *view_listener_new(const char *file, GError **error);
void view_listener_free(struct view_listener *view);

struct observe_listener *view_listener_of(struct view_listener *view);

/* The text that the function `result` returns, for the caller to free with g_free; NULL and one sentence (ERROR_RUN) if one of
 * the functions has failed. */
char *view_listener_result(struct view_listener *view, GError **error);
