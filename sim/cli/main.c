/* SPDX-License-Identifier: BSD-3-Clause */
/* gpunetsim: hands over to its commands, of which run and sweep stand here. */
#include <locale.h>

#include "cli/run.h"
#include "script/commands/commands.h"
#include "study/system/interrupt.h"
#include "study/system/standard_streams.h"

static const struct command in_c[] = {
    {"run", "FILE.lua", "Runs a study: prints a table, writes results.csv and draws its figures."},
    {"sweep", "FILE.lua",
     "Runs a study into a store, as run --only-store: resumable, in shares, on many machines."},
    {NULL, NULL, NULL},
};

int main(int argc, char **argv)
{
    setlocale(LC_CTYPE, "C.UTF-8"); /* GLib's help has an ellipsis */
    standard_streams_take();
    interrupt_install();
    return standard_streams_close(
        commands_run(argc, argv, &(struct commands_in_c){in_c, run_study}));
}
