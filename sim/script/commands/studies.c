/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions of `program`: studies, and how their points are run. */
#include <lauxlib.h>
#include <string.h>

#include "core/error.h"
#include "script/commands/session.h"
#include "script/sandbox/sandbox.h"
#include "script/script.h"
#include "script/searches/vary_lua.h"
#include "script/study/point.h"
#include "script/values/values.h"
#include "script/views/measured.h"
#include "script/views/views.h"

/* Pushes a study, or nothing if it is NULL; returns the number of results. */
static int push_study(lua_State *L, struct study *study)
{
    if (study)
        session_push_object(L, study, (GDestroyNotify)study_free);
    return study != NULL;
}

/* study(path, overrides): reads a study. */
static int read_study(lua_State *L, GError **error)
{
    g_auto(GStrv) overrides = lua_texts_at(L, 2);
    return push_study(L, study_load(luaL_checkstring(L, 1), (const char *const *)overrides, error));
}

/* read(path, overrides): the study that a file describes; nil: it describes a machine. */
static int read_either(lua_State *L, GError **error)
{
    g_auto(GStrv) overrides = lua_texts_at(L, 2);
    struct study *study;
    if (!script_read(luaL_checkstring(L, 1), (const char *const *)overrides, &study, error) ||
        !study)
        return 0;
    return push_study(L, study);
}

static void set_count(lua_State *L, const struct study *study, const char *table)
{
    g_autoptr(GVariant) list = study_table(study, table);
    lua_set_integer(L, table, (lua_Integer)g_variant_n_children(list));
}

/* about(study): its name, title, path and digest, its numbers of points, plots, samples of estimated values and files of
 * measurements, the ids of its claims, the seed of later runs, whether it concludes anything and is long, and whether all points
 * have one machine. */
static int about(lua_State *L)
{
    struct study *study = session_object(L, 1);
    lua_newtable(L);
    lua_set_text(L, "name", study->name);
    lua_set_text(L, "title", study->title);
    lua_set_text(L, "path", study->path);
    lua_set_text(L, "digest", study->digest);
    lua_set_integer(L, "points", (lua_Integer)study->point_count);
    set_count(L, study, "plots");
    set_count(L, study, "measured");
    lua_set_integer(L, "samples", (lua_Integer)study->band_samples);
    g_autoptr(GVariant) claims = study_table(study, "claims");
    views_push_value(L, claims);
    lua_setfield(L, -2, "claims");
    lua_set_integer(L, "seed", (lua_Integer)session_of(L)->resolved.seed);
    lua_set_flag(L, "concludes", study->concludes);
    lua_set_flag(L, "is_long", study->is_long);
    lua_set_flag(L, "has_one_machine", study_has_one_machine(study));
    return 1;
}

/* calls(study, point): a line for each workload that the point's rehearsal calls, with its name and its arguments as JSON. */
static int calls_of(lua_State *L, GError **error)
{
    struct study *study = session_object(L, 1);
    struct machine *machine = study_machine(study, (size_t)luaL_checkinteger(L, 2), error);
    if (!machine)
        return 0;
    lua_push_owned(L, study_rehearsed_calls(study, (size_t)luaL_checkinteger(L, 2), machine));
    machine_free(machine);
    return 1;
}

/* steps(study, point): for each axis the number of the point's value. */
static int steps(lua_State *L)
{
    const struct study *study = session_object(L, 1);
    size_t point = (size_t)luaL_checkinteger(L, 2);
    lua_createtable(L, (int)study->axis_count, 0);
    for (size_t i = 0; i < study->axis_count; i++) {
        lua_pushinteger(L, (lua_Integer)study_axis_index(study, point, i) + 1);
        lua_seti(L, -2, (lua_Integer)i + 1);
    }
    return 1;
}

/* point_machine(study, point) */
static int point_machine(lua_State *L, GError **error)
{
    struct machine *machine =
        study_machine(session_object(L, 1), (size_t)luaL_checkinteger(L, 2), error);
    if (machine)
        session_push_object(L, machine, (GDestroyNotify)machine_free);
    return 1;
}

/* keep_statistics(study): rows of later runs keep the statistics of their points. */
static int keep_statistics(lua_State *L)
{
    study_set_stats(session_object(L, 1), true);
    return 0;
}

/* --- a study as texts --------------------------------------------------------------------------- */

/* files(study): a table of path, names and text of each file that it was read from, the main one first. */
static int files_of(lua_State *L)
{
    const GPtrArray *files = study_files(session_object(L, 1));
    lua_createtable(L, (int)files->len, 0);
    for (guint i = 0; i < files->len; i++) {
        const struct script_file *file = g_ptr_array_index(files, i);
        lua_createtable(L, 0, 3);
        lua_set_text(L, "path", file->path);
        lua_set_text(L, "names", file->names);
        lua_set_text(L, "text", file->text);
        lua_seti(L, -2, (lua_Integer)i + 1);
    }
    return 1;
}

