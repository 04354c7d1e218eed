/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/json.h"

#include <glib.h>

static void write_some(struct json *json)
{
    json_begin_object(json, NULL);
    json_text(json, "name", "a \"b\" \\ \n\x01 \xc3\xa4");
    json_number(json, "bytes", "%d", -8);
    json_text(json, "none", NULL);
    json_begin_object(json, "inner");
    json_number(json, "half", "%.2f", 0.5);
    json_begin_object(json, "empty");
    json_end_object(json);
    json_text(json, "last", "");
    json_end_object(json);
    json_end_object(json);
}

static void expect(struct json json, void (*write)(struct json *json), const char *expected)
{
    g_autoptr(GString) text = g_string_new(NULL);
    json.text = text;
    write(&json);
    g_assert_cmpstr(text->str, ==, expected);
}

static void test_styles(void)
{
    expect((struct json){.is_spaced = false}, write_some,
           "{\"name\":\"a \\\"b\\\" \\\\ \\u000a\\u0001 \xc3\xa4\",\"bytes\":-8,\"none\":null,"
           "\"inner\":{\"half\":0.50,\"empty\":{},\"last\":\"\"}}");
    expect(
        (struct json){.is_spaced = true}, write_some,
        "{\"name\": \"a \\\"b\\\" \\\\ \\u000a\\u0001 \xc3\xa4\", \"bytes\": -8, \"none\": null, "
        "\"inner\": {\"half\": 0.50, \"empty\": {}, \"last\": \"\"}}");
}

static void write_text(struct json *json)
{
    json_text(json, NULL, "\t/");
}

static void write_nothing(struct json *json)
{
    json_begin_object(json, NULL);
    json_end_object(json);
}

/* Of one text or an empty object alone the style makes no difference. */
static void test_alone(void)
{
    expect((struct json){.is_spaced = false}, write_text, "\"\\u0009/\"");
    expect((struct json){.is_spaced = true}, write_text, "\"\\u0009/\"");
    expect((struct json){.is_spaced = true}, write_nothing, "{}");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/core/json/styles", test_styles);
    g_test_add_func("/core/json/alone", test_alone);
    return g_test_run();
}
