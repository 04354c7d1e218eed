/* SPDX-License-Identifier: BSD-3-Clause */
/* Of `program`: studies that are run, and the claims that they answer. */
#include <lauxlib.h>
#include <string.h>

#include "core/home.h"
#include "script/commands/dry_run.h"
#include "script/commands/outputs.h"
#include "script/commands/session.h"
#include "script/views/core_lua.h"
#include "study/report.h"

static int push_experiment(lua_State *L, struct experiment *experiment)
{
    if (experiment)
        session_push_object(L, experiment, (GDestroyNotify)experiment_free);
    return 1;
}

/* recall(study): takes the study over; its points that the store has. */
static int recall(lua_State *L, GError **error)
{
    struct session *session = session_of(L);
    return push_experiment(L, experiment_recall(session_steal(L, 1), &session->resolved, error));
}

/* run(study): takes the study over, and runs it. */
static int run(lua_State *L, GError **error)
{
    struct session *session = session_of(L);
    return push_experiment(L, experiment_run(session_steal(L, 1), &session->resolved, error));
}

/* drop_samples(study): of what is estimated. */
static int drop_samples(lua_State *L)
{
    ((struct study *)session_object(L, 1))->band_samples = 0;
    return 0;
}

static void keep(gpointer study)
{
    (void)study;
}

/* study_of(experiment) */
static int study_of(lua_State *L)
{
    session_push_object(L, ((struct experiment *)session_object(L, 1))->study, keep);
    return 1;
}

/* results(experiment): how many points have a row, and how many failed; a sentence on these; one on the first claim that could not be
 * evaluated. */
static int results(lua_State *L)
{
    const struct experiment *experiment = session_object(L, 1);
    lua_pushinteger(L, (lua_Integer)experiment->row_count);
    lua_pushinteger(L, (lua_Integer)experiment->failed);
    session_push_text(L, experiment_failure(experiment));
    lua_pushstring(L, experiment->claim_failure);
    return 4;
}

/* rows(experiment): its columns, its rows, and the name of each row's point. */
static int rows(lua_State *L)
{
    const struct experiment *experiment = session_object(L, 1);
    lua_newtable(L);
    for (size_t i = 0; i < experiment->table->column_count; i++) {
        core_lua_push_column(L, &experiment->table->columns[i]);
        lua_seti(L, -2, (lua_Integer)i + 1);
    }
    session_push_rows(L, experiment->table);
    lua_newtable(L);
    for (size_t i = 0; i < experiment->row_count; i++) {
        session_push_text(L, experiment_point_text(experiment->study, experiment->rows[i]));
        lua_seti(L, -2, (lua_Integer)i + 1);
    }
    return 3;
}

/* folder(study, parent): its own folder there. */
static int folder(lua_State *L, GError **error)
{
    return session_push_text(
        L, run_options_folder(luaL_checkstring(L, 2), session_object(L, 1), error));
}

/* prepare_results(study, folder, has_results, has_figures, rules): whether they may be written there. */
static int prepare_results(lua_State *L, GError **error)
{
    g_auto(GStrv) inputs = NULL;
    const struct output_rules rules = session_rules(L, 5, &inputs);
    run_options_prepare_folder(session_object(L, 1), luaL_checkstring(L, 2), lua_toboolean(L, 3),
                               lua_toboolean(L, 4), &rules, error);
    return 0;
}

/* write_results(experiment, folder, rules), write_figures(experiment, folder, rules) */
static int write_results(lua_State *L, GError **error)
{
    g_auto(GStrv) inputs = NULL;
    const struct output_rules rules = session_rules(L, 3, &inputs);
    run_options_write_results(session_object(L, 1), luaL_checkstring(L, 2), &rules, error);
    return 0;
}

static int write_figures(lua_State *L, GError **error)
{
    g_auto(GStrv) inputs = NULL;
    const struct output_rules rules = session_rules(L, 3, &inputs);
    run_options_draw(session_object(L, 1), luaL_checkstring(L, 2), &rules, error);
    return 0;
}

/* write_outputs(experiment, outputs, rules): each FORM:FILE. */
static int write_outputs(lua_State *L, GError **error)
{
    struct experiment *experiment = session_object(L, 1);
    g_auto(GStrv) outputs = session_texts(L, 2), inputs = NULL;
    const struct output_rules rules = session_rules(L, 3, &inputs);
    if (outputs_prepare(outputs, experiment->study, &rules, error))
        outputs_write(outputs, experiment, &rules, error);
    return 0;
}

