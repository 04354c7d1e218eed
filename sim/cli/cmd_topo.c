/* gpunetsim topo MACHINE [--dot | --xml] */
#include <stdio.h>

#include "cli/command.h"
#include "fabric/platform.h"
#include "models/node.h"
#include "script/script.h"

/* The platform's text; NULL and an error if the description does not make a machine. */
static char *draw(const struct machine *machine, bool as_xml, GError **error)
{
    struct platform *platform = machine_platform(&machine->spec, error);
    if (!platform)
        return NULL;
    return as_xml ? platform_to_simgrid_xml(platform) : platform_to_dot(platform);
}

int cmd_topo(const struct command *command, int argc, char **argv)
{
    gboolean dot = FALSE, xml = FALSE;
    const GOptionEntry entries[] = {
        {"dot", 0, 0, G_OPTION_ARG_NONE, &dot, "For Graphviz (default)", NULL},
        {"xml", 0, 0, G_OPTION_ARG_NONE, &xml, "A platform file for SimGrid's smpirun", NULL},
        {0},
    };
    GError *error = NULL;
    if (!command_parse(command, &argc, &argv, entries, 1, 1, &error))
        return command_fail(error);
    if (dot && xml && !command_misuse(&error, "--dot and --xml cannot be had together"))
        return command_fail(error);
    g_autofree char *path = command_machine_path(argv[1]);
    struct machine *machine = machine_load(path, NULL, &error);
    if (!machine)
        return command_fail(error);
    g_autofree char *text = draw(machine, xml, &error);
    machine_free(machine);
    if (!text)
        return command_fail(error);
    fputs(text, stdout);
    return EXIT_CODE_OK;
}
