/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/error.h"

#include <stdarg.h>
#include <string.h>

GQuark error_domain(void)
{
    return g_quark_from_static_string("gpunetsim-error-quark");
}

static void set_error(GError **error, enum error_code code, const char *format, va_list arguments)
{
    if (error)
        g_propagate_error(error, g_error_new_valist(ERROR_DOMAIN, (gint)code, format, arguments));
}

bool error_set(GError **error, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    set_error(error, ERROR_USE, format, arguments);
    va_end(arguments);
    return false;
}

bool error_set_code(GError **error, enum error_code code, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    set_error(error, code, format, arguments);
    va_end(arguments);
    return false;
}

char *error_sentence(const char *message)
{
    enum { MOST_BYTES = 8192, CHARACTER_BYTES = 4 };
    GString *sentence = g_string_new(NULL);
    bool after_break = false; /* a break within a sentence and the indentation become one space */
    const char *c = message;
    while (*c && (c - message < MOST_BYTES ||
                  (((guchar)*c & 0xC0) == 0x80 && c - message < MOST_BYTES + CHARACTER_BYTES))) {
        bool is_break = g_ascii_iscntrl(*c) || (after_break && *c == ' ');
        if (!is_break || (*c == '\n' && g_str_has_suffix(sentence->str, ".")))
            g_string_append_c(sentence, *c);
        else if (!after_break)
            g_string_append_c(sentence, ' ');
        after_break = is_break;
        c++;
    }
    if (*c)
        g_string_append_printf(sentence, "… (cut: it has %zu bytes)", strlen(message));
    g_strchomp(sentence->str);
    sentence->len = strlen(sentence->str);
    if (sentence->len == 0 || !strchr(".!?", sentence->str[sentence->len - 1]))
        g_string_append_c(sentence, '.');
    return g_string_free(sentence, FALSE);
}
