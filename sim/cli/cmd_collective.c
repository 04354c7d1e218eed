/* SPDX-License-Identifier: BSD-3-Clause */
/* gpunetsim collective OPERATION: the study benchmarks/collective.lua, in the layout in which nccl-tests prints. */
#include <glib.h>

#include "cli/study_command.h"

int cmd_collective(const struct command *command, int argc, char **argv)
{
    enum { FROM, TO, FACTOR, GPUS, NODES, TYPE, MACHINE, PROTOCOL, WAY, VERSION, SETTINGS };
    struct study_setting settings[] = {{"from", NULL},    {"to", NULL},        {"factor", NULL},
                                       {"gpus", NULL},    {"nodes", NULL},     {"type", NULL},
                                       {"machine", NULL}, {"protocol", NULL},  {"how", NULL},
                                       {"version", NULL}, {"operation", NULL}, {"explain", NULL},
                                       {NULL, NULL}};
    struct run_options common = RUN_OPTIONS_DEFAULT;
    char *output = NULL;
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
    settings[SETTINGS].value = argv[1];
    settings[SETTINGS + 1].value = explain ? "true" : NULL;
    return command_run_study(command, "benchmarks/collective.lua", output ? output : "osu:-",
                             settings, &common);
}
