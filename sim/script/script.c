/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads files into studies and machines. A state is opened for a file, the file is run in it, and its result is taken out. */
#include "study/model/study.h"

#include <lauxlib.h>
#include <string.h>

#include "core/error.h"
#include "script/machine/design_lua.h"
#include "script/machine/machine_lua.h"
#include "script/machine/override.h"
#include "script/machine/quantity_lua.h"
#include "script/machine/require.h"
#include "script/machine/software_lua.h"
#include "script/machine/source.h"
#include "script/machine/value_lua.h"
#include "script/program/program.h"
#include "script/sandbox/library.h"
#include "script/sandbox/sandbox.h"
#include "script/script.h"
#include "script/study/settings_lua.h"
#include "script/study/study_lua.h"
#include "script/study/workload_lua.h"
#include "script/views/home_file.h"
#include "study/model/machine.h"

/* Arguments and results of loading a file: a study or a machine, as wanted. */
struct load_call {
    const char *path;
    const char *const *overrides; /* values of machine parameters, for a study; may be NULL */
    const GPtrArray *given;       /* struct script_file, instead of files on disk; NULL: none */
    bool wants_study, wants_machine;
    struct study *study;
    struct machine *machine;
};

static void open_words(lua_State *L)
{
    source_open(L);
    quantity_open(L);
    settings_open(L);
    machine_open(L);
    software_open(L);
    design_open(L);
    study_open(L);
    workload_open(L);
    program_open(L);
    schedule_open(L);
}

/* A description of the value that the file returned. */
static const char *describe(lua_State *L, const struct load_call *call)
{
    if (call->study)
        return "a study";
    if (machine_is(L, -1))
        return "a machine";
    return lua_isnil(L, -1) ? "nothing" : lua_pushfstring(L, "a %s", luaL_typename(L, -1));
}

static const char *wanted_text(const struct load_call *call, bool is_machine)
{
    if (call->wants_machine)
        return call->wants_study ? "a study or a machine" : "a machine";
    return is_machine
               ? "a study; gpunetsim new study NAME writes one, which can require the machine"
               : "a study";
}

static int load(lua_State *L)
{
    struct load_call *call = lua_touserdata(L, 1);
    library_open(L);
    require_open(L, call->path);
    open_words(L);
    lua_settop(L, 0);
    require_run_main(L, call->path);
    if (lua_isfunction(L, -1) && call->wants_machine) {
        lua_newtable(L);
        lua_call(L, 1, 1);
    }
    call->study = study_take(L, -1);
    if (!call->study || study_push(L, "machine") != LUA_TFUNCTION)
        design_check_expected(L);
    if (call->study)
        settings_check(L);
    lua_settop(L, 1);
    bool is_machine = machine_is(L, -1);
    bool is_wanted = call->study ? call->wants_study : call->wants_machine && is_machine;
    if (!is_wanted)
        luaL_error(L, "%s: returns %s instead of %s", call->path, describe(L, call),
                   wanted_text(call, is_machine));
    if (!call->study)
        machine_read(L, lua_gettop(L), &call->machine);
    return 0;
}

/* The name of a scenario: "fig08a" for "scenarios/compnet/fig08a.lua". */
static char *scenario_name(const char *path)
{
    char *name = g_path_get_basename(path);
    if (g_str_has_suffix(name, ".lua"))
        name[strlen(name) - strlen(".lua")] = '\0';
    return name;
}

static void add_text(GChecksum *sum, const char *text)
{
    g_checksum_update(sum, (const guchar *)text, (gssize)strlen(text) + 1);
}

/* Adds the project's message libraries and MPIs (configs/runtimes.lua) to the digest. */
static void add_software(GChecksum *sum)
{
    const struct machine_spec *all = machine_defaults();
    for (size_t i = 0; i < machine_section_count(all); i++) {
        const struct param_table *table = machine_section(all, i).table;
        if (table->kind == NULL)
            continue;
        add_text(sum, table->component);
        for (size_t j = 0; j < table->count; j++)
            add_text(sum, table->params[j].default_text);
    }
}

static char *digest_of(const struct script_state *state, const char *const *overrides)
{
    GChecksum *sum = g_checksum_new(G_CHECKSUM_SHA256);
    for (guint i = 0; i < state->files->len; i++) {
        const struct script_file *file = g_ptr_array_index(state->files, i);
        add_text(sum, file->text);
    }
    for (; overrides && *overrides; overrides++)
        add_text(sum, *overrides);
    for (size_t i = 0; i < designs_count(); i++) {
        const struct named_design *named = designs_at(i);
        char axes[PARAM_TEXT_SIZE];
        param_record_format(&design_record, &named->design, true, axes);
        add_text(sum, named->name);
        add_text(sum, axes);
    }
    add_software(sum);
    char *digest = g_strdup(g_checksum_get_string(sum));
    g_checksum_free(sum);
    return digest;
}

