/* SPDX-License-Identifier: BSD-3-Clause */
/* What functions of a study make of its results. Claims: `claims = { ["N-39"] = function(r) return ... end }`. The function gets
 * the results: r:value { design = "dgpu", bytes = "8B" } is the one row of that point, r:each "bytes" the values of an axis,
 * r.rows all rows that did not fail. It returns a number in the claim's unit, true or false, or a table { obtained = number,
 * holds = boolean, note = text, limits = { number, ... } }, in which an obtained range is { LOW, HIGH }, and `limits` are the
 * values with which `holds` compares the obtained one. A claim may also be listed by its id alone: the study shows it, but does
 * not judge it. */
#include <lauxlib.h>

#include "core/error.h"
#include "script/machine/value_lua.h"
#include "script/sandbox/modules.h"
#include "script/sandbox/record.h"
#include "script/sandbox/sandbox.h"
#include "script/study/point.h"
#include "script/study/study_lua.h"
#include "script/values/values.h"

/* --- results, and functions of them ------------------------------------------------------------- */

static void push_row(lua_State *L, const struct study *study, const struct row *row)
{
    lua_newtable(L);
    for (size_t i = 0; i < row->measure_count; i++)
        value_set_fields(L, row->measures[i].name, &row->measures[i].value);
    for (size_t i = 0; i < study->axis_count; i++) {
        study_push_value(L, i, row->axis_index[i]);
        lua_setfield(L, -2, study->axes[i].name);
    }
    record_push(L, "the row");
}

/* Pushes a row: { its step on each axis, of = the record, failure = the reason why there is no record }. */
static void push_result(lua_State *L, const struct study *study, const struct row *row)
{
    lua_createtable(L, (int)study->axis_count, 2);
    for (size_t i = 0; i < study->axis_count; i++) {
        lua_pushinteger(L, (lua_Integer)row->axis_index[i] + 1);
        lua_append(L);
    }
    lua_set_text(L, "failure", row->failure);
    if (!row->failure) {
        push_row(L, study, row);
        lua_setfield(L, -2, "of");
    }
}

/* The results for a function of the study, and what it returns. */
struct results {
    const struct study *study;
    struct row *const *rows;
    size_t row_count;
    const char *file, *function; /* of views/tables; it calls the study's function */
    const char *id;              /* its first argument, or else `number` */
    lua_Integer number;
    GVariant *answer;
    char *conclusion;
};

/* results(handle): the object: r:value { ... }, r:each "axis", r.rows (views/tables/results.lua). */
int core_results(lua_State *L)
{
    const struct results *results = lua_touserdata(L, 1);
    lua_createtable(L, (int)results->row_count, 0);
    for (size_t i = 0; i < results->row_count; i++) {
        push_result(L, results->study, results->rows[i]);
        lua_append(L);
    }
    modules_call(L, "results", "make", 1);
    record_push(L, "the results");
    return 1;
}

static int evaluate(lua_State *L)
{
    struct results *results = lua_touserdata(L, 1);
    if (results->id)
        lua_pushstring(L, results->id);
    else
        lua_pushinteger(L, results->number);
    lua_pushlightuserdata(L, results);
    modules_call(L, results->file, results->function, 2);
    if (!lua_isnil(L, -1))
        tables_variant(L, &results->answer);
    return 0;
}

/* What the function returns; an empty value of the type if that is nil. */
static GVariant *answer_of(struct results *results, const char *type, GError **error)
{
    bool is_done = sandbox_call(results->study->state, evaluate, results, ERROR_USE, error);
    if (is_done)
        return results->answer ? results->answer : g_variant_ref_sink(g_variant_new(type, NULL));
    g_clear_pointer(&results->answer, g_variant_unref);
    return NULL;
}

GVariant *study_evaluate_claim(struct study *study, const char *claim, struct row *const *rows,
                               size_t row_count, GError **error)
{
    struct results results = {study, rows, row_count, "claims", "answer", .id = claim};
    return answer_of(&results, "a{sv}", error);
}

GVariant *study_plot_marks(struct study *study, size_t plot, struct row *const *rows,
                           size_t row_count, GError **error)
{
    struct results results = {study,   rows,    row_count,
                              "plots", "marks", .number = (lua_Integer)plot + 1};
    return answer_of(&results, "av", error);
}

static int conclude(lua_State *L)
{
    struct results *results = lua_touserdata(L, 1);
    if (study_push(L, "conclude") == LUA_TNIL)
        return 0;
    script_blame(L);
    lua_pushcfunction(L, core_results);
    lua_pushlightuserdata(L, results);
    lua_call(L, 1, 1);
    lua_call(L, 1, 1);
    modules_call(L, "conclusion", "text", 1);
    results->conclusion = g_strdup(lua_tostring(L, -1));
    return 0;
}

char *study_conclude(struct study *study, struct row *const *rows, size_t row_count, GError **error)
{
    struct results results = {.study = study, .rows = rows, .row_count = row_count};
    sandbox_call(study->state, conclude, &results, ERROR_USE, error);
    return results.conclusion;
}
