/* SPDX-License-Identifier: BSD-3-Clause */
#include "script/searches/calibrate_machine.h"

#include <lauxlib.h>
#include <string.h>

#include "core/error.h"
#include "core/home.h"
#include "script/script.h"
#include "script/searches/vary_lua.h"
#include "script/views/views.h"
#include "study/model/machine.h"
#include "study/model/measured.h"
#include "study/system/leftover.h"
#include "study/table/output.h"

#define PREFIX "gpunetsim-calibrate-"
#define FACT_COLUMNS 3 /* path, value, source */
#define STUDIES 2      /* of the data's rows; of all rows that there are */

/* What views/calibrate/machine.lua answers for. */
struct machine_given {
    const struct calibrate_request *request;
    const char *path; /* of the machine */
    const GPtrArray *files;
    char *folder; /* of the studies, and */
    int lock;
    struct machine *machine; /* once it is loaded, and */
    struct variants *opened[STUDIES];
    int count;
};

static struct machine_given *given_of(lua_State *L)
{
    return lua_touserdata(L, lua_upvalueindex(1));
}

/* --- for views/calibrate/folder.lua -------------------------------------------------------------- */

static int read_file(lua_State *L)
{
    GError *error = NULL;
    char *text = text_file_read(luaL_checkstring(L, 1), &measured_file, NULL, &error);
    if (!text)
        return views_raise(L, error);
    lua_pushstring(L, text);
    g_free(text);
    return 1;
}

static int write_file(lua_State *L)
{
    GError *fault = NULL, *error = NULL;
    size_t length;
    const char *text = luaL_checklstring(L, 2, &length);
    lua_pushfstring(L, "%s/%s", given_of(L)->folder, luaL_checkstring(L, 1));
    if (g_file_set_contents(lua_tostring(L, -1), text, (gssize)length, &fault))
        return 1;
    error_set_code(&error, ERROR_RUN, "%s", fault->message);
    g_error_free(fault);
    return views_raise(L, error);
}

static int read_records(lua_State *L)
{
    GError *error = NULL;
    GPtrArray *records = script_records(luaL_checkstring(L, 1), FACT_COLUMNS, &error);
    if (!records)
        return views_raise(L, error);
    lua_newtable(L);
    for (guint i = 0; i < records->len; i++) {
        vary_lua_push_texts(L, g_ptr_array_index(records, i));
        lua_seti(L, -2, (lua_Integer)i + 1);
    }
    g_ptr_array_unref(records);
    return 1;
}

static int load_machine(lua_State *L)
{
    struct machine_given *given = given_of(L);
    GError *error = NULL;
    char **overrides = vary_lua_texts(L, 1);
    given->machine = machine_load(given->path, (const char *const *)overrides, &error);
    g_strfreev(overrides);
    if (!given->machine)
        return views_raise(L, error);
    vary_lua_push_machine(L, given->machine);
    lua_pushinteger(L, given->machine->spec.nodes);
    return 2;
}

static int note_measured(lua_State *L)
{
    struct provenance *entry = machine_find(given_of(L)->machine, luaL_checkstring(L, 1));
    if (entry == NULL)
        return 0;
    entry->kind = SOURCE_MEASURED;
    g_free(entry->source);
    entry->source = g_strdup(luaL_checkstring(L, 2));
    return 0;
}

static int open_study(lua_State *L)
{
    struct machine_given *given = given_of(L);
    GError *error = NULL;
    struct study *study = study_load(luaL_checkstring(L, 1), NULL, &error);
    if (!study)
        return views_raise(L, error);
    struct variants *variants = variants_new(study, &given->request->options);
    given->opened[given->count++] = variants;
    vary_lua_push_variants(L, variants);
    return 1;
}

/* --- the command --------------------------------------------------------------------------------- */

