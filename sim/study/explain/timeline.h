/* SPDX-License-Identifier: BSD-3-Clause */
/* Timelines: a listener (core/observe.h) that writes what happens as Chrome's trace events in JSON, which Perfetto opens.
 *
 * Models tell what has happened when they know it, not in its order, so records go to a temporary file, which is mapped into memory
 * and sorted there when they are written: the system can write its pages back, however long a run is. */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdio.h>

#include "core/observe.h"

struct timeline_filter {
    sim_time from_ps, to_ps; /* events that begin within; to_ps SIM_TIME_MAX: no end */
    char *const *only;  /* NULL-ended: tracks whose "path/name" contains one of these; NULL: all */
    int64_t most_bytes; /* of the file: what comes later is left out */
};

struct timeline;

/* The filter's texts are kept by the caller. */
struct timeline *timeline_new(const struct timeline_filter *filter);
void timeline_free(struct timeline *timeline);

/* The listener for the next point, whose processes are called "NAME path" (NULL: by their paths alone); several lie over each
 * other, each from time 0. The timeline's. */
struct observe_listener *timeline_listener(struct timeline *timeline, const char *name);

/* Points may run in child processes, which pass on what they have recorded: timeline_pack returns it in the child (a
 * floating reference), and timeline_take adds it in the parent. timeline_is_open returns false and one sentence if there
 * is no temporary file. */
#define TIMELINE_TYPE "(ttia(ssb))"
bool timeline_is_open(const struct timeline *timeline, GError **error);
GVariant *timeline_pack(struct timeline *timeline);
void timeline_take(struct timeline *timeline, GVariant *packed);

/* Whether the filter leaves any track; if not, false and one sentence. */
bool timeline_shows(const struct timeline *timeline, GError **error);

/* Writes all of it to `file` (views/timeline.lua), once. What was written and left out, in sentences, which the caller frees with
 * g_free; NULL and one sentence if reading or writing fails. */
char *timeline_write(struct timeline *timeline, FILE *file, GError **error);
