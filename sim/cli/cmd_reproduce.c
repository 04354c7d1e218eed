/* SPDX-License-Identifier: BSD-3-Clause */
/* gpunetsim reproduce */
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/dry_run.h"
#include "cli/run_options.h"
#include "core/error.h"
#include "core/home.h"
#include "core/param.h"
#include "core/shown.h"
#include "script/script.h"
#include "study/report.h"
#include "study/system/interrupt.h"
#include "study/table/output.h"

#define QUICK_MOST_POINTS 300

struct reproduction {
    struct run_options common;
    gboolean quick;
    char *only;
    const char *out;
    char *own_store; /* path of the one in `out`; NULL: another is named */
    struct runner_options options;
    GPtrArray *studies;     /* still to be run */
    GPtrArray *left_out;    /* too long for --quick */
    GPtrArray *experiments; /* done */
    struct claims *claims;
    char *command;      /* as typed */
    GPtrArray *planned; /* outputs (struct output_rules) */
    const char *inputs[2];
    bool failed; /* something went wrong that did not stop the rest */
};

static void free_study(gpointer study)
{
    study_free(study);
}

static void free_experiment(gpointer experiment)
{
    experiment_free(experiment);
}

static void reproduction_clear(struct reproduction *all)
{
    run_options_close(&all->options);
    g_free(all->command);
    g_free(all->own_store);
    claims_free(all->claims);
    g_ptr_array_unref(all->studies);
    g_ptr_array_unref(all->left_out);
    g_ptr_array_unref(all->experiments);
    g_ptr_array_unref(all->planned);
}

static char *command_as_typed(int argc, char **argv)
{
    GString *typed = g_string_new("gpunetsim reproduce");
    for (int i = 1; i < argc; i++) {
        bool plain = argv[i][strcspn(argv[i], " \t\n'\"\\$`*?[]{}()<>|&;#!~")] == '\0' && *argv[i];
        g_autofree char *word = plain ? g_strdup(argv[i]) : g_shell_quote(argv[i]);
        g_string_append_printf(typed, " %s", word);
    }
    return g_string_free(typed, FALSE);
}

static bool parse(const struct command *command, int argc, char **argv, struct reproduction *all,
                  GError **error)
{
    const GOptionEntry own[] = {
        {"quick", 0, 0, G_OPTION_ARG_NONE, &all->quick,
         "Leave out long scenarios and those of more than " G_STRINGIFY(
             QUICK_MOST_POINTS) " points, and bands; the report is report-quick.html",
         NULL},
        {"only", 0, 0, G_OPTION_ARG_STRING, &all->only,
         "Run only this scenario, or the scenarios of this folder", "NAME"},
        {0},
    };
    g_autofree GOptionEntry *entries =
        run_options_entries(&all->common, RUN_OPTIONS_OF_POINTS, own);
    all->command = command_as_typed(argc, argv);
    if (!command_parse(command, &argc, &argv, entries, 0, 0, error))
        return false;
    all->out = all->common.out ? all->common.out : "out";
    /* In the folder of the report, so that what an interrupted or a former run has done is not done again. */
    if (!all->common.store)
        all->common.store = all->own_store = g_build_filename(all->out, "store.db", NULL);
    all->inputs[0] = all->common.store;
    return true;
}

/* --- choosing scenarios -------------------------------------------------------------------------
 */

/* "fig08a_get_latency" of ".../scenarios/compnet/fig08a_get_latency.lua". */
static char *scenario_name(const char *path)
{
    char *name = g_path_get_basename(path);
    name[strlen(name) - strlen(".lua")] = '\0';
    return name;
}

/* Whether the scenario's file is in a folder of this name: "compnet". */
static bool stands_in(const char *path, const char *folder)
{
    g_autofree char *where = g_path_get_dirname(path), *last = g_path_get_basename(where);
    return strcmp(last, folder) == 0;
}

static bool unknown_scenario(const char *name, const GPtrArray *paths, GError **error)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
    for (guint i = 0; i < paths->len; i++)
        g_ptr_array_add(names, scenario_name(g_ptr_array_index(paths, i)));
    for (guint i = 0; i < paths->len; i++) {
        g_autofree char *where = g_path_get_dirname(g_ptr_array_index(paths, i));
        g_ptr_array_add(names, g_path_get_basename(where));
    }
    const char *nearest = param_nearest(name, (const char *const *)names->pdata, names->len);
    return error_set(error,
                     "there is no scenario or folder \"%s\"%s%s; \"gpunetsim list\" shows them all",
                     name, nearest ? ": did you mean " : "", nearest ? nearest : "");
}

