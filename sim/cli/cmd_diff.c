/* SPDX-License-Identifier: BSD-3-Clause */
/* gpunetsim diff A.db B.db */
#include <stdio.h>

#include "cli/command.h"
#include "core/error.h"
#include "script/views/terminal.h"
#include "study/store/diff.h"

#define MOST_SHOWN 50

/* What is lost looks as if it had never been there. */
static void warn_of_damage(const struct result_store *store, const char *path)
{
    uint64_t lost;
    if (store && store_is_damaged(store, &lost))
        fprintf(stderr, "gpunetsim: %s is damaged: points may be missing in it\n", path);
}

static struct diff *compare(char **paths, double tolerance, GError **error)
{
    struct result_store *a = store_open(paths[0], STORE_READ, error);
    struct result_store *b = a ? store_open(paths[1], STORE_READ, error) : NULL;
    struct diff *diff = b ? diff_stores(a, b, tolerance, MOST_SHOWN, error) : NULL;
    warn_of_damage(a, paths[0]);
    warn_of_damage(b, paths[1]);
    store_close(a);
    store_close(b);
    return diff;
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
    struct diff *diff = compare(argv + 1, tolerance, &error);
    if (!diff)
        return command_fail(error);
    g_autofree char *text = terminal_whole(diff->shown);
    if (diff->differences > 0)
        fputs(text, stdout);
    printf("%zu points compared, %zu differences\n", diff->compared, diff->differences);
    int code = diff->differences > 0 ? EXIT_CODE_FAILED : EXIT_CODE_OK;
    diff_free(diff);
    return code;
}
