/* SPDX-License-Identifier: BSD-3-Clause */
/* gpunetsim status STORE.db */
#include <stdio.h>

#include "cli/command.h"
#include "script/views/views.h"
#include "study/store/contents.h"

/* What views/store.lua says of the store; NULL and one sentence. */
static char **status_texts(const char *path, bool as_json, GError **error)
{
    struct result_store *store = store_open(path, STORE_READ, error);
    GVariant *contents = store ? store_contents(store, false, error) : NULL;
    store_close(store);
    return contents
               ? views_texts("store", "status", g_variant_new("(*b)", contents, as_json), error)
               : NULL;
}

int cmd_status(const struct command *command, int argc, char **argv)
{
    GError *error = NULL;
    gboolean as_json = FALSE;
    const GOptionEntry entries[] = {COMMAND_JSON(&as_json), {0}};
    if (!command_parse(command, &argc, &argv, entries, 1, 1, &error))
        return command_fail(error);
    g_auto(GStrv) texts = status_texts(argv[1], as_json, &error);
    if (!texts)
        return command_fail(error);
    fputs(texts[0], stdout);
    return EXIT_CODE_OK;
}
