/* SPDX-License-Identifier: BSD-3-Clause */
/* Shows the progress of a run on standard error. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "study/model/study.h"

struct progress {
    const char *mode; /* as in progress_begin */
    const char *name; /* of the scenario */
    const char *best; /* the column of the measure `best`, or NULL */
    bool has_least;
    double least;          /* the least value of that measure so far */
    uint64_t memory_bytes; /* the peak memory of a point so far */
    size_t known, points;  /* points from the store; all points */
    int64_t start_us;      /* g_get_monotonic_time */
    struct lua_State *L;   /* of views/progress.lua; NULL: nothing was shown yet */
};

/* Starts the clock. What is shown after a point is a mode of views/progress.lua ("plain", "json", "bar", "seldom"; NULL: nothing). `name` (the study's) and `best`, a measure whose least value is shown (NULL: none), must outlive `progress`. */
void progress_begin(struct progress *progress, const char *mode, const char *name,
                    const char *best);

/* Sets the number of points, and how many of them were known before. */
void progress_expect(struct progress *progress, size_t known, size_t points);

/* Takes the best value and the peak memory from a row. */
void progress_see(struct progress *progress, const struct row *row);

/* Gives a hint, once, if points like this one, which ran here as number `done`, would take minutes less with a tolerance. */
void progress_notice(struct progress *progress, const struct row *row, size_t done,
                     int64_t duration_us);

/* Shows the progress. `done` includes the points that were known. */
void progress_tell(struct progress *progress, size_t done, size_t failed);

/* Prints a line in any mode, because the user has asked (SIGUSR1). */
void progress_answer(struct progress *progress, size_t done, size_t failed);

/* Replaces a bar by the duration of the run, and frees what progress_begin and others have made. */
void progress_end(struct progress *progress);
