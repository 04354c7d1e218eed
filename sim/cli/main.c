/* SPDX-License-Identifier: BSD-3-Clause */
/* gpunetsim: hands over to its commands. */
#include <locale.h>

#include "script/commands/commands.h"
#include "study/system/interrupt.h"
#include "study/system/standard_streams.h"

int main(int argc, char **argv)
{
    setlocale(LC_CTYPE, "C.UTF-8"); /* GLib's help has an ellipsis */
    standard_streams_take();
    interrupt_install();
    return standard_streams_close(commands_run(argc, argv, NULL));
}
