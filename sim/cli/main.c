/* SPDX-License-Identifier: BSD-3-Clause */
/* gpunetsim: hands over to its commands (views/commands.lua). */
#include <locale.h>

#include "cli/run.h"
#include "script/commands/commands.h"
#include "study/system/interrupt.h"
#include "study/system/standard_streams.h"

int main(int argc, char **argv)
{
    GError *error = NULL;
    setlocale(LC_CTYPE, "C.UTF-8"); /* GLib's help has an ellipsis */
    standard_streams_take();
    interrupt_install();
    if (!command_load_designs(&error))
        return command_fail(error);
    return standard_streams_close(commands_run(argc, argv, run_study));
}
