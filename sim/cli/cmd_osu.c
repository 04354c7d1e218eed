/* SPDX-License-Identifier: BSD-3-Clause */
/* gpunetsim osu latency|bw|bibw|mbw_mr: the study benchmarks/osu.lua, in the layout in which the OSU suite prints. */
#include <glib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/study_command.h"

enum setting { DESIGN, PLACEMENT, BUFFERS, MACHINE, WINDOW, PAIRS, SIZES, SETTINGS };
static const char *const setting_names[SETTINGS] = {"design", "placement", "buffers", "machine",
                                                    "window", "pairs",     "sizes"};

struct osu_request {
    char *settings[SETTINGS]; /* as typed; NULL: the study's own */
    gboolean exact;
    struct run_options common;
};

static bool parse(const struct command *command, int *argc, char ***argv,
                  struct osu_request *request, GError **error)
{
    const GOptionEntry own[] = {
        {"design", 'd', 0, G_OPTION_ARG_STRING, &request->settings[DESIGN],
         "Runtime, and how GPU data travel (default: openmpi-d; \"gpunetsim list designs\" has "
         "them all)",
         "DESIGN"},
        {"placement", 'p', 0, G_OPTION_ARG_STRING, &request->settings[PLACEMENT],
         "Where the ranks are: intra-socket, cross-socket, inter-node (default: intra-socket)",
         "PLACEMENT"},
        {"buffers", 'b', 0, G_OPTION_ARG_STRING, &request->settings[BUFFERS],
         "Memory of the messages: device, host (default: device)", "MEMORY"},
        {"machine", 'm', 0, G_OPTION_ARG_FILENAME, &request->settings[MACHINE],
         "Machine file, or a machine of the project (default: summit)", "MACHINE"},
        {"window", 'W', 0, G_OPTION_ARG_STRING, &request->settings[WINDOW],
         "Messages of an iteration (default: 64)", "COUNT"},
        {"pairs", 0, 0, G_OPTION_ARG_STRING, &request->settings[PAIRS],
         "Pairs that communicate at a time (default: 2)", "COUNT"},
        {"sizes", 0, 0, G_OPTION_ARG_STRING, &request->settings[SIZES],
         "Sizes of the messages: powers of two from one to another, such as 8B:1MiB, or a list, "
         "such as 8B,1000B,1MiB (default: 1B:4MiB)",
         "FROM:TO|SIZE,..."},
        {"exact", 0, 0, G_OPTION_ARG_NONE, &request->exact,
         "Simulate every iteration, even if they repeat", NULL},
        {0},
    };
    g_autofree GOptionEntry *entries = run_options_entries(&request->common, "set workers", own);
    return command_parse(command, argc, argv, entries, 1, 1, error);
}

int cmd_osu(const struct command *command, int argc, char **argv)
{
    struct osu_request request = {.common = RUN_OPTIONS_DEFAULT};
    GError *error = NULL;
    if (!parse(command, &argc, &argv, &request, &error))
        return command_fail(error);
    const struct study_setting last[] = {
        {"benchmark", argv[1]}, {"exact", request.exact ? "true" : NULL}, {NULL, NULL}};
    struct study_setting settings[SETTINGS + G_N_ELEMENTS(last)];
    for (size_t i = 0; i < SETTINGS; i++)
        settings[i] = (struct study_setting){setting_names[i], request.settings[i]};
    memcpy(settings + SETTINGS, last, sizeof last);
    return command_run_study(command, "benchmarks/osu.lua", "osu:-", settings, &request.common);
}
