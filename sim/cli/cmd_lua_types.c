/* SPDX-License-Identifier: BSD-3-Clause */
/* gpunetsim lua-types: annotations for editors, which views/lua_types.lua writes. */
#include <stdio.h>

#include "cli/catalogue.h"
#include "cli/command.h"
#include "script/views/views.h"

int cmd_lua_types(const struct command *command, int argc, char **argv)
{
    GError *error = NULL;
    if (!command_parse(command, &argc, &argv, NULL, 0, 0, &error))
        return command_fail(error);
    g_auto(GStrv) texts =
        views_texts("lua_types", "text", g_variant_new("(@a{sv})", catalogue()), &error);
    if (!texts)
        return command_fail(error);
    fputs(texts[0], stdout);
    return EXIT_CODE_OK;
}
