/* SPDX-License-Identifier: BSD-3-Clause */
/* Options that the commands which run variants of points share. */
#ifndef GPUNETSIM_CLI_VARY_OPTIONS_H
#define GPUNETSIM_CLI_VARY_OPTIONS_H

#include "cli/run_options.h"
#include "study/vary/variants.h"

struct vary_options {
    struct run_options run;
    char **points, **overrides, **outputs, *measure;
    gboolean as_json;
};

#define VARY_OPTIONS_DEFAULT                                                                       \
    {                                                                                              \
        .run = RUN_OPTIONS_DEFAULT                                                                 \
    }

/* Appends --point, --measure, --set, -o, --json, -j, --seed, --store, --progress and --force. */
void vary_options_add(struct vary_options *options, GArray *entries);
void vary_options_clear(struct vary_options *options);

/* Whether each -o ends in one of `endings` (NULL-ended). False and one sentence. */
bool vary_options_check_outputs(const struct vary_options *options, const char *const *endings,
                                GError **error);

/* The study with the options as variants, its store open in `resolved` (run_options_close), and its points that are asked for (of
 * guint). Outputs may be written. NULL and one sentence if something is bad. */
struct variants *vary_options_open(const struct vary_options *options, const char *path,
                                   struct runner_options *resolved, GArray **points,
                                   GError **error);

/* Writes `text` to the output of that name. */
bool vary_options_write(const struct vary_options *options, const char *output, const char *text,
                        size_t length, const char *path, GError **error);

#endif
