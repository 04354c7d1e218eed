/* Options that all commands which run points have. */
#ifndef GPUNETSIM_CLI_RUN_OPTIONS_H
#define GPUNETSIM_CLI_RUN_OPTIONS_H

#include <glib.h>
#include <stdbool.h>

#include "study/experiment.h"

/* As given on the command line; see run_options_entries. */
struct run_options {
    int workers;
    gint64 seed;
    char *progress;
    gboolean no_plot;
    char *out;
};

#define RUN_OPTIONS_DEFAULT                                                                        \
    {                                                                                              \
        .seed = 1                                                                                  \
    }

/* Entries for command_parse that fill `options`: -j, --seed, --progress, --no-plot, --out. */
#define RUN_OPTIONS_ENTRIES(options)                                                               \
    {"workers",                                                                                    \
     'j',                                                                                          \
     0,                                                                                            \
     G_OPTION_ARG_INT,                                                                             \
     &(options).workers,                                                                           \
     "Points run at a time (default: one a core)",                                                 \
     "N"},                                                                                         \
        {"seed", 0, 0, G_OPTION_ARG_INT64, &(options).seed, "Master seed (default: 1)", "N"},      \
        {"progress",                                                                               \
         0,                                                                                        \
         0,                                                                                        \
         G_OPTION_ARG_STRING,                                                                      \
         &(options).progress,                                                                      \
         "auto (a bar on a terminal), plain, json or none",                                        \
         "MODE"},                                                                                  \
        {"no-plot", 0, 0, G_OPTION_ARG_NONE, &(options).no_plot, "Draw no figures", NULL},         \
    {                                                                                              \
        "out", 0, 0, G_OPTION_ARG_FILENAME, &(options).out, "Folder for what is written", "DIR"    \
    }

/* Checks them and turns them into what an experiment needs. False and one sentence if they are bad.
 */
bool run_options_resolve(const struct run_options *options, struct experiment_options *resolved,
                         GError **error);
void run_options_clear(struct run_options *options);

/* Draws the figures and writes them into `folder`, unless no point has a result. */
bool run_options_draw(struct experiment *experiment, const char *folder, GError **error);

/* Writes all results into `folder`/results.csv. */
bool run_options_write_results(const struct experiment *experiment, const char *folder,
                               GError **error);

#endif
