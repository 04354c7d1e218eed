/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/json.h"

#include "core/check.h"

static void put_quoted(struct json *json, const char *text)
{
    g_string_append_c(json->text, '"');
    for (; *text; text++) {
        unsigned char letter = (unsigned char)*text;
        if (letter == '"' || letter == '\\')
            g_string_append_c(json->text, '\\');
        if (letter >= 0x20)
            g_string_append_c(json->text, *text);
        else
            g_string_append_printf(json->text, "\\u%04x", letter);
    }
    g_string_append_c(json->text, '"');
}

/* Writes the comma and the key before an element. */
static void begin_element(struct json *json, const char *key)
{
    uint64_t bit = UINT64_C(1) << json->depth;
    if (json->filled & bit)
        g_string_append(json->text, json->is_spaced ? ", " : ",");
    json->filled |= bit;
    if (key == NULL)
        return;
    put_quoted(json, key);
    g_string_append(json->text, json->is_spaced ? ": " : ":");
}

void json_begin_object(struct json *json, const char *key)
{
    begin_element(json, key);
    g_string_append_c(json->text, '{');
    json->depth++;
    check_always(json->depth < 64, "JSON of more than 63 levels");
    json->filled &= ~(UINT64_C(1) << json->depth);
}

void json_end_object(struct json *json)
{
    check_always(json->depth > 0, "JSON that ends before it begins");
    json->depth--;
    g_string_append_c(json->text, '}');
}

void json_text(struct json *json, const char *key, const char *text)
{
    begin_element(json, key);
    if (text != NULL)
        put_quoted(json, text);
    else
        g_string_append(json->text, "null");
}

void json_number(struct json *json, const char *key, const char *format, ...)
{
    va_list arguments;
    begin_element(json, key);
    va_start(arguments, format);
    g_string_append_vprintf(json->text, format, arguments);
    va_end(arguments);
}
