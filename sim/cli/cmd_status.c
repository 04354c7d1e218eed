/* gpunetsim status STORE.db */
#include <stdio.h>

#include "cli/command.h"
#include "study/table/export.h"
#include "study/store/status.h"

int cmd_status(const struct command *command, int argc, char **argv)
{
    GError *error = NULL;
    if (!command_parse(command, &argc, &argv, NULL, 1, 1, &error))
        return command_fail(error);
    struct result_store *store = store_open(argv[1], STORE_READ, &error);
    if (!store)
        return command_fail(error);
    struct status status;
    bool is_read = status_read(store, &status, &error);
    store_close(store);
    if (!is_read)
        return command_fail(error);
    g_autofree char *studies = export_text(status.studies);
    g_autofree char *failures = export_text(status.failures);
    fputs(studies, stdout);
    if (status.failures->row_count > 0)
        printf("\n%s", failures);
    if (status.is_damaged)
        printf("\nThe store is damaged; %" G_GUINT64_FORMAT " rows cannot be read.\n", status.lost);
    status_clear(&status);
    return EXIT_CODE_OK;
}
