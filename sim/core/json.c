/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/json.h"

#include "core/check.h"

static void put(struct json *json, const char *text)
{
    if (json->file != NULL)
        fputs(text, json->file);
    else
        g_string_append(json->text, text);
}

static void put_letter(struct json *json, char letter)
{
    if (json->file != NULL)
        fputc(letter, json->file);
    else
        g_string_append_c(json->text, letter);
}

static void put_quoted(struct json *json, const char *text)
{
    put_letter(json, '"');
    for (; *text; text++) {
        unsigned char letter = (unsigned char)*text;
        char escaped[8];
        if (letter == '"' || letter == '\\')
            put_letter(json, '\\');
        if (letter >= 0x20) {
            put_letter(json, *text);
        } else {
            g_snprintf(escaped, sizeof escaped, "\\u%04x", letter);
            put(json, escaped);
        }
    }
    put_letter(json, '"');
}

/* What stands before an element: comma, line, key. */
static void begin_element(struct json *json, const char *key)
{
    uint64_t bit = UINT64_C(1) << json->depth;
    bool is_row = json->row != NULL && json->depth == json->row_depth;
    if (json->filled & bit)
        put(json, json->is_spaced && !is_row ? ", " : ",");
    if (is_row)
        put(json, json->row);
    json->filled |= bit;
    if (key == NULL)
        return;
    put_quoted(json, key);
    put(json, json->is_spaced ? ": " : ":");
}

static void begin(struct json *json, const char *key, char bracket)
{
    begin_element(json, key);
    put_letter(json, bracket);
    json->depth++;
    check_always(json->depth < 64, "JSON of more than 63 levels");
    json->filled &= ~(UINT64_C(1) << json->depth);
}

static void end(struct json *json, char bracket)
{
    check_always(json->depth > 0, "JSON that ends before it begins");
    json->depth--;
    put_letter(json, bracket);
}

void json_begin_object(struct json *json, const char *key)
{
    begin(json, key, '{');
}

void json_end_object(struct json *json)
{
    end(json, '}');
}

void json_begin_array(struct json *json, const char *key)
{
    begin(json, key, '[');
}

void json_end_array(struct json *json)
{
    end(json, ']');
}

void json_begin_rows(struct json *json, const char *key, const char *row)
{
    check_always(json->row == NULL, "JSON rows within rows");
    begin(json, key, '[');
    json->row = row;
    json->row_depth = json->depth;
}

void json_end_rows(struct json *json)
{
    json->row = NULL;
    put_letter(json, '\n');
    end(json, ']');
}

void json_text(struct json *json, const char *key, const char *text)
{
    begin_element(json, key);
    if (text != NULL)
        put_quoted(json, text);
    else
        put(json, "null");
}

void json_number(struct json *json, const char *key, const char *format, ...)
{
    va_list arguments;
    begin_element(json, key);
    va_start(arguments, format);
    if (json->file != NULL)
        vfprintf(json->file, format, arguments);
    else
        g_string_append_vprintf(json->text, format, arguments);
    va_end(arguments);
}
