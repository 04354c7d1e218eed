/* SPDX-License-Identifier: BSD-3-Clause */
/* gpunetsim import topology FILE.xml [-o FILE.lua] */
#include <string.h>

#include "cli/command.h"
#include "core/error.h"
#include "core/text_file.h"
#include "script/views/views.h"
#include "study/table/output.h"

/* A topology has a megabyte at most; each element of four bytes takes some 300 in Lua. */
static const struct text_kind xml_file = {
    .name = "an XML file", .most_bytes = INT64_C(8) << 20, .is_utf8 = true};

/* The name of a machine: of the file, without its ending. */
static char *name_of(const char *path)
{
    char *name = g_path_get_basename(path);
    if (g_str_has_suffix(name, ".xml"))
        name[strlen(name) - strlen(".xml")] = '\0';
    return name;
}

static bool import_topology(const char *path, const char *output, bool force, GError **error)
{
    g_autofree char *text = text_file_read(path, &xml_file, NULL, error);
    if (!text)
        return false;
    g_autofree char *name = name_of(path);
    g_auto(GStrv) made =
        views_texts("topology", "node", g_variant_new("(^ay^ay^ay)", text, path, name), error);
    if (!made)
        return false;
    const char *const inputs[] = {path, NULL};
    const struct output_rules rules = {.force = force, .inputs = inputs};
    if (!output_write(output ? output : "-", *made, strlen(*made), &rules, error))
        return false;
    for (char **note = made + 1; output && *note; note++)
        command_tell("%s: %s", path, *note);
    return true;
}

int cmd_import(const struct command *command, int argc, char **argv)
{
    char *output = NULL;
    gboolean force = FALSE;
    const GOptionEntry entries[] = {COMMAND_OUTPUT(&output, &force), {0}};
    GError *error = NULL;
    if (!command_parse(command, &argc, &argv, entries, 2, 2, &error))
        return command_fail(error);
    if (strcmp(argv[1], "topology") != 0 &&
        !error_set(&error, "cannot import \"%s\": accepted is topology", argv[1]))
        return command_fail(error);
    return import_topology(argv[2], output, force, &error) ? EXIT_CODE_OK : command_fail(error);
}