static bool add_scenario(struct reproduction *all, const char *path, GError **error)
{
    struct study *study = study_load(path, NULL, error);
    if (!study)
        return false;
    if (all->quick && (study->is_long || study->point_count > QUICK_MOST_POINTS)) {
        if (study->is_long)
            shown_print(stdout, "%s is left out: it takes long.\n", study->name);
        else
            shown_print(stdout, "%s is left out: it has %zu points.\n", study->name,
                        study->point_count);
        g_ptr_array_add(all->left_out, study);
        return true;
    }
    if (all->quick)
        study->band_samples = 0;
    g_ptr_array_add(all->studies, study);
    return true;
}

static bool choose_scenarios(struct reproduction *all, GError **error)
{
    g_autoptr(GPtrArray) paths = home_scenarios(error);
    bool found = false;
    for (guint i = 0; paths && i < paths->len; i++) {
        g_autofree char *name = scenario_name(g_ptr_array_index(paths, i));
        if (all->only && strcmp(all->only, name) != 0 &&
            !stands_in(g_ptr_array_index(paths, i), all->only))
            continue;
        found = true;
        if (!add_scenario(all, g_ptr_array_index(paths, i), error))
            return false;
    }
    if (paths && all->only && !found)
        return unknown_scenario(all->only, paths, error);
    return paths != NULL;
}

static bool read_claims(struct reproduction *all, GError **error)
{
    g_autofree char *stated = home_path("claims/claims.tsv", error);
    g_autofree char *modelled = stated ? home_path("claims/modelled.tsv", error) : NULL;
    g_autofree char *restated = modelled ? home_path("claims/restated.tsv", error) : NULL;
    all->claims = restated ? claims_open(stated, modelled, restated, error) : NULL;
    return all->claims != NULL;
}

/* --- running them -------------------------------------------------------------------------------
 */

static struct output_rules rules_of(const struct reproduction *all)
{
    return (struct output_rules){
        .force = all->common.force, .inputs = all->inputs, .planned = all->planned};
}

/* Without gnuplot the numbers are still worth having: it is said once, and no figure is tried
 * again. */
static void draw(struct reproduction *all, struct experiment *experiment, const char *folder,
                 const struct output_rules *rules)
{
    GError *error = NULL;
    if (all->common.no_plot || run_options_draw(experiment, folder, rules, &error))
        return;
    all->failed = true;
    all->common.no_plot =
        !g_error_matches(error, ERROR_DOMAIN, ERROR_USE); /* that is one study's */
    if (interrupt_pending(NULL))
        g_error_free(error);
    else
        command_fail(error);
}

static bool run_scenario(struct reproduction *all, struct study *study, GError **error)
{
    g_autofree char *folder = run_options_folder(all->out, study, error);
    g_autofree char *path = g_strdup(study->path);
    struct output_rules rules = rules_of(all);
    rules.owner = path;
    if (!folder ||
        !run_options_prepare_folder(study, folder, true, !all->common.no_plot, &rules, error)) {
        study_free(study);
        return false;
    }
    struct experiment *experiment = experiment_run(study, &all->options, error);
    if (!experiment)
        return false;
    g_ptr_array_add(all->experiments, experiment);
    g_autofree char *failure = experiment_failure(experiment);
    if (failure) {
        command_tell("%s", failure);
        all->failed = true;
    }
    if (!run_options_write_results(experiment, folder, &rules, error))
        return false;
    draw(all, experiment, folder, &rules);
    shown_print(stdout, "%s: %zu points, %zu failed; %s\n", study->name, experiment->row_count,
                experiment->failed, folder);
    fflush(stdout);
    if (!experiment_answer(experiment, all->claims, error))
        return false;
    if (experiment->claim_failure) {
        command_tell("%s", experiment->claim_failure);
        all->failed = true;
    }
    return !interrupt_pending(error);
}

