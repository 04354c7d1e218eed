/* SPDX-License-Identifier: BSD-3-Clause */
/* Of `program`: studies, and searches over variants of them. */
#include <lauxlib.h>
#include <string.h>

#include "core/error.h"
#include "script/commands/outputs.h"
#include "script/commands/session.h"
#include "script/script.h"
#include "script/searches/calibrate_machine.h"
#include "script/searches/vary_lua.h"
#include "study/claims/claims.h"
#include "study/experiment.h"
#include "study/model/select.h"
#include "study/rehearsal.h"
#include "study/table/provenance.h"

/* study(path, overrides): one that is read. */
static int read_study(lua_State *L, GError **error)
{
    g_auto(GStrv) overrides = session_texts(L, 2);
    struct study *study = study_load(luaL_checkstring(L, 1), (const char *const *)overrides, error);
    if (study)
        session_push_object(L, study, (GDestroyNotify)study_free);
    return 1;
}

/* read(path, overrides): the study that a file describes; nil: it describes a machine. */
static int read_either(lua_State *L, GError **error)
{
    g_auto(GStrv) overrides = session_texts(L, 2);
    struct study *study;
    if (!script_read(luaL_checkstring(L, 1), (const char *const *)overrides, &study, error) ||
        !study)
        return 0;
    session_push_object(L, study, (GDestroyNotify)study_free);
    return 1;
}

/* about(study): its name, title and path, how many points and plots it has, and whether it is long. */
static int about(lua_State *L)
{
    const struct study *study = session_object(L, 1);
    const char *const texts[][2] = {
        {"name", study->name}, {"title", study->title}, {"path", study->path}};
    lua_newtable(L);
    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
        lua_pushstring(L, texts[i][1]);
        lua_setfield(L, -2, texts[i][0]);
    }
    lua_pushinteger(L, (lua_Integer)study->point_count);
    lua_setfield(L, -2, "points");
    lua_pushinteger(L, (lua_Integer)study->plot_count);
    lua_setfield(L, -2, "plots");
    lua_pushboolean(L, study->is_long);
    lua_setfield(L, -2, "is_long");
    return 1;
}

/* inputs(study, file, store): the files that a command with this study reads. */
static int inputs(lua_State *L)
{
    g_auto(GStrv) paths =
        outputs_inputs(session_object(L, 1), luaL_checkstring(L, 2), luaL_optstring(L, 3, NULL));
    vary_lua_push_texts(L, paths);
    return 1;
}

/* select(study, text): the numbers of the points that it names; nil: of all. */
static int select_some(lua_State *L, GError **error)
{
    g_autoptr(GArray) points =
        points_select(session_object(L, 1), luaL_optstring(L, 2, NULL), error);
    lua_newtable(L);
    for (guint i = 0; points && i < points->len; i++) {
        lua_pushinteger(L, g_array_index(points, guint, i));
        lua_seti(L, -2, (lua_Integer)i + 1);
    }
    return 1;
}

/* label(study, point) */
static int label(lua_State *L)
{
    return session_push_text(L, point_label(session_object(L, 1), (size_t)luaL_checkinteger(L, 2)));
}

/* point_values(study, point): as `values` of the point's machine. */
static int point_values(lua_State *L, GError **error)
{
    struct machine *machine =
        study_machine(session_object(L, 1), (size_t)luaL_checkinteger(L, 2), error);
    if (!machine)
        return 0;
    struct table *table = provenance_table(machine);
    session_push_rows(L, table);
    table_free(table);
    machine_free(machine);
    return 1;
}

/* point_machine(study, point): the functions of vary_lua.h. */
static int point_machine(lua_State *L, GError **error)
{
    struct machine *machine =
        study_machine(session_object(L, 1), (size_t)luaL_checkinteger(L, 2), error);
    if (!machine)
        return 0;
    vary_lua_push_machine(L, machine);
    session_push_object(L, machine, (GDestroyNotify)machine_free);
    lua_setfield(L, -2, "owned");
    return 1;
}

/* keep_statistics(study): of the points that are run. */
static int keep_statistics(lua_State *L)
{
    study_set_stats(session_object(L, 1), true);
    return 0;
}

/* --- before a run ------------------------------------------------------------------------------- */

/* rehearse(study): in this process; returns a doubt, if there is one. */
static int rehearse_here(lua_State *L, GError **error)
{
    char *doubt = NULL;
    rehearse(session_object(L, 1), &doubt, error);
    return session_push_text(L, doubt);
}

