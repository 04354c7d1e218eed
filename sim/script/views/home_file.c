/* SPDX-License-Identifier: BSD-3-Clause */
#include "script/views/home_file.h"

#include <string.h>

#include "core/home.h"
#include "script/views/views.h"

static bool is_file(const char *path)
{
    return g_file_test(path, G_FILE_TEST_EXISTS) && !g_file_test(path, G_FILE_TEST_IS_DIR);
}

char *home_file(const char *path_or_name, bool may_be_study, bool may_be_machine, GError **error)
{
    bool is_absolute = g_path_is_absolute(path_or_name);
    g_autofree char *own = is_absolute ? NULL : home_path(path_or_name, NULL);
    if (!is_file(path_or_name) && own && is_file(own))
        return g_steal_pointer(&own);
    if (is_file(path_or_name) || strchr(path_or_name, '.') || is_absolute || !*path_or_name)
        return g_strdup(path_or_name);
    g_auto(GStrv) texts =
        views_texts("home", "find",
                    g_variant_new("(^aybb)", path_or_name, may_be_study, may_be_machine), error);
    return texts ? g_strdup(texts[0]) : NULL;
}

char **home_machine_names(void)
{
    return views_texts("home", "machine_names", g_variant_new("()"), NULL);
}
