/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/json.h"

#include <glib.h>

static void write_some(struct json *json)
{
    json_begin_object(json, NULL);
    json_text(json, "name", "a \"b\" \\ \n\x01 \xc3\xa4");
    json_number(json, "bytes", "%d", -8);
    json_text(json, "none", NULL);
    json_begin_array(json, "list");
    json_number(json, NULL, "%.2f", 0.5);
    json_begin_object(json, NULL);
    json_end_object(json);
    json_begin_array(json, NULL);
    json_end_array(json);
    json_end_array(json);
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
           "\"list\":[0.50,{},[]]}");
    expect(
        (struct json){.is_spaced = true}, write_some,
        "{\"name\": \"a \\\"b\\\" \\\\ \\u000a\\u0001 \xc3\xa4\", \"bytes\": -8, \"none\": null, "
        "\"list\": [0.50, {}, []]}");
}

static void write_rows(struct json *json)
{
    json_begin_rows(json, NULL, "\n  ");
    for (int i = 0; i < 2; i++) {
        json_begin_object(json, NULL);
        json_number(json, "i", "%d", i);
        json_number(json, "k", "%d", i);
        json_end_object(json);
    }
    json_end_rows(json);
}

static void write_no_rows(struct json *json)
{
    json_begin_rows(json, NULL, "\n  ");
    json_end_rows(json);
}

static void test_rows(void)
{
    expect((struct json){.is_spaced = true}, write_rows,
           "[\n  {\"i\": 0, \"k\": 0},\n  {\"i\": 1, \"k\": 1}\n]");
    expect((struct json){.is_spaced = true}, write_no_rows, "[\n]");
}

/* A file has the same bytes as a text, and nothing is kept of them. */
static void test_file(void)
{
    g_autofree char *bytes = NULL;
    size_t length;
    FILE *file = open_memstream(&bytes, &length);
    write_some(&(struct json){.file = file});
    fclose(file);
    expect((struct json){.is_spaced = false}, write_some, bytes);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/core/json/styles", test_styles);
    g_test_add_func("/core/json/rows", test_rows);
    g_test_add_func("/core/json/file", test_file);
    return g_test_run();
}