/* rehearse_apart(study): in a process of its own, which leaves the study as it is. */
static int rehearse_elsewhere(lua_State *L, GError **error)
{
    rehearse_apart(session_object(L, 1), false, error);
    return 0;
}

/* check_claims(study, path): whether the table has all claims that it answers. */
static int check_claims(lua_State *L, GError **error)
{
    const struct study *study = session_object(L, 1);
    struct claims *claims =
        study->claim_count ? claims_open(luaL_checkstring(L, 2), NULL, NULL, error) : NULL;
    if (claims)
        experiment_has_claims(study, claims, error);
    claims_free(claims);
    return 0;
}

/* check_seed(): of the common option --seed. */
static int check_seed(lua_State *L, GError **error)
{
    struct session *session = session_of(L);
    run_options_check_seed(&session->options, error);
    lua_pushinteger(L, (lua_Integer)run_options_seed(&session->options));
    return 1;
}

/* resolve(only_reads, store): the common options, whose store is open until the command ends; nil: the store that they name. */
static int resolve(lua_State *L, GError **error)
{
    struct session *session = session_of(L);
    session->options.only_reads = lua_toboolean(L, 1);
    session->store = g_strdup(luaL_optstring(L, 2, NULL));
    if (session->store)
        session->options.store = session->store;
    run_options_resolve(&session->options, &session->resolved, error);
    return 0;
}

/* --- searches ----------------------------------------------------------------------------------- */

/* variants(study): takes the study over; the functions of vary_lua.h. */
static int make_variants(lua_State *L)
{
    struct session *session = session_of(L);
    struct variants *variants = variants_new(session_steal(L, 1), &session->resolved);
    vary_lua_push_variants(L, variants);
    session_push_object(L, variants, (GDestroyNotify)variants_free);
    lua_setfield(L, -2, "owned");
    return 1;
}

static lua_Integer number_of(lua_State *L, const char *field)
{
    lua_getfield(L, 1, field);
    lua_Integer number = luaL_optinteger(L, -1, 0);
    lua_pop(L, 1);
    return number;
}

static const char *text_of(lua_State *L, const char *field)
{
    lua_getfield(L, 1, field);
    const char *text = lua_tostring(L, -1); /* it stays in the table */
    lua_pop(L, 1);
    return text;
}

static bool is_set(lua_State *L, const char *field)
{
    lua_getfield(L, 1, field);
    bool is = lua_toboolean(L, -1);
    lua_pop(L, 1);
    return is;
}

/* search(): takes the common option --workers for runs of a search, which show no progress. */
static int search(lua_State *L, GError **error)
{
    struct session *session = session_of(L);
    session->resolved = (struct runner_options){.seed = 1, .progress = PROGRESS_NONE};
    run_options_resolve_workers(session->options.workers, &session->resolved.workers, error);
    return 0;
}

/* calibrate_machine { path, data, output, rows, folds, keep } */
static int of_machine(lua_State *L, GError **error)
{
    struct session *session = session_of(L);
    lua_getfield(L, 1, "data");
    g_auto(GStrv) data = session_texts(L, 2);
    struct calibrate_request request = {.machine = text_of(L, "path"),
                                        .data = data,
                                        .count = (int)g_strv_length(data),
                                        .output = text_of(L, "output"),
                                        .rows = text_of(L, "rows"),
                                        .fixed = (const char *const *)session->options.overrides,
                                        .force = session->options.force,
                                        .keep = is_set(L, "keep"),
                                        .folds = (size_t)number_of(L, "folds"),
                                        .options = session->resolved};
    calibrate_machine(&request, error);
    return 0;
}

const struct session_function session_studies[] = {{"load_study", read_study, NULL},
                                                   {"read", read_either, NULL},
                                                   {"about", NULL, about},
                                                   {"inputs", NULL, inputs},
                                                   {"select", select_some, NULL},
                                                   {"label", NULL, label},
                                                   {"point_values", point_values, NULL},
                                                   {"keep_statistics", NULL, keep_statistics},
                                                   {"rehearse", rehearse_here, NULL},
                                                   {"rehearse_apart", rehearse_elsewhere, NULL},
                                                   {"check_claims", check_claims, NULL},
                                                   {"check_seed", check_seed, NULL},
                                                   {"resolve", resolve, NULL},
                                                   {"variants", NULL, make_variants},
                                                   {"search", search, NULL},
                                                   {"point_machine", point_machine, NULL},
                                                   {"calibrate_machine", of_machine, NULL},
                                                   {NULL, NULL, NULL}};
