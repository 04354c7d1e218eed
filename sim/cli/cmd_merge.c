/* SPDX-License-Identifier: BSD-3-Clause */
/* gpunetsim merge A.db B.db -o C.db */
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "core/error.h"
#include "core/shown.h"
#include "study/store/merge.h"
#include "study/table/output.h"

/* All sources are looked at before the target is made: a mistyped name leaves nothing behind. */
static bool check_sources(char **sources, int count, const char *target, GError **error)
{
    for (int i = 0; i < count; i++) {
        if (output_is_same_file(sources[i], target))
            return error_set(error, "merge: %s is both a source and the target", target);
        struct result_store *store = store_open(sources[i], STORE_SALVAGE, error);
        if (!store)
            return false;
        store_close(store);
    }
    return true;
}

/* The advice that a damaged store comes with is to merge it: here it would be a circle. */
static struct result_store *open_target(const char *target, GError **error)
{
    g_autoptr(GError) cause = NULL;
    struct result_store *store = store_open(target, STORE_WRITE, &cause);
    if (store)
        return store;
    if (cause->code == ERROR_RUN && strstr(cause->message, "gpunetsim merge"))
        error_set_code(
            error, ERROR_RUN,
            "%s is damaged, and nothing is written into it: give -o a new name, and %s as "
            "one of the stores to be read",
            target, target);
    else
        g_propagate_error(error, g_steal_pointer(&cause));
    return NULL;
}

static bool merge_all(char **sources, int count, const char *target, struct merge_counts *counts,
                      GError **error)
{
    if (!check_sources(sources, count, target, error))
        return false;
    struct result_store *store = open_target(target, error);
    bool good = store != NULL;
    for (int i = 0; good && i < count; i++)
        good = merge_store(store, sources[i], counts, error);
    store_close(store);
    return good;
}

int cmd_merge(const struct command *command, int argc, char **argv)
{
    char *target = NULL;
    const GOptionEntry entries[] = {
        {"output", 'o', 0, G_OPTION_ARG_FILENAME, &target, "The store to write into", "STORE.db"},
        {0},
    };
    GError *error = NULL;
    struct merge_counts counts = {0};
    if (!command_parse(command, &argc, &argv, entries, 1, 10000, &error) ||
        (!target && !error_set(&error, "merge needs -o STORE.db")) ||
        !merge_all(argv + 1, argc - 1, target, &counts, &error))
        return command_fail(error);
    shown_print(stdout,
                "%" G_GUINT64_FORMAT " points, %" G_GUINT64_FORMAT " results of workloads; %s\n",
                counts.points, counts.calls, target);
    if (counts.damaged_stores > 0)
        fprintf(stderr,
                "gpunetsim: %u of the stores %s damaged: %" G_GUINT64_FORMAT
                " rows could not be read, and others may be lost without a trace\n",
                counts.damaged_stores, counts.damaged_stores > 1 ? "are" : "is", counts.lost);
    if (counts.contradictions > 0)
        fprintf(stderr,
                "gpunetsim: %" G_GUINT64_FORMAT " points have other results in one store than in "
                "another; the first was kept\n",
                counts.contradictions);
    return counts.damaged_stores + counts.contradictions > 0 ? EXIT_CODE_FAILED : EXIT_CODE_OK;
}
