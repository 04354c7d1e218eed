/* SPDX-License-Identifier: BSD-3-Clause */
/* gpunetsim collective OPERATION: the study benchmarks/collective.lua, in the layout in which nccl-tests prints. */
#include <glib.h>

#include "cli/study_command.h"
#include "core/text_file.h"
#include "script/views/views.h"

/* A plan has some thousand steps a GPU, of a hundred bytes each. */
static const struct text_kind plan_file = {
    .name = "a plan", .most_bytes = INT64_C(16) << 20, .is_utf8 = true};

/* The steps of the plan at `path`, as the study takes them; NULL: it is wrong, or of another operation. */
static char *plan_steps(const char *path, const char *operation, GError **error)
{
    g_autofree char *text = text_file_read(path, &plan_file, NULL, error);
    if (text == NULL)
        return NULL;
    g_auto(GStrv) made =
        views_texts("plan", "steps", g_variant_new("(^ay^ay^ay)", text, path, operation), error);
    return made ? g_strdup(made[0]) : NULL;
}

int cmd_collective(const struct command *command, int argc, char **argv)
{
    enum { FROM, TO, FACTOR, GPUS, NODES, TYPE, MACHINE, PROTOCOL, WAY, VERSION, PLAN, SETTINGS };
    struct study_setting settings[] = {
        {"from", NULL}, {"to", NULL},        {"factor", NULL},   {"gpus", NULL}, {"nodes", NULL},
        {"type", NULL}, {"machine", NULL},   {"protocol", NULL}, {"how", NULL},  {"version", NULL},
        {"plan", NULL}, {"operation", NULL}, {"explain", NULL},  {NULL, NULL}};
    struct run_options common = RUN_OPTIONS_DEFAULT;
    char *output = NULL, *plan = NULL;
    g_autofree char *steps = NULL;
    gboolean explain = FALSE;
    const GOptionEntry own[] = {
        {"minbytes", 'b', 0, G_OPTION_ARG_STRING, &settings[FROM].value,
         "Least size, of the larger of what a GPU gives and gets (default: 512B)", "SIZE"},
        {"maxbytes", 'e', 0, G_OPTION_ARG_STRING, &settings[TO].value,
         "Largest size (default: 512MiB)", "SIZE"},
        {"stepfactor", 'f', 0, G_OPTION_ARG_STRING, &settings[FACTOR].value,
         "From one size to the next (default: 2)", "FACTOR"},
        {"ngpus", 'g', 0, G_OPTION_ARG_STRING, &settings[GPUS].value,
         "GPUs of each node (default: 2)", "COUNT"},
        {"nodes", 0, 0, G_OPTION_ARG_STRING, &settings[NODES].value,
         "Nodes, joined by their NICs (default: 1)", "COUNT"},
        {"datatype", 'd', 0, G_OPTION_ARG_STRING, &settings[TYPE].value,
         "int8, half, float (default: float)", "TYPE"},
        {"machine", 'm', 0, G_OPTION_ARG_FILENAME, &settings[MACHINE].value,
         "Machine file, or a machine of the project (default: h200x2)", "MACHINE"},
        {"protocol", 'p', 0, G_OPTION_ARG_STRING, &settings[PROTOCOL].value,
         "LL, LL128 or Simple (default: what NCCL chooses)", "PROTOCOL"},
        {"how", 0, 0, G_OPTION_ARG_STRING, &settings[WAY].value,
         "launched (each call by itself), graph, or either in symmetric memory: symmetric, "
         "symmetric_graph (default: launched)",
         "HOW"},
        {"library", 'l', 0, G_OPTION_ARG_STRING, &settings[VERSION].value,
         "NCCL's version: 2.28, 2.29, 2.30 (default: 2.29)", "VERSION"},
        {"plan", 0, 0, G_OPTION_ARG_FILENAME, &plan,
         "MSCCL's XML or MSCCL++'s JSON, run beside what NCCL takes", "FILE"},
        {"explain", 0, 0, G_OPTION_ARG_NONE, &explain,
         "Print what NCCL chooses, and where the time goes", NULL},
        {"output", 'o', 0, G_OPTION_ARG_STRING, &output,
         "As of run: csv:-, json:FILE (default: the text of nccl-tests)", "FORM:FILE"},
        {0},
    };
    g_autofree GOptionEntry *entries = run_options_entries(&common, "set workers", own);
    GError *error = NULL;
    if (!command_parse(command, &argc, &argv, entries, 1, 1, &error))
        return command_fail(error);
    if (plan != NULL && (steps = plan_steps(plan, argv[1], &error)) == NULL)
        return command_fail(error);
    settings[PLAN].value = steps;
    settings[SETTINGS].value = argv[1];
    settings[SETTINGS + 1].value = explain ? "true" : NULL;
    return command_run_study(command, "benchmarks/collective.lua", output ? output : "osu:-",
                             settings, &common);
}
