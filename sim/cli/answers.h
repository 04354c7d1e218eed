/* SPDX-License-Identifier: BSD-3-Clause */
/* What explain, sensitivity and solve write of what they found: files whose ending is the format. */
#pragma once

#include "cli/run_options.h"
#include "study/vary/variants.h"

/* Whether each -o ends in one of `endings` (".csv or .json"). False and one sentence. */
bool answers_check(const struct run_options *options, const char *endings, GError **error);

/* Whether each can be written, before anything is run; `path` is the study's file as named. */
bool answers_prepare(const struct run_options *options, const struct study *study, const char *path,
                     GError **error);

/* The study as variants, with outputs that may be written and its store open in `resolved` (run_options_close). NULL and one
 * sentence if something is bad. */
struct variants *answers_variants(const struct run_options *options, const char *path,
                                  struct runner_options *resolved, GError **error);

/* Whether one of them is a figure. */
bool answers_draw(const struct run_options *options);

/* Prints what is found, or its JSON with --json, and writes each -o. `texts` are what is shown, the CSV and the JSON, and of what can
 * be drawn the scripts of its figure (figure_draw) if answers_draw says so. */
bool answers_give(const struct run_options *options, const char *path, char *const *texts,
                  GError **error);
