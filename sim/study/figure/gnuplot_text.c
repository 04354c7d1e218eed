/* SPDX-License-Identifier: BSD-3-Clause */
/* Neither of gnuplot's quotations takes a text as it is: between single quotes 5.4 fails at an apostrophe
 * that comes first, between double ones it runs what stands in backquotes. Bytes by number it only ever
 * takes for bytes. */
#include "study/figure/gnuplot_text.h"

#include <string.h>

#include "core/shown.h"

#define MOST_CHARACTERS 200
#define MOST_FORMAT_BYTES 48 /* gnuplot cuts a label made by a format at its 50th byte */

static void append_bytes(GString *script, const char *name, const char *bytes)
{
    g_string_append_printf(script, "%s = \"", name);
    for (; *bytes; bytes++) {
        if (g_ascii_isalpha(*bytes) ||
            *bytes == ' ') /* a digit would be read into the number before */
            g_string_append_c(script, *bytes);
        else
            g_string_append_printf(script, "\\%03o", (unsigned)(guchar)*bytes);
    }
    g_string_append(script, "\"\n");
}

/* gnuplot's SVG takes "&#" for the start of a character reference, which may be a bad one, and writes "]]>" as it is,
 * which XML forbids: a word joiner, which nobody sees, comes between. */
static char *without_markup(const char *text)
{
    g_auto(GStrv) references = g_strsplit(text, "&#", -1);
    g_autofree char *plain = g_strjoinv("&\u2060#", references);
    g_auto(GStrv) ends = g_strsplit(plain, "]]>", -1);
    return g_strjoinv("]]\u2060>", ends);
}

void gnuplot_set_text(GString *script, const char *name, const char *text)
{
    g_autofree char *start = shown_start(text, MOST_CHARACTERS);
    g_autofree char *plain = without_markup(start);
    append_bytes(script, name, plain);
}

/* The longest start of a text that takes no more bytes. */
static char *first_bytes(const char *text, size_t most)
{
    char *start = g_strdup(text), *end = start;
    while (*end && (size_t)(g_utf8_next_char(end) - start) <= most)
        end = g_utf8_next_char(end);
    *end = '\0';
    return start;
}

void gnuplot_set_label(GString *script, const char *name, const char *label)
{
    if (!strchr(label, '%')) {
        gnuplot_set_text(script, name, label);
        return;
    }
    g_autofree char *shown = shown_text(label);
    g_autofree char *plain = without_markup(shown);
    g_autofree char *start = first_bytes(plain, MOST_FORMAT_BYTES);
    g_auto(GStrv) parts = g_strsplit(start, "%", -1);
    g_autofree char *format = g_strjoinv("%%", parts);
    append_bytes(script, name, format);
}

void gnuplot_set_number(GString *script, const char *name, double number)
{
    char text[G_ASCII_DTOSTR_BUF_SIZE];
    g_string_append_printf(script, "%s = %s\n", name, g_ascii_dtostr(text, sizeof text, number));
}
