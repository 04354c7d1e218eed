/* SPDX-License-Identifier: BSD-3-Clause */
#include "script/views/terminal.h"

#include <stdbool.h>
#include <sys/ioctl.h>

#include "core/shown.h"

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

void terminal_wrap(GString *text, const char *sentence, size_t width)
{
    g_autofree char *shown = shown_text(sentence);
    g_auto(GStrv) words = g_strsplit(shown, " ", -1);
    size_t used = 0;
    for (char **word = words; *word; word++) {
        size_t length = (size_t)g_utf8_strlen(*word, -1);
        bool is_first = word == words, fits = used + 1 + length <= width;
        g_string_append_printf(text, "%s%s", is_first ? "" : fits ? " " : "\n  ", *word);
        used = is_first ? length : fits ? used + 1 + length : 2 + length;
    }
    g_string_append_c(text, '\n');
}
