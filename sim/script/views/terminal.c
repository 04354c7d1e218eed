/* SPDX-License-Identifier: BSD-3-Clause */
#include "script/views/terminal.h"

#include <glib.h>
#include <sys/ioctl.h>

#define USUAL_WIDTH 80
#define LEAST_WIDTH 20
#define MOST_WIDTH 100000

size_t terminal_width(FILE *stream)
{
    struct winsize size;
    guint64 width = 0;
    if (ioctl(fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        width = size.ws_col;
    else if (!g_ascii_string_to_unsigned(g_getenv("COLUMNS") ? g_getenv("COLUMNS") : "", 10,
                                         LEAST_WIDTH, MOST_WIDTH, &width, NULL))
        width = USUAL_WIDTH;
    return MAX(width, LEAST_WIDTH);
}
