/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/percentiles.h"

#include <string.h>

#include "core/error.h"

#define NONE "none"

/* The text in hundredths of a percent; 0 if it is no number above 0 and up to 100 with at most two decimals. */
static int parse_one(const char *text)
{
    size_t whole = strspn(text, "0123456789");
    const char *decimals = text[whole] == '.' ? text + whole + 1 : text + whole;
    size_t places = strspn(decimals, "0123456789");
    if (whole == 0 || whole > 3 || places > 2 || decimals[places] != '\0')
        return 0;
    int hundredths = (int)(g_ascii_strtod(text, NULL) * 100 + 0.5);
    return hundredths <= 10000 ? hundredths : 0;
}

bool percentiles_parse(const char *text, int64_t *list, GError **error)
{
    g_auto(GStrv) words = g_strsplit(text, ",", -1);
    int before = 0;
    guint count = g_strv_length(words);
    *list = 0;
    if (strcmp(text, NONE) == 0)
        return true;
    if (count == 0 || count > PERCENTILES_MOST)
        return error_set(error, "\"%s\" has %u percentiles; accepted: 1 to %d", text, count,
                         PERCENTILES_MOST);
    for (guint i = 0; i < count; i++) {
        int hundredths = parse_one(g_strstrip(words[i]));
        if (hundredths <= before)
            return error_set(
                error,
                "\"%s\" is not a list of percentiles; accepted: ascending numbers from "
                "0.01 to 100 with at most two decimals, as in \"90,99.9\"",
                text);
        *list |= (int64_t)hundredths << (14 * i);
        before = hundredths;
    }
    return true;
}

char *percentiles_format(int64_t list, char *text)
{
    g_strlcpy(text, list == 0 ? NONE : "", PERCENTILES_TEXT_SIZE);
    for (int i = 0; percentiles_at(list, i) > 0; i++) {
        char number[G_ASCII_DTOSTR_BUF_SIZE];
        g_ascii_formatd(number, sizeof number, "%g", percentiles_at(list, i) / 100.0);
        g_strlcat(text, i > 0 ? "," : "", PERCENTILES_TEXT_SIZE);
        g_strlcat(text, number, PERCENTILES_TEXT_SIZE);
    }
    return text;
}