/* --- what a run would take ---------------------------------------------------------------------- */

/* no_costs(): a total. */
static int no_costs(lua_State *L)
{
    session_push_object(L, g_new0(struct runner_costs, 1), g_free);
    return 1;
}

/* costs(study, total): says it, and adds it to the total. */
static int costs(lua_State *L, GError **error)
{
    struct session *session = session_of(L);
    dry_run(session_object(L, 1), &session->resolved, session_object(L, 2), error);
    return 0;
}

/* tell_costs(name, total) */
static int tell_costs(lua_State *L)
{
    struct session *session = session_of(L);
    dry_run_tell(luaL_checkstring(L, 1), session_object(L, 2), session->resolved.workers);
    return 0;
}

/* --- claims ------------------------------------------------------------------------------------- */

/* claims(stated, modelled, restated): those of the tables of these paths. */
static int read_claims(lua_State *L, GError **error)
{
    struct claims *claims =
        claims_open(luaL_checkstring(L, 1), luaL_checkstring(L, 2), luaL_checkstring(L, 3), error);
    if (claims)
        session_push_object(L, claims, (GDestroyNotify)claims_free);
    return 1;
}

/* own_claims(): the project's own, without what is built in of them. */
static int own_claims(lua_State *L, GError **error)
{
    struct claims *claims = claims_open_own(error);
    if (claims)
        session_push_object(L, claims, (GDestroyNotify)claims_free);
    return 1;
}

/* answered(experiment, claims): what views/claims.lua is given, and the ids of the claims that the study answers. */
static int answered(lua_State *L)
{
    session_push_value(L, claims_value(session_object(L, 2)));
    return 1 + session_push_value(
                   L, experiment_claim_ids(((struct experiment *)session_object(L, 1))->study));
}

/* answer(experiment, claims): enters what it answers. */
static int answer(lua_State *L, GError **error)
{
    experiment_answer(session_object(L, 1), session_object(L, 2), error);
    return 0;
}

/* written(claims): the table of what has come of them, and a sentence on it. */
static int written(lua_State *L, GError **error)
{
    g_auto(GStrv) texts = claims_texts(session_object(L, 1), "written", error);
    if (!texts)
        return 0;
    lua_pushstring(L, texts[0]);
    lua_pushstring(L, texts[1]);
    return 2;
}

static GPtrArray *objects_of(lua_State *L, int argument)
{
    GPtrArray *objects = g_ptr_array_new();
    for (lua_Integer i = 1; lua_geti(L, argument, i) != LUA_TNIL; i++) {
        g_ptr_array_add(objects, session_object(L, -1));
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
    return objects;
}

/* report(experiments, left_out, claims, command): the page. */
static int make_report(lua_State *L, GError **error)
{
    struct session *session = session_of(L);
    g_autoptr(GPtrArray) experiments = objects_of(L, 1), left_out = objects_of(L, 2);
    const struct report report = {.experiments = experiments,
                                  .left_out = left_out,
                                  .claims = session_object(L, 3),
                                  .command = luaL_checkstring(L, 4),
                                  .seed = session->resolved.seed};
    return session_push_text(L, report_html(&report, error));
}

const struct session_function session_experiments[] = {{"recall", recall, NULL},
                                                       {"run", run, NULL},
                                                       {"drop_samples", NULL, drop_samples},
                                                       {"study_of", NULL, study_of},
                                                       {"results", NULL, results},
                                                       {"folder", folder, NULL},
                                                       {"prepare_results", prepare_results, NULL},
                                                       {"write_results", write_results, NULL},
                                                       {"write_figures", write_figures, NULL},
                                                       {"write_outputs", write_outputs, NULL},
                                                       {"no_costs", NULL, no_costs},
                                                       {"costs", costs, NULL},
                                                       {"tell_costs", NULL, tell_costs},
                                                       {"claims", read_claims, NULL},
                                                       {"answer", answer, NULL},
                                                       {"own_claims", own_claims, NULL},
                                                       {"answered", NULL, answered},
                                                       {"rows", NULL, rows},
                                                       {"written", written, NULL},
                                                       {"report", make_report, NULL},
                                                       {NULL, NULL, NULL}};
