/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/shown.h"

#include <stdbool.h>

#define REPLACEMENT 0xFFFD
#define ELLIPSIS "…"

/* Marks that turn the direction of writing, which make a text look different from what it is. */
static bool turns_direction(gunichar c)
{
    return c == 0x061C || c == 0x200E || c == 0x200F || (c >= 0x202A && c <= 0x202E) ||
           (c >= 0x2066 && c <= 0x2069);
}

static bool is_control(gunichar c)
{
    return c < 0x20 || (c >= 0x7F && c <= 0x9F) || c == 0x2028 || c == 0x2029;
}

/* Unicode's noncharacters, of which XML forbids two. */
static bool is_none(gunichar c)
{
    return (c & 0xFFFE) == 0xFFFE || (c >= 0xFDD0 && c <= 0xFDEF);
}

static void append_shown(GString *shown, const char *text, bool keeps_lines)
{
    g_autofree char *good = g_utf8_make_valid(text ? text : "", -1);
    for (char *at = good; *at; at = g_utf8_next_char(at)) {
        gunichar c = g_utf8_get_char(at);
        if ((c == '\n' || c == '\t') && keeps_lines)
            g_string_append_c(shown, (char)c);
        else if (c == '\n' || c == '\r' || c == '\t')
            g_string_append_c(shown, ' ');
        else
            g_string_append_unichar(
                shown, is_control(c) || is_none(c) || turns_direction(c) ? REPLACEMENT : c);
    }
}

char *shown_text(const char *text)
{
    GString *shown = g_string_new(NULL);
    append_shown(shown, text, false);
    return g_string_free(shown, FALSE);
}

char *shown_start(const char *text, size_t most)
{
    char *shown = shown_text(text);
    if ((size_t)g_utf8_strlen(shown, -1) <= most)
        return shown;
    GString *start = g_string_new_len(shown, g_utf8_offset_to_pointer(shown, (glong)most) - shown);
    g_free(shown);
    g_string_append(start, ELLIPSIS);
    return g_string_free(start, FALSE);
}

void shown_print(FILE *stream, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    g_autofree char *text = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    GString *shown = g_string_new(NULL);
    append_shown(shown, text, true);
    fputs(shown->str, stream);
    g_string_free(shown, TRUE);
}