static bool run_scenarios(struct reproduction *all, GError **error)
{
    while (all->studies->len > 0) {
        struct study *study = g_ptr_array_steal_index(all->studies, 0);
        if (!run_scenario(all, study, error))
            return false;
    }
    return true;
}

/* --- what is left behind ------------------------------------------------------------------------
 */

/* "out/report.html"; of a part of the scenarios "out/report-compnet.html" or "out/report-quick.html", so that
 * it does not replace what is there of all. */
static char *answer_path(const struct reproduction *all, const char *name, const char *ending)
{
    g_autofree char *file = g_strconcat(name, all->only ? "-" : "", all->only ? all->only : "",
                                        all->left_out->len > 0 ? "-quick" : "", ending, NULL);
    return g_build_filename(all->out, file, NULL);
}

/* What is there must be replaceable before hours are spent. */
static bool prepare_answers(const struct reproduction *all, GError **error)
{
    const struct output_rules rules = rules_of(all);
    g_autofree char *claims = answer_path(all, "claims", ".csv");
    g_autofree char *report = answer_path(all, "report", ".html");
    return output_prepare_folder(all->out, error) && output_prepare_file(claims, &rules, error) &&
           output_prepare_file(report, &rules, error);
}

static bool write_file(const struct reproduction *all, const char *name, const char *ending,
                       const char *text, GError **error)
{
    const struct output_rules rules = rules_of(all);
    g_autofree char *path = answer_path(all, name, ending);
    return output_write(path, text, strlen(text), &rules, error);
}

/* `counts` is a sentence on what has come of the claims. */
static void print_summary(const struct reproduction *all, const char *counts)
{
    g_autofree char *csv = answer_path(all, "claims", ".csv");
    g_autofree char *page = answer_path(all, "report", ".html");
    shown_print(stdout, "%s; with scenario or place in %s\nReport: %s\n", counts, csv, page);
}

static bool write_answers(struct reproduction *all, GError **error)
{
    struct report report = {.experiments = all->experiments,
                            .left_out = all->left_out,
                            .claims = all->claims,
                            .command = all->command,
                            .seed = all->options.seed};
    g_auto(GStrv) written = claims_texts(all->claims, "written", error);
    g_autofree char *page = written ? report_html(&report, error) : NULL;
    if (!page || !write_file(all, "claims", ".csv", written[0], error) ||
        !write_file(all, "report", ".html", page, error))
        return false;
    print_summary(all, written[1]);
    return true;
}

/* What all scenarios would take. One that fails does not stop the others. */
static bool tell_costs(struct reproduction *all, GError **error)
{
    struct runner_costs total = {.points = 0};
    for (guint i = 0; i < all->studies->len; i++) {
        GError *fault = NULL;
        struct study *study = g_ptr_array_index(all->studies, i);
        if (dry_run(study, &all->options, &total, &fault))
            continue;
        if (interrupt_pending(NULL)) {
            g_propagate_error(error, fault);
            return false;
        }
        command_fail(fault);
        all->failed = true;
    }
    if (all->studies->len > 1)
        dry_run_tell("all", &total, all->options.workers);
    return true;
}

static bool reproduce(struct reproduction *all, GError **error)
{
    if (all->common.dry_run)
        return choose_scenarios(all, error) &&
               run_options_resolve(&all->common, &all->options, error) && tell_costs(all, error);
    return read_claims(all, error) && choose_scenarios(all, error) && prepare_answers(all, error) &&
           run_options_resolve(&all->common, &all->options, error) && run_scenarios(all, error) &&
           write_answers(all, error);
}

int cmd_reproduce(const struct command *command, int argc, char **argv)
{
    struct reproduction all = {.common = RUN_OPTIONS_DEFAULT,
                               .studies = g_ptr_array_new_with_free_func(free_study),
                               .left_out = g_ptr_array_new_with_free_func(free_study),
                               .experiments = g_ptr_array_new_with_free_func(free_experiment),
                               .planned = g_ptr_array_new_with_free_func(g_free)};
    GError *error = NULL;
    bool good = parse(command, argc, argv, &all, &error) && reproduce(&all, &error);
    bool failed = all.failed;
    reproduction_clear(&all);
    if (!good)
        return command_fail(error);
    return failed ? EXIT_CODE_FAILED : EXIT_CODE_OK;
}
