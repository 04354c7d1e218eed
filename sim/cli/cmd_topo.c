/* SPDX-License-Identifier: BSD-3-Clause */
/* gpunetsim topo MACHINE [--dot | --node | --xml] [-s ...] */
#include <stdio.h>

#include "cli/command.h"
#include "core/error.h"
#include "fabric/platform.h"
#include "script/script.h"
#include "study/model/machine.h"

/* The XML has a route for every two ports: these make some hundred megabytes. */
#define MOST_XML_PORTS 1024

enum drawing { DRAW_ALL, DRAW_NODE, DRAW_XML };

static char *draw_xml(struct platform *platform, GError **error)
{
    int ports = platform_port_count(platform);
    if (ports <= MOST_XML_PORTS)
        return platform_to_simgrid_xml(platform);
    error_set(error,
              "--xml spells out a route for every two ports, at most %d, and this machine has "
              "%d",
              MOST_XML_PORTS, ports);
    return NULL;
}

/* The platform's text; NULL and an error if the description does not make a machine. */
static char *draw(const struct machine *machine, enum drawing drawing, GError **error)
{
    struct platform *platform = machine_platform(&machine->spec, error);
    if (!platform)
        return NULL;
    if (drawing == DRAW_XML)
        return draw_xml(platform, error);
    return platform_to_dot(platform, drawing == DRAW_NODE);
}

int cmd_topo(const struct command *command, int argc, char **argv)
{
    char **overrides = NULL;
    gboolean dot = FALSE, node = FALSE, xml = FALSE;
    const GOptionEntry entries[] = {
        {"dot", 0, 0, G_OPTION_ARG_NONE, &dot, "For Graphviz (default)", NULL},
        {"node", 0, 0, G_OPTION_ARG_NONE, &node, "For Graphviz, the first node alone", NULL},
        {"xml", 0, 0, G_OPTION_ARG_NONE, &xml, "A platform file for SimGrid's smpirun", NULL},
        COMMAND_SET(&overrides),
        {0},
    };
    GError *error = NULL;
    if (!command_parse(command, &argc, &argv, entries, 1, 1, &error))
        return command_fail(error);
    if (dot + node + xml > 1 &&
        !error_set(&error, "--dot, --node and --xml cannot be given together"))
        return command_fail(error);
    struct machine *machine = machine_load(argv[1], (const char *const *)overrides, &error);
    if (!machine)
        return command_fail(error);
    g_autofree char *text = draw(machine, xml ? DRAW_XML : node ? DRAW_NODE : DRAW_ALL, &error);
    machine_free(machine);
    if (!text)
        return command_fail(error);
    fputs(text, stdout);
    return EXIT_CODE_OK;
}
