/* SPDX-License-Identifier: BSD-3-Clause */
/* gpunetsim diff A.db B.db */
#include <stdio.h>

#include "cli/command.h"
#include "core/error.h"
#include "script/views/views.h"
#include "study/store/contents.h"

/* What is lost looks as if it had never been there. */
static void warn_of_damage(const struct result_store *store, const char *path)
{
    uint64_t lost;
    if (store && store_is_damaged(store, &lost))
        fprintf(stderr, "gpunetsim: %s is damaged: points may be missing in it\n", path);
}

/* What views/store.lua says of the two stores, and, if they differ, a second text; NULL and one sentence. */
static char **diff_texts(char **paths, double tolerance, GError **error)
{
    struct result_store *stores[2] = {NULL, NULL};
    GVariant *contents[2] = {NULL, NULL};
    stores[0] = store_open(paths[0], STORE_READ, error);
    stores[1] = stores[0] ? store_open(paths[1], STORE_READ, error) : NULL;
    bool is_read = stores[1] && (contents[0] = store_contents(stores[0], true, error)) &&
                   (contents[1] = store_contents(stores[1], true, error));
    for (int i = 0; i < 2; i++) {
        warn_of_damage(stores[i], paths[i]);
        store_close(stores[i]);
    }
    if (is_read)
        return views_texts("store", "diff",
                           g_variant_new("(**d)", contents[0], contents[1], tolerance), error);
    g_clear_pointer(&contents[0], g_variant_unref);
    return NULL;
}

int cmd_diff(const struct command *command, int argc, char **argv)
{
    double tolerance = 0;
    const GOptionEntry entries[] = {
        {"tol", 0, 0, G_OPTION_ARG_DOUBLE, &tolerance,
         "Numbers that differ by less, relative to the larger, are the same (default: 0)", "X"},
        {0},
    };
    GError *error = NULL;
    if (!command_parse(command, &argc, &argv, entries, 2, 2, &error) ||
        (!(tolerance >= 0) && !error_set(&error, "--tol is 0 or more")))
        return command_fail(error);
    g_auto(GStrv) texts = diff_texts(argv + 1, tolerance, &error);
    if (!texts)
        return command_fail(error);
    fputs(texts[0], stdout);
    return texts[1] ? EXIT_CODE_FAILED : EXIT_CODE_OK;
}
