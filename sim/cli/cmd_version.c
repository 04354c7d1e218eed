/* SPDX-License-Identifier: BSD-3-Clause */
/* gpunetsim --version */
#include <stdio.h>

#include "cli/command.h"
#include "study/table/version.h"

int cmd_version(const struct command *command, int argc, char **argv)
{
    GError *error = NULL;
    if (!command_parse(command, &argc, &argv, NULL, 0, 0, &error))
        return command_fail(error);
    struct table *table = version_table();
    for (size_t i = 0; i < table->row_count; i++)
        printf("%s %s\n", table_cell(table, i, 0), table_cell(table, i, 1));
    table_free(table);
    return EXIT_CODE_OK;
}
