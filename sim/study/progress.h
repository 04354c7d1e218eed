/* How far a run is, told on standard error. */
#ifndef GPUNETSIM_STUDY_PROGRESS_H
#define GPUNETSIM_STUDY_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum progress_mode {
    PROGRESS_NONE,
    PROGRESS_PLAIN, /* a line at every tenth of the points */
    PROGRESS_JSON,  /* a JSON object a line at every point */
    PROGRESS_BAR,   /* one line that is drawn again */
};

/* "auto" (a bar if standard error is a terminal, else nothing), "plain", "json", "none".
 * False if `name` is none of them. */
bool progress_parse(const char *name, enum progress_mode *mode);

struct progress {
    enum progress_mode mode;
    const char *name; /* of the scenario */
    size_t points;
    int64_t start_us; /* g_get_monotonic_time */
    size_t tenths;    /* PROGRESS_PLAIN: told so far */
};

/* A callback for struct workers_job; `progress` is a struct progress. */
void progress_tell(void *progress, size_t done, size_t failed);

/* In the bar's place tells how long it took: the one thing that is not the same in two runs, so it
 * goes to terminals alone. */
void progress_end(const struct progress *progress);

#endif
