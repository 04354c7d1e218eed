/* SPDX-License-Identifier: BSD-3-Clause */
/* How far a run is, told on standard error. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "study/model/study.h"

enum progress_mode {
    PROGRESS_NONE,
    PROGRESS_PLAIN,  /* a line at every tenth of the points */
    PROGRESS_JSON,   /* a JSON object a line at every point */
    PROGRESS_BAR,    /* one line that is drawn again, at most some times a second */
    PROGRESS_SELDOM, /* a line every 30 s: none for a run that is shorter */
};

/* "auto" (a bar if standard error is a terminal, else a line every 30 s, or none if the environment's
 * GPUNETSIM_PROGRESS is none), "plain", "json", "none".
 * False if `name` is none of them. */
bool progress_parse(const char *name, enum progress_mode *mode);

struct progress {
    enum progress_mode mode;
    const char *name; /* of the scenario */
    const char *best; /* column of a measure, or NULL */
    bool has_least;
    double least;          /* of that measure so far */
    uint64_t memory_bytes; /* the most that a point has held */
    bool has_noticed;      /* that a tolerance would save time */
    size_t known, points;  /* from the store; in all */
    int64_t start_us;      /* g_get_monotonic_time */
    int64_t shown_us;      /* PROGRESS_BAR, PROGRESS_SELDOM: drawn or told last */
    size_t tenths;         /* PROGRESS_PLAIN: told so far */
};

/* Starts the clock. `name`, the study, and `best`, a measure whose least value is shown (NULL: none), have to outlive it. */
void progress_begin(struct progress *progress, enum progress_mode mode, const char *name,
                    const char *best);

/* How many points there are, and how many of them were known before. */
void progress_expect(struct progress *progress, size_t known, size_t points);

/* Looks at a row for the best value, and at its memory. */
void progress_see(struct progress *progress, const struct row *row);

/* Says once if points like this one, which was run here as the `done`th, would take minutes less with a tolerance. */
void progress_notice(struct progress *progress, const struct row *row, size_t done,
                     int64_t duration_us);

/* `done` counts those that were known. */
void progress_tell(struct progress *progress, size_t done, size_t failed);

/* A line in any mode: somebody has asked. */
void progress_answer(struct progress *progress, size_t done, size_t failed);

/* In the bar's place tells how long it took: the one thing that is not the same in two runs, so it
 * goes to terminals alone. */
void progress_end(const struct progress *progress);
