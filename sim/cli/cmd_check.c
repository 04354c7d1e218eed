/* gpunetsim check FILE.lua */
#include <stdio.h>

#include "cli/command.h"
#include "script/script.h"
#include "script/shown.h"

int cmd_check(const struct command *command, int argc, char **argv)
{
    GError *error = NULL;
    if (!command_parse(command, &argc, &argv, NULL, 1, 1, &error) || !script_check(argv[1], &error))
        return command_fail(error);
    shown_print(stdout, "%s: no faults found\n", argv[1]);
    return EXIT_CODE_OK;
}
