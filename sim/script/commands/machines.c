/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions of `program`: machines and stores. */
#include <lauxlib.h>
#include <sqlite3.h>

#include "core/error.h"
#include "fabric/platform.h"
#include "script/commands/session.h"
#include "script/script.h"
#include "script/searches/vary_lua.h"
#include "script/values/values.h"
#include "study/store/contents.h"
#include "study/store/merge.h"

/* The XML has a route for every two ports: at this number of ports it has some hundred megabytes. */
#define MOST_XML_PORTS 1024

/* machine(path, overrides): reads a machine file. */
static int read_machine(lua_State *L, GError **error)
{
    g_auto(GStrv) overrides = lua_texts_at(L, 2);
    struct machine *machine =
        machine_load(luaL_checkstring(L, 1), (const char *const *)overrides, error);
    if (machine)
        session_push_object(L, machine, (GDestroyNotify)machine_free);
    return 1;
}

/* parameters(machine): the table of functions of vary_lua.h. */
static int parameters(lua_State *L)
{
    vary_lua_push_machine(L, session_object(L, 1));
    lua_pushvalue(L, 1); /* the machine stays as long as the functions */
    lua_setfield(L, -2, "owned");
    return 1;
}

/* note_measured(machine, path, source): notes the source of a measured value. */
static int note_measured(lua_State *L)
{
    struct provenance *entry = machine_find(session_object(L, 1), luaL_checkstring(L, 2));
    if (!entry)
        return 0;
    entry->kind = SOURCE_MEASURED;
    g_free(entry->source);
    entry->source = g_strdup(luaL_checkstring(L, 3));
    return 0;
}

#define FACT_TEXTS 3 /* path, value, source */

/* records(path): the list that a Lua file returns, of lists of three texts. */
static int records(lua_State *L, GError **error)
{
    g_autoptr(GPtrArray) records = script_records(luaL_checkstring(L, 1), FACT_TEXTS, error);
    lua_newtable(L);
    for (guint i = 0; records && i < records->len; i++) {
        lua_push_texts(L, g_ptr_array_index(records, i));
        lua_seti(L, -2, (lua_Integer)i + 1);
    }
    return 1;
}

static char *xml_of(struct platform *platform, GError **error)
{
    int ports = platform_port_count(platform);
    if (ports <= MOST_XML_PORTS)
        return platform_to_simgrid_xml(platform);
    error_set(error,
              "--xml spells out a route for every two ports, at most %d, and this machine has "
              "%d",
              MOST_XML_PORTS, ports);
    return NULL;
}

/* drawing(machine, "xml" or "node" or "dot"): its ports and links as text. */
static int drawing(lua_State *L, GError **error)
{
    const struct machine *machine = session_object(L, 1);
    const char *form = luaL_checkstring(L, 2);
    struct platform *platform = machine_platform(&machine->spec, error);
    if (!platform)
        return 0;
    return lua_push_owned(L, *form == 'x' ? xml_of(platform, error)
                                          : platform_to_dot(platform, *form == 'n'));
}

const struct session_function session_machines[] = {{"machine", read_machine, NULL},
                                                    {"parameters", NULL, parameters},
                                                    {"note_measured", NULL, note_measured},
                                                    {"records", records, NULL},
                                                    {"drawing", drawing, NULL},
                                                    {NULL, NULL, NULL}};

/* --- stores ------------------------------------------------------------------------------------- */

/* store(path, "read" or "salvage" or "write"): opens a store. */
static int open_store(lua_State *L, GError **error)
{
    static const char *const names[] = {"read", "salvage", "write", NULL};
    static const enum store_mode modes[] = {STORE_READ, STORE_SALVAGE, STORE_WRITE};
    struct result_store *store =
        store_open(luaL_checkstring(L, 1), modes[luaL_checkoption(L, 2, NULL, names)], error);
    if (store)
        session_push_object(L, store, (GDestroyNotify)store_close);
    return 1;
}

/* contents(store, has_results): the contents of the store, for views/store.lua. */
static int contents_of(lua_State *L, GError **error)
{
    GVariant *contents = store_contents(session_object(L, 1), lua_toboolean(L, 2), error);
    return contents ? session_push_value(L, contents) : 0;
}

static int is_damaged(lua_State *L)
{
    uint64_t lost;
    lua_pushboolean(L, store_is_damaged(session_object(L, 1), &lost));
    return 1;
}

/* merge(store, path): adds the other store, and returns counts. */
static int merge(lua_State *L, GError **error)
{
    struct merge_counts counts = {0};
    if (!merge_store(session_object(L, 1), luaL_checkstring(L, 2), &counts, error))
        return 0;
    lua_pushinteger(L, (lua_Integer)counts.points);
    lua_pushinteger(L, (lua_Integer)counts.calls);
    lua_pushinteger(L, (lua_Integer)counts.damaged_stores);
    lua_pushinteger(L, (lua_Integer)counts.lost);
    lua_pushinteger(L, (lua_Integer)counts.contradictions);
    return 5;
}

/* sqlite(sql): the content of the file of a database that the SQL makes, for other programs. */
static int sqlite(lua_State *L, GError **error)
{
    sqlite3 *database = NULL;
    sqlite3_int64 length = 0;
    unsigned char *image = NULL;
    if (sqlite3_open(":memory:", &database) == SQLITE_OK &&
        sqlite3_exec(database, luaL_checkstring(L, 1), NULL, NULL, NULL) == SQLITE_OK)
        image = sqlite3_serialize(database, "main", &length, 0);
    if (!image)
        error_set_code(error, ERROR_RUN, "no SQLite file: %s", sqlite3_errmsg(database));
    sqlite3_close(database);
    lua_pushlstring(L, (const char *)image, (size_t)length);
    sqlite3_free(image);
    return 1;
}

const struct session_function session_stores[] = {
    {"store", open_store, NULL}, {"contents", contents_of, NULL}, {"is_damaged", NULL, is_damaged},
    {"merge", merge, NULL},      {"sqlite", sqlite, NULL},        {NULL, NULL, NULL}};
