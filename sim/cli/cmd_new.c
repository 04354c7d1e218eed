/* SPDX-License-Identifier: BSD-3-Clause */
/* gpunetsim new machine|study NAME: a commented file to start from. */
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "core/error.h"
#include "core/shown.h"
#include "script/views/views.h"
#include "study/table/output.h"

static bool is_name(const char *name)
{
    return g_ascii_isalpha(*name) &&
           name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")] ==
               '\0';
}

static bool write_skeleton(const char *kind, const char *path, GError **error)
{
    g_autofree char *base = g_path_get_basename(path);
    size_t length = strlen(base);
    if (g_str_has_suffix(base, ".lua"))
        base[length - strlen(".lua")] = '\0';
    g_autofree char *folder = g_path_get_dirname(path), *file = g_strconcat(base, ".lua", NULL);
    g_autofree char *target = g_build_filename(folder, file, NULL);
    g_auto(GStrv) text = views_texts("new", "text", g_variant_new("(^ay^ay)", kind, base), error);
    if (!text)
        return false;
    if (!is_name(base))
        return error_set(error, "new %s: \"%s\" is not a name; use letters, digits, - and _", kind,
                         base);
    if (g_file_test(path, G_FILE_TEST_EXISTS) &&
        !g_file_test(path, G_FILE_TEST_IS_REGULAR | G_FILE_TEST_IS_DIR))
        return error_set(error, "new %s: %s is a device or a pipe; name a file", kind, path);
    if (g_file_test(target, G_FILE_TEST_EXISTS))
        return error_set(error, "new %s: %s is there already", kind, target);
    const struct output_rules rules = {.force = false};
    if (!output_write(target, *text, strlen(*text), &rules, error))
        return false;
    shown_print(stdout, "%s\n", target);
    return true;
}

int cmd_new(const struct command *command, int argc, char **argv)
{
    GError *error = NULL;
    if (!command_parse(command, &argc, &argv, NULL, 2, 2, &error) ||
        !write_skeleton(argv[1], argv[2], &error))
        return command_fail(error);
    return EXIT_CODE_OK;
}
