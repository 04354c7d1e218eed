#include "core/json.h"

#include <glib.h>

char *json_string(const char *text)
{
    GString *json = g_string_new("\"");
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\')
            g_string_append_printf(json, "\\%c", c);
        else if (c < 0x20)
            g_string_append_printf(json, "\\u%04x", c);
        else
            g_string_append_c(json, (char)c);
    }
    g_string_append_c(json, '"');
    return g_string_free(json, FALSE);
}