/* Adds to a study the data of its file; from here on the study owns the state. */
static bool complete_study(const struct load_call *call, struct script_state *state, GError **error)
{
    struct study *study = call->study;
    study->path = g_strdup(call->path);
    study->name = scenario_name(call->path);
    study->state = state;
    study->digest = digest_of(state, call->overrides);
    state->is_complete = true;
    return study_make_points(study, error);
}

/* Frees all that a call has loaded, and the state. */
static void close_file(struct load_call *call, struct script_state *state)
{
    if (call->study)
        study_clear(call->study);
    machine_free(call->machine);
    sandbox_free(state);
}

/* Opens the file. call->path may be a name (home_file); from here on it is a path, which the call frees. */
static struct script_state *open_file(struct load_call *call, GError **error)
{
    g_autofree char *path =
        call->given ? g_strdup(call->path)
                    : home_file(call->path, call->wants_study, call->wants_machine, error);
    if (!path)
        return NULL;
    call->path = path;
    struct script_state *state = sandbox_new(call->path);
    state->overrides = g_strdupv((char **)(uintptr_t)call->overrides);
    state->given = call->given;
    if (sandbox_call(state, load, call, ERROR_USE, error) &&
        (!call->study ||
         (overrides_valid(call->overrides, error) && complete_study(call, state, error))))
        return state;
    close_file(call, state);
    return NULL;
}

struct study *study_load(const char *path, const char *const *overrides, GError **error)
{
    struct load_call call = {.path = path, .overrides = overrides, .wants_study = true};
    return open_file(&call, error) ? call.study : NULL;
}

struct study *study_load_files(const GPtrArray *files, const char *const *overrides, GError **error)
{
    const struct script_file *main = g_ptr_array_index(files, 0);
    struct load_call call = {
        .path = main->path, .overrides = overrides, .given = files, .wants_study = true};
    struct script_state *state = open_file(&call, error);
    if (!state)
        return NULL;
    state->given = NULL; /* a complete study requires no more */
    return call.study;
}

const GPtrArray *study_files(const struct study *study)
{
    return study->state->files;
}

void study_free(struct study *study)
{
    if (!study)
        return;
    sandbox_free(study->state);
    study_clear(study);
}

struct machine *machine_load(const char *path, const char *const *overrides, GError **error)
{
    struct load_call call = {.path = path, .wants_machine = true};
    struct script_state *state = open_file(&call, error);
    if (!state)
        return NULL;
    sandbox_free(state);
    machine_is_described(call.machine);
    if (overrides_are_of_machine(overrides, error) && override_all(call.machine, overrides, error))
        return call.machine;
    machine_free(call.machine);
    return NULL;
}

/* --- records ------------------------------------------------------------------------------------- */

struct records_call {
    const char *path;
    size_t width;
    GPtrArray *records; /* NULL-ended lists of texts */
};

/* Reads the record on top of the stack. */
static void read_record(lua_State *L, const struct records_call *call)
{
    char **record = g_new0(char *, call->width + 1);
    g_ptr_array_add(call->records, record);
    for (size_t k = 0; k < call->width; k++) {
        if (!lua_istable(L, -1) || lua_rawgeti(L, -1, (lua_Integer)k + 1) != LUA_TSTRING)
            luaL_error(L, "%s: returns no list of records of texts", call->path);
        record[k] = sandbox_copy_text(L, -1);
        lua_pop(L, 1);
    }
}

static void read_records(lua_State *L, void *context)
{
    for (lua_Integer i = 1; lua_rawgeti(L, 1, i) != LUA_TNIL; i++) {
        read_record(L, context);
        lua_settop(L, 2);
    }
}

GPtrArray *script_records(const char *path, size_t width, GError **error)
{
    static const struct require_table list = {"a list of records", open_words, read_records};
    g_autoptr(GPtrArray) records = g_ptr_array_new_with_free_func((GDestroyNotify)g_strfreev);
    struct records_call call = {path, width, records};
    return require_table(path, &list, &call, error) ? g_steal_pointer(&records) : NULL;
}

bool script_read(const char *path, const char *const *overrides, struct study **study,
                 GError **error)
{
    struct load_call call = {
        .path = path, .overrides = overrides, .wants_study = true, .wants_machine = true};
    struct script_state *state = open_file(&call, error);
    bool is_wanted = study && call.study;
    bool good = state && (!call.machine || (overrides_are_of_machine(overrides, error) &&
                                            override_all(call.machine, overrides, error)));
    if (study)
        *study = state && is_wanted ? call.study : NULL;
    if (state && !is_wanted)
        close_file(&call, state);
    return good;
}
