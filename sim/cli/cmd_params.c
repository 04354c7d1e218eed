/* SPDX-License-Identifier: BSD-3-Clause */
/* gpunetsim params MACHINE */

#include "cli/command.h"
#include "script/script.h"
#include "study/model/machine.h"
#include "study/table/provenance.h"

int cmd_params(const struct command *command, int argc, char **argv)
{
    char **overrides = NULL;
    gboolean as_json = FALSE;
    const GOptionEntry entries[] = {
        COMMAND_JSON(&as_json),
        COMMAND_SET(&overrides),
        {0},
    };
    GError *error = NULL;
    if (!command_parse(command, &argc, &argv, entries, 1, 1, &error))
        return command_fail(error);
    struct machine *machine = machine_load(argv[1], (const char *const *)overrides, &error);
    if (!machine)
        return command_fail(error);
    struct table *table = provenance_table(machine);
    command_print_table(table, as_json);
    table_free(table);
    machine_free(machine);
    return EXIT_CODE_OK;
}
