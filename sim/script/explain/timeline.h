/* SPDX-License-Identifier: BSD-3-Clause */
/* Timelines: a listener (core/observe.h) that records a run's events; views/timeline.lua writes them as Chrome trace events in JSON,
 * which Perfetto opens.
 *
 * Models report events out of order, so records go to a temporary file that is mapped into memory and sorted before output: the
 * system can write its pages back, however long a run is. */
#pragma once

#include <glib.h>
#include <lua.h>
#include <stdbool.h>

#include "core/observe.h"

struct timeline_filter {
    sim_time from_ps, to_ps; /* only events that begin in this range; to_ps SIM_TIME_MAX: no end */
    char **only; /* NULL-ended: tracks whose "path/name" contains one of these; NULL: all */
};

struct timeline;

/* Takes the filter's texts over. */
struct timeline *timeline_new(const struct timeline_filter *filter);
void timeline_free(struct timeline *timeline);

/* The listener for the next point, owned by the timeline. The point's processes are called "NAME path" (name NULL: "path").
 * Several points overlap, each from time 0. */
struct observe_listener *timeline_listener(struct timeline *timeline, const char *name);

/* Points may run in child processes: in the child timeline_pack returns what it has recorded (a floating reference); in the
 * parent timeline_take adds it. timeline_is_open returns false and one sentence if there is no temporary file. */
#define TIMELINE_TYPE "(ttia(ssb))"
bool timeline_is_open(const struct timeline *timeline, GError **error);
GVariant *timeline_pack(struct timeline *timeline);
void timeline_take(struct timeline *timeline, GVariant *packed);

/* Whether the filter lets any track through; if not, false and one sentence. */
bool timeline_shows(const struct timeline *timeline, GError **error);

/* Pushes a function that returns the records in the order of their times, one after the other, and a list of the tracks' paths and
 * names, as views/timeline.lua takes them; call it once. False and one sentence if the temporary file cannot be read. */
bool timeline_push(lua_State *L, struct timeline *timeline, GError **error);
