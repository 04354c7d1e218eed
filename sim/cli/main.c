/* SPDX-License-Identifier: BSD-3-Clause */
/* gpunetsim: hands over to its commands. */
#include <locale.h>
#include <stdio.h>
#include <sys/resource.h>

#include "script/commands/commands.h"
#include "study/system/interrupt.h"
#include "study/system/standard_streams.h"

#define STACK_KIB 1024 /* results of several runs lie on the stack */

static bool has_stack(void)
{
    struct rlimit stack;
    return getrlimit(RLIMIT_STACK, &stack) != 0 || stack.rlim_cur / 1024 >= STACK_KIB;
}

int main(int argc, char **argv)
{
    if (!has_stack()) {
        fprintf(stderr, "gpunetsim: it takes a stack of %d KiB; \"ulimit -s\" tells the limit.\n",
                STACK_KIB);
        return 2;
    }
    setlocale(LC_CTYPE, "C.UTF-8"); /* GLib's help has an ellipsis */
    standard_streams_take();
    interrupt_install();
    return standard_streams_close(commands_run(argc, argv, NULL));
}