/* study_of_files(files, overrides): the study of such files, read instead of files on disk. */
static int study_of_files(lua_State *L, GError **error)
{
    g_auto(GStrv) overrides = lua_texts_at(L, 2);
    g_autoptr(GPtrArray) files = g_ptr_array_new_with_free_func(script_file_free);
    for (lua_Integer i = 1; lua_geti(L, 1, i) != LUA_TNIL; i++) {
        struct script_file *file = g_new0(struct script_file, 1);
        *file = (struct script_file){.path = g_strdup(lua_text_field(L, -1, "path")),
                                     .names = g_strdup(lua_text_field(L, -1, "names")),
                                     .text = g_strdup(lua_text_field(L, -1, "text"))};
        g_ptr_array_add(files, file);
        lua_pop(L, 1);
    }
    return push_study(L, study_load_files(files, (const char *const *)overrides, error));
}

/* axes(study): its axes (axes_lua_push). */
static int axes_of(lua_State *L)
{
    return axes_lua_push(L, session_object(L, 1));
}

/* --- how points are run ------------------------------------------------------------------------- */

static bool open_resolved_store(lua_State *L, struct runner_options *resolved, GError **error)
{
    const char *store = lua_text_field(L, 1, "store");
    resolved->remembers = lua_flag_field(L, 1, "remembers") || store;
    if (store)
        resolved->store =
            store_open(store, lua_flag_field(L, 1, "only_reads") ? STORE_READ : STORE_WRITE, error);
    return !store || resolved->store;
}

#define TELL "tell" /* in the registry: the function that is told how a run goes on */

/* Calls the function with what has happened. */
static void tell_news(void *context, const struct runner_news *news)
{
    lua_State *L = context;
    int top = lua_gettop(L);
    luaL_checkstack(L, LUA_MINSTACK, "progress");
    lua_getfield(L, LUA_REGISTRYINDEX, TELL);
    lua_createtable(L, 0, 12);
    lua_set_text(L, "event", news->event);
    lua_set_text(L, "name", news->name);
    lua_set_integer(L, "points", (lua_Integer)news->points);
    lua_set_integer(L, "known", (lua_Integer)news->known);
    lua_set_integer(L, "done", (lua_Integer)news->done);
    lua_set_integer(L, "failed", (lua_Integer)news->failed);
    lua_set_number(L, "seconds", (double)news->run_us / 1e6);
    lua_set_number(L, "took_s", (double)news->point_us / 1e6);
    if (news->row) {
        lua_set_integer(L, "memory_bytes", (lua_Integer)news->row->memory_bytes);
        lua_set_text(L, "failure", news->row->failure);
        lua_set_text(L, "patient", news->row->patient);
        lua_set_number(L, "saving", news->row->saving);
    }
    if (news->row && session_of(L)->sees_rows) {
        vary_lua_push_row(L, (struct row *)(gsize)news->row);
        lua_setfield(L, -2, "row");
    }
    lua_pcall(L, 1, 0, 0);
    lua_settop(L, top);
}

/* resolve { workers, seed, tell, sees_rows, redo, shard, shards, time_limit_us, memory_limit_bytes, store, only_reads,
 * remembers, with_stats, doubtful }: sets the options of later runs, which views/run_options.lua has checked. The store is open
 * until the command ends. */
static int resolve(lua_State *L, GError **error)
{
    struct session *session = session_of(L);
    const char *redo = lua_text_field(L, 1, "redo");
    struct runner_options *resolved = &session->resolved;
    session->sees_rows = lua_flag_field(L, 1, "sees_rows");
    lua_getfield(L, 1, "tell");
    lua_setfield(L, LUA_REGISTRYINDEX, TELL);
    *resolved = (struct runner_options){
        .workers = (unsigned)lua_integer_field(L, 1, "workers"),
        .seed = (uint64_t)lua_integer_field(L, 1, "seed"),
        .tell = tell_news,
        .tell_context = L,
        .redo = !redo          ? REDO_NONE
                : *redo == 'f' ? REDO_FAILED
                               : REDO_ALL,
        .shard = (size_t)lua_integer_field(L, 1, "shard"),
        .shards = (size_t)lua_integer_field(L, 1, "shards"),
        .time_limit_us = lua_integer_field(L, 1, "time_limit_us"),
        .memory_limit_bytes = (guint64)lua_integer_field(L, 1, "memory_limit_bytes"),
        .with_stats = lua_flag_field(L, 1, "with_stats"),
        .doubtful = (size_t)lua_integer_field(L, 1, "doubtful"),
        .dispatch = session->sweep ? session->sweep->dispatch : NULL,
        .dispatch_context = session->sweep ? session->sweep->context : NULL};
    open_resolved_store(L, resolved, error);
    return 0;
}

/* set_seed(seed): sets the seed of later runs. */
static int set_seed(lua_State *L)
{
    session_of(L)->resolved.seed = (uint64_t)luaL_checkinteger(L, 1);
    return 0;
}

const struct session_function session_studies[] = {{"load_study", read_study, NULL},
                                                   {"read", read_either, NULL},
                                                   {"about", NULL, about},
                                                   {"steps", NULL, steps},
                                                   {"keep_statistics", NULL, keep_statistics},
                                                   {"calls", calls_of, NULL},
                                                   {"files", NULL, files_of},
                                                   {"study_of_files", study_of_files, NULL},
                                                   {"axes", NULL, axes_of},
                                                   {"set_seed", NULL, set_seed},
                                                   {"resolve", resolve, NULL},
                                                   {"point_machine", point_machine, NULL},
                                                   {NULL, NULL, NULL}};
