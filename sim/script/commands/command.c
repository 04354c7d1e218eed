/* SPDX-License-Identifier: BSD-3-Clause */
/* The common part of all subcommands. */
#include "script/commands/command.h"

#include <stdio.h>

#include "core/error.h"
#include "core/shown.h"
#include "study/system/interrupt.h"

void command_tell(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    g_autofree char *sentence = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    shown_print(stderr, "gpunetsim: %s\n", sentence);
}

static int exit_code(const GError *error)
{
    if (error->domain == G_OPTION_ERROR)
        return EXIT_CODE_USE;
    if (error->domain != ERROR_DOMAIN)
        return EXIT_CODE_FAILED;
    if (error->code == ERROR_USE)
        return EXIT_CODE_USE;
    return error->code == ERROR_INTERRUPTED ? EXIT_CODE_INTERRUPTED : EXIT_CODE_FAILED;
}

int command_fail(GError *error)
{
    /* An error after Ctrl-C, as when that ends gnuplot, is caused by it. */
    if (interrupt_pending(NULL)) {
        g_clear_error(&error);
        interrupt_pending(&error);
        ending_told();
    }
    int code = exit_code(error);
    g_autofree char *sentence =
        error_sentence(error->message); /* a report may have several lines */
    g_autofree char *line = shown_text(sentence);
    command_tell("%s", code == EXIT_CODE_USE ? line : sentence);
    g_error_free(error);
    return code;
}
