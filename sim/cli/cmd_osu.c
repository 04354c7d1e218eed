/* SPDX-License-Identifier: BSD-3-Clause */
/* gpunetsim osu latency|bw|bibw|mbw_mr: the study benchmarks/osu.lua, in the layout in which the OSU suite prints. */
#include <glib.h>

#include "cli/command.h"
#include "cli/run_options.h"
#include "core/home.h"

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

/* Adds -s study.NAME=VALUE. */
static void add_setting(GPtrArray *words, const char *name, const char *value)
{
    g_ptr_array_add(words, g_strdup("-s"));
    g_ptr_array_add(words, g_strdup_printf("study.%s=%s", name, value));
}

/* The words of `gpunetsim run` for the request. To be freed with g_ptr_array_unref. */
static GPtrArray *run_words(const struct osu_request *request, const char *benchmark,
                            const char *study)
{
    static const char *const fixed[] = {"gpunetsim", "--no-plot", "-o", "osu:-"};
    GPtrArray *words = g_ptr_array_new_with_free_func(g_free);
    for (size_t i = 0; i < G_N_ELEMENTS(fixed); i++)
        g_ptr_array_add(words, g_strdup(fixed[i]));
    g_ptr_array_add(words, g_strdup(study));
    add_setting(words, "benchmark", benchmark);
    for (size_t i = 0; i < SETTINGS; i++)
        if (request->settings[i])
            add_setting(words, setting_names[i], request->settings[i]);
    if (request->exact)
        add_setting(words, "exact", "true");
    for (char **override = request->common.overrides; override && *override; override++) {
        g_ptr_array_add(words, g_strdup("-s"));
        g_ptr_array_add(words, g_strdup(*override));
    }
    if (request->common.workers != WORKERS_NOT_GIVEN)
        g_ptr_array_add(words, g_strdup_printf("--workers=%d", request->common.workers));
    g_ptr_array_add(words, NULL);
    return words;
}

int cmd_osu(const struct command *command, int argc, char **argv)
{
    struct osu_request request = {.common = RUN_OPTIONS_DEFAULT};
    GError *error = NULL;
    if (!parse(command, &argc, &argv, &request, &error))
        return command_fail(error);
    g_autofree char *study = home_path("benchmarks/osu.lua", &error);
    if (!study)
        return command_fail(error);
    g_autoptr(GPtrArray) words = run_words(&request, argv[1], study);
    return cmd_run(command, (int)words->len - 1, (char **)words->pdata);
}
