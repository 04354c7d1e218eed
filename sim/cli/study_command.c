/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/study_command.h"

#include <glib.h>

#include "core/home.h"

static void add(GPtrArray *words, const char *option, char *value)
{
    g_ptr_array_add(words, g_strdup(option));
    g_ptr_array_add(words, value);
}

int command_run_study(const struct command *command, const char *study, const char *output,
                      const struct study_setting *settings, const struct run_options *options)
{
    GError *error = NULL;
    char *path = home_path(study, &error);
    if (path == NULL)
        return command_fail(error);
    g_autoptr(GPtrArray) words = g_ptr_array_new_with_free_func(g_free);
    add(words, "gpunetsim", g_strdup("--no-plot"));
    add(words, "-o", g_strdup(output));
    g_ptr_array_add(words, path);
    for (; settings->name != NULL; settings++)
        if (settings->value != NULL)
            add(words, "-s", g_strdup_printf("study.%s=%s", settings->name, settings->value));
    for (char **override = options->overrides; override && *override; override++)
        add(words, "-s", g_strdup(*override));
    if (options->store != NULL)
        add(words, "--store", g_strdup(options->store));
    if (options->force)
        g_ptr_array_add(words, g_strdup("--force"));
    if (options->dry_run)
        g_ptr_array_add(words, g_strdup("--dry-run"));
    if (options->workers != WORKERS_NOT_GIVEN)
        g_ptr_array_add(words, g_strdup_printf("--workers=%d", options->workers));
    g_ptr_array_add(words, NULL);
    return cmd_run(command, (int)words->len - 1, (char **)words->pdata);
}
