/* SPDX-License-Identifier: BSD-3-Clause */
#include "script/views/xml_lua.h"

#include <glib.h>
#include <lauxlib.h>

#include "core/error.h"
#include "script/values/values.h"
#include "script/views/views.h"

#define MOST_DEPTH 200 /* elements in elements, each on Lua's stack */

struct xml_reader {
    lua_State *L;
    GMarkupParseContext *context;
    int depth;
    bool has_root;
};

/* The line of the tag that has been read. GLib tells the place behind it, which is in the next line if a line break follows. */
static int line_of(const struct xml_reader *reader)
{
    int line = 0, character = 0;
    g_markup_parse_context_get_position(reader->context, &line, &character);
    return character == 1 && line > 1 ? line - 1 : line;
}

static void push_attributes(lua_State *L, const char **names, const char **values)
{
    lua_newtable(L);
    for (; *names; names++, values++)
        lua_set_text(L, *names, *values);
}

/* Whether an element may begin here. GMarkup takes several outermost ones. */
static bool check_place(struct xml_reader *reader, GError **error)
{
    const char *fault = NULL;
    if (reader->depth == 0 && reader->has_root)
        fault = "a second element beside the outermost one";
    else if (++reader->depth > MOST_DEPTH || !lua_checkstack(reader->L, 8))
        fault = G_STRINGIFY(MOST_DEPTH) " elements in each other";
    reader->has_root = true;
    if (fault)
        g_set_error_literal(error, G_MARKUP_ERROR, G_MARKUP_ERROR_PARSE, fault);
    return fault == NULL;
}

/* An element is pushed, and lies on the one that it is in. */
static void start(GMarkupParseContext *context, const char *name, const char **names,
                  const char **values, gpointer argument, GError **error)
{
    (void)context;
    struct xml_reader *reader = argument;
    lua_State *L = reader->L;
    if (!check_place(reader, error))
        return;
    lua_createtable(L, 0, 3);
    lua_set_text(L, "name", name);
    lua_set_integer(L, "line", line_of(reader));
    push_attributes(L, names, values);
    lua_setfield(L, -2, "attributes");
}

static void end(GMarkupParseContext *context, const char *name, gpointer argument, GError **error)
{
    (void)context, (void)name, (void)error;
    struct xml_reader *reader = argument;
    if (--reader->depth > 0)
        lua_seti(reader->L, -2, luaL_len(reader->L, -2) + 1);
}

int xml_lua_read(lua_State *L)
{
    static const GMarkupParser parser = {.start_element = start, .end_element = end};
    size_t length;
    const char *text = luaL_checklstring(L, 1, &length), *file = luaL_checkstring(L, 2);
    struct xml_reader reader = {.L = L};
    GError *error = NULL;
    reader.context = g_markup_parse_context_new(&parser, 0, &reader, NULL);
    bool good = g_markup_parse_context_parse(reader.context, text, (gssize)length, &error) &&
                g_markup_parse_context_end_parse(reader.context, &error);
    int line = line_of(&reader);
    g_markup_parse_context_free(reader.context);
    if (good && reader.has_root)
        return 1;
    GError *told = NULL;
    error_set(&told, "%s:%d: it is no XML: %s", file, line,
              error ? error->message : "it has no element");
    g_clear_error(&error);
    return views_raise(L, told);
}
