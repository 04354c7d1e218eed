/* Points run in worker processes: one process a point, several at a time.
 *
 * A simulated platform lives as long as its process (SimGrid's limit), a failed check ends the
 * process, and what one point leaves behind in memory must not be seen by the next: a fork for each
 * point gives all three. Rows come back in the order of the points, so the result does not depend
 * on the number of workers. */
#ifndef GPUNETSIM_STUDY_WORKERS_H
#define GPUNETSIM_STUDY_WORKERS_H

#include <glib.h>
#include <stddef.h>

#include "script/script.h"

struct workers_job {
    const struct axis *axes; /* their product is the number of points */
    size_t axis_count;
    unsigned workers; /* processes at a time, at least 1 */

    /* Called in a child process; what it changes is lost. Never returns NULL. */
    struct row *(*run)(void *context, size_t point);
    void *context;

    /* Called in the parent after each point; may be NULL. */
    void (*progress)(void *context, size_t done, size_t failed);
    void *progress_context;
};

/* The cores of this machine. */
unsigned workers_default(void);

/* Runs all points and returns their rows, an array with one for each. A point whose process
 * ends without a row (signal, failed check) is a row with `failure` that carries what the process
 * said. NULL and an error if interrupted or if no process can be made; all workers have ended then.
 */
struct row **workers_run(const struct workers_job *job, GError **error);
void workers_free_rows(struct row **rows, size_t count);

#endif
