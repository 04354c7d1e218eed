/* Options that all commands which run points have. */
#ifndef GPUNETSIM_CLI_RUN_OPTIONS_H
#define GPUNETSIM_CLI_RUN_OPTIONS_H

#include <glib.h>
#include <stdbool.h>

#include "study/experiment.h"

/* As given on the command line; see run_options_add. */
struct run_options {
    int workers; /* or WORKERS_NOT_GIVEN */
    gint64 seed;
    char *progress, *best;
    char *store, *redo, *shard;
    char *time_limit, *memory_limit;
    gboolean no_plot;
    char *out;
};

#define WORKERS_NOT_GIVEN G_MININT

#define RUN_OPTIONS_DEFAULT                                                                        \
    {                                                                                              \
        .workers = WORKERS_NOT_GIVEN, .seed = 1                                                    \
    }

/* Appends the options to a list of GOptionEntry that ends with an empty one: a zero-terminated
 * GArray. */
void run_options_add(struct run_options *options, GArray *entries);
GArray *run_options_new_entries(void);
void run_options_add_entry(GArray *entries, GOptionEntry entry);

/* Checks them and turns them into what an experiment needs; opens the store, which
 * run_options_close closes. False and one sentence if they are bad. */
bool run_options_resolve(const struct run_options *options, struct runner_options *resolved,
                         GError **error);
/* The number of workers: as given, or one a core. False and one sentence if it is out of range. */
bool run_options_resolve_workers(int given, unsigned *workers, GError **error);
void run_options_close(struct runner_options *resolved);
void run_options_clear(struct run_options *options);

/* Draws the figures and writes them into `folder`, unless no point has a result. */
bool run_options_draw(struct experiment *experiment, const char *folder, GError **error);

/* Writes all results into `folder`/results.csv. */
bool run_options_write_results(const struct experiment *experiment, const char *folder,
                               GError **error);

#endif
