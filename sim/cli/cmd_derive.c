/* SPDX-License-Identifier: BSD-3-Clause */
/* gpunetsim derive MACHINE DESIGN: the study benchmarks/derive.lua, whose conclusion is the model. */
#include <glib.h>

#include "cli/study_command.h"
#include "core/error.h"

int cmd_derive(const struct command *command, int argc, char **argv)
{
    enum { FROM, TO, FOLDS, MACHINE, DESIGN };
    struct study_setting settings[] = {{"from", NULL},    {"to", NULL},     {"folds", NULL},
                                       {"machine", NULL}, {"design", NULL}, {NULL, NULL}};
    struct run_options common = RUN_OPTIONS_DEFAULT;
    char *output = NULL;
    const GOptionEntry own[] = {
        {"minbytes", 'b', 0, G_OPTION_ARG_STRING, &settings[FROM].value,
         "Least size for which the model holds (default: 8B)", "SIZE"},
        {"maxbytes", 'e', 0, G_OPTION_ARG_STRING, &settings[TO].value,
         "Largest size (default: 16MiB)", "SIZE"},
        {"folds", 0, 0, G_OPTION_ARG_STRING, &settings[FOLDS].value,
         "Of the cross-validation that tells the model's error (default: 5)", "N"},
        {"output", 'o', 0, G_OPTION_ARG_FILENAME, &output, "Write the model to FILE", "MODEL.lua"},
        {0},
    };
    g_autofree GOptionEntry *entries =
        run_options_entries(&common, "set workers store force dry-run", own);
    GError *error = NULL;
    if (!command_parse(command, &argc, &argv, entries, 2, 2, &error))
        return command_fail(error);
    if (output == NULL) {
        error_set(&error, "derive needs -o MODEL.lua, the file that it writes");
        return command_fail(error);
    }
    settings[MACHINE].value = argv[1];
    settings[DESIGN].value = argv[2];
    g_autofree char *form = g_strdup_printf("lua:%s", output);
    return command_run_study(command, "benchmarks/derive.lua", form, settings, &common);
}
