/* SPDX-License-Identifier: BSD-3-Clause */
/* gpunetsim trace-info PREFIX|TRACE.et: what is in Chakra traces. */
#include "cli/chakra.h"
#include "cli/command.h"
#include "core/error.h"
#include "core/shown.h"

int cmd_trace_info(const struct command *command, int argc, char **argv)
{
    char *options = NULL;
    const GOptionEntry entries[] = {COMMAND_TRACE(&options), {0}};
    GError *error = NULL;
    if (!command_parse(command, &argc, &argv, entries, 1, 1, &error))
        return command_fail(error);
    g_auto(GStrv) text = chakra_info(argv[1], options, &error);
    if (!text)
        return command_fail(error);
    shown_print(stdout, "%s", *text);
    return EXIT_CODE_OK;
}
