/* SPDX-License-Identifier: BSD-3-Clause */
/* Advance widths of DejaVu Sans by kinds of characters. Layout needs upper bounds only; gnuplot draws with
 * the true ones. */
#include "study/figure/text_width.h"

#include <string.h>

#define NARROW 0.41
#define USUAL 0.64
#define CAPITAL 0.78
#define WIDE 1.0

static double character_width(gunichar character)
{
    static const char narrow[] = " !'(),./:;I[\\]ijl|`frt-", wide[] = "mwMW@%<>=+";
    if (character >= 0x80)
        return g_unichar_iswide(character) ? 1.5 : g_unichar_isupper(character) ? WIDE : 0.7;
    if (character != 0 && strchr(narrow, (int)character))
        return NARROW;
    if (character != 0 && strchr(wide, (int)character))
        return WIDE;
    return g_ascii_isupper((gchar)character) ? CAPITAL : USUAL;
}

double text_width(const char *text)
{
    double width = 0;
    for (const char *c = text; *c; c = g_utf8_find_next_char(c, NULL))
        width += character_width(g_utf8_get_char(c));
    return width;
}

GPtrArray *text_lines(const char *text, double most)
{
    GPtrArray *lines = g_ptr_array_new_with_free_func(g_free);
    g_auto(GStrv) words = g_strsplit(text, " ", -1);
    GString *line = g_string_new(words[0]);
    for (char **word = words[0] ? words + 1 : words; *word; word++) {
        g_autofree char *longer = g_strconcat(line->str, " ", *word, NULL);
        if (text_width(longer) > most && line->len > 0) {
            g_ptr_array_add(lines, g_strdup(line->str));
            g_string_assign(line, *word);
        } else {
            g_string_assign(line, longer);
        }
    }
    g_ptr_array_add(lines, g_string_free(line, FALSE));
    return lines;
}

char *text_fitting(const char *text, double most)
{
    double width = character_width(0x2026);
    const char *end = text;
    if (text_width(text) <= most)
        return g_strdup(text);
    while (*end && width + character_width(g_utf8_get_char(end)) <= most) {
        width += character_width(g_utf8_get_char(end));
        end = g_utf8_find_next_char(end, NULL);
    }
    return g_strdup_printf("%.*s\u2026", (int)(end - text), text);
}