static int push_given(lua_State *L, void *context)
{
    static const luaL_Reg functions[] = {{"read", read_file},
                                         {"write", write_file},
                                         {"records", read_records},
                                         {"load", load_machine},
                                         {"measured", note_measured},
                                         {"open", open_study},
                                         {NULL, NULL}};
    struct machine_given *given = context;
    const struct calibrate_request *request = given->request;
    g_auto(GStrv) names = g_new0(char *, (gsize)request->count + 1);
    for (int i = 0; i < request->count; i++)
        names[i] = g_path_get_basename(request->data[i]);
    luaL_newlibtable(L, functions);
    lua_pushlightuserdata(L, given);
    luaL_setfuncs(L, functions, 1);
    vary_lua_push_texts(L, names);
    lua_setfield(L, -2, "data");
    vary_lua_push_texts(L, (char *const *)given->files->pdata);
    lua_setfield(L, -2, "files");
    vary_lua_push_texts(L, (char *const *)(gsize)request->fixed);
    lua_setfield(L, -2, "fixed");
    lua_pushinteger(L, (lua_Integer)request->folds);
    lua_setfield(L, -2, "folds");
    lua_pushboolean(L, request->keep);
    lua_setfield(L, -2, "keep");
    return 1;
}

/* Where the outputs go, before anything is run. */
static bool prepare(const struct calibrate_request *request, const struct output_rules *rules,
                    GError **error)
{
    return (!request->output || output_prepare_file(request->output, rules, error)) &&
           (!request->rows || output_prepare_file(request->rows, rules, error));
}

/* Searches, shows and writes. */
static bool answer(struct machine_given *given, const struct output_rules *rules, GError **error)
{
    const struct calibrate_request *request = given->request;
    g_auto(GStrv) texts =
        views_call("calibrate/machine", "answer", push_given, given, g_variant_new("()"), error);
    return texts &&
           (!request->rows ||
            output_write(request->rows, texts[0], strlen(texts[0]), rules, error)) &&
           (!request->output ||
            output_write(request->output, texts[1], strlen(texts[1]), rules, error));
}

static int by_name(gconstpointer one, gconstpointer other)
{
    return strcmp(*(const char *const *)one, *(const char *const *)other);
}

/* The tables of a folder, by name. */
static bool add_tables(GPtrArray *files, const char *folder, GError **error)
{
    guint before = files->len;
    GDir *dir = g_dir_open(folder, 0, NULL);
    for (const char *name; dir && (name = g_dir_read_name(dir)) != NULL;)
        if (g_str_has_suffix(name, ".tsv"))
            g_ptr_array_add(files, g_build_filename(folder, name, NULL));
    if (dir)
        g_dir_close(dir);
    if (files->len == before)
        return error_set(error, "%s: has no table (*.tsv) that can be read", folder);
    qsort(&files->pdata[before], files->len - before, sizeof(char *), by_name);
    return true;
}

/* Paths of the data, of folders their tables. */
static bool list_data(GPtrArray *files, const struct calibrate_request *request, GError **error)
{
    for (int i = 0; i < request->count; i++) {
        if (!g_file_test(request->data[i], G_FILE_TEST_IS_DIR))
            g_ptr_array_add(files, g_strdup(request->data[i]));
        else if (!add_tables(files, request->data[i], error))
            return false;
    }
    return true;
}

/* Answers in a folder of its own. */
static bool calibrate(struct machine_given *given, const struct output_rules *rules, GError **error)
{
    given->lock = leftover_new_folder(g_get_tmp_dir(), PREFIX, &given->folder);
    if (given->lock < 0)
        return error_set_code(error, ERROR_RUN, "%s: a folder cannot be made there",
                              g_get_tmp_dir());
    bool good = answer(given, rules, error);
    for (int i = 0; i < given->count; i++)
        variants_free(given->opened[i]);
    machine_free(given->machine);
    leftover_drop(given->folder, given->lock);
    g_free(given->folder);
    return good;
}

bool calibrate_machine(const struct calibrate_request *request, GError **error)
{
    g_autoptr(GPtrArray) files = g_ptr_array_new_with_free_func(g_free);
    g_autofree char *machine_path = home_file(request->machine, HOME_MACHINE, error);
    if (!machine_path || !list_data(files, request, error))
        return false;
    g_autoptr(GPtrArray) inputs = g_ptr_array_new();
    g_ptr_array_add(inputs, machine_path);
    for (guint i = 0; i < files->len; i++)
        g_ptr_array_add(inputs, files->pdata[i]);
    g_ptr_array_add(inputs, NULL);
    g_ptr_array_add(files, NULL); /* as a list of texts */
    g_autoptr(GPtrArray) planned = g_ptr_array_new_with_free_func(g_free);
    const struct output_rules rules = {
        .force = request->force, .inputs = (const char *const *)inputs->pdata, .planned = planned};
    struct machine_given given = {.request = request, .path = machine_path, .files = files};
    return prepare(request, &rules, error) && calibrate(&given, &rules, error);
}
