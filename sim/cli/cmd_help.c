/* SPDX-License-Identifier: BSD-3-Clause */
/* gpunetsim help COMPONENT[.PARAMETER]: the parameter tables, as the manual. gpunetsim help DESIGN: a point on
 * the axes, and its sources. gpunetsim help MEASURE: what a number is. With --json all of it, and of commands what they
 * take. views/help.lua writes it. */
#include <stdio.h>

#include "cli/catalogue.h"
#include "cli/command.h"
#include "cli/help_word.h"
#include "script/views/views.h"

char *help_word(const char *name)
{
    g_auto(GStrv) texts = views_texts("help", "word", g_variant_new("(^ay)", name), NULL);
    return texts ? g_strdup(texts[0]) : NULL;
}

int cmd_help(const struct command *command, int argc, char **argv)
{
    GError *error = NULL;
    gboolean as_json = FALSE;
    const GOptionEntry entries[] = {COMMAND_JSON(&as_json), {0}};
    if (!command_parse(command, &argc, &argv, entries, 0, 1, &error))
        return command_fail(error);
    const char *topic = argc > 1 ? argv[1] : "";
    g_auto(GStrv) texts =
        argc == 1 ? views_texts("help", "commands", g_variant_new("(@a{sv})", catalogue()), &error)
                  : views_texts("help", "topic",
                                g_variant_new("(@a{sv}^ayb)", catalogue(), topic, as_json), &error);
    if (!texts)
        return command_fail(error);
    fputs(texts[0], stdout);
    return EXIT_CODE_OK;
}
