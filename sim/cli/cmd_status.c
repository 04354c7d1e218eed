/* SPDX-License-Identifier: BSD-3-Clause */
/* gpunetsim status STORE.db */
#include <stdio.h>

#include "cli/command.h"
#include "core/json.h"
#include "study/store/status.h"
#include "study/table/export.h"

/* Names of columns whose texts are numbers. */
static void mark_numbers(struct table *table)
{
    static const char *const numbers[] = {"done", "points", "failed", "busy_s", "seed", NULL};
    for (size_t i = 0; i < table->column_count; i++)
        table->columns[i].is_number = g_strv_contains(numbers, table->columns[i].name);
}

/* {"studies": [...], "failures": [...], "damaged": false, "rows_lost": 0} */
static void print_json(const struct status *status)
{
    struct json json = {.file = stdout, .is_spaced = true};
    mark_numbers(status->studies);
    json_begin_object(&json, NULL);
    export_json_rows(status->studies, "studies", &json);
    export_json_rows(status->failures, "failures", &json);
    json_number(&json, "damaged", "%s", status->is_damaged ? "true" : "false");
    json_number(&json, "rows_lost", "%" G_GUINT64_FORMAT, status->lost);
    json_end_object(&json);
    putchar('\n');
}

int cmd_status(const struct command *command, int argc, char **argv)
{
    GError *error = NULL;
    gboolean as_json = FALSE;
    const GOptionEntry entries[] = {COMMAND_JSON(&as_json), {0}};
    if (!command_parse(command, &argc, &argv, entries, 1, 1, &error))
        return command_fail(error);
    struct result_store *store = store_open(argv[1], STORE_READ, &error);
    if (!store)
        return command_fail(error);
    struct status status;
    bool is_read = status_read(store, &status, &error);
    store_close(store);
    if (!is_read)
        return command_fail(error);
    if (as_json) {
        print_json(&status);
        status_clear(&status);
        return EXIT_CODE_OK;
    }
    command_print_table(status.studies, false);
    if (status.failures->row_count > 0) {
        putchar('\n');
        command_print_table(status.failures, false);
    }
    if (status.is_damaged)
        printf("\nThe store is damaged; %" G_GUINT64_FORMAT " rows cannot be read.\n", status.lost);
    status_clear(&status);
    return EXIT_CODE_OK;
}
