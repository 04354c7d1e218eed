/* SPDX-License-Identifier: BSD-3-Clause */
/* Claims of a study: `claims = { ["N-39"] = function(r) return ... end }`. The function gets the
 * results: r:value { design = "dgpu", bytes = "8B" } is the one row of that point, r:each "bytes"
 * the values of an axis, r.rows all rows that did not fail. It returns a number in the claim's
 * unit, true or false, or a table { obtained = number, holds = boolean, note = text, limits = { number, ... } }, in which a
 * range that was obtained is { LOW, HIGH }, and limits are those that `holds` compares what was obtained with. A claim may
 * also be listed by its id alone: the study shows it, but does not judge it. */
#include <lauxlib.h>

#include "core/error.h"
#include "script/machine/value_lua.h"
#include "script/sandbox/modules.h"
#include "script/sandbox/record.h"
#include "script/sandbox/sandbox.h"
#include "script/study/point.h"
#include "script/study/results_lua.h"
#include "script/study/study_lua.h"
#include "script/study/tables.h"

/* --- reading ---------------------------------------------------------------------------------- */

void study_read_claims(lua_State *L, struct study *study)
{
    modules_call(L, "claims", "read", 1);
    lua_getfield(L, -1, "ids");
    size_t count = (size_t)lua_rawlen(L, -1);
    sandbox_take(L, count * sizeof *study->claims);
    study->claims = g_new0(char *, count);
    while (study->claim_count < count) {
        lua_rawgeti(L, -1, (lua_Integer)study->claim_count + 1);
        study->claims[study->claim_count++] = sandbox_copy_text(L, -1);
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
    lua_getfield(L, -1, "functions");
    study_keep(L, "claims");
    lua_pop(L, 1);
}

/* --- results ---------------------------------------------------------------------------------- */

static const struct results *results_now(lua_State *L)
{
    const struct results *results = sandbox_of(L)->results;
    if (!results)
        script_fail(L, "results can be used only inside a function that is given them");
    return results;
}

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

/* The axis called by argument or key at `index`. */
static size_t check_axis(lua_State *L, const struct study *study, int index)
{
    const char *name = lua_type(L, index) == LUA_TSTRING ? lua_tostring(L, index) : "";
    const struct axis *axis = study_axis(study, name);
    if (axis == NULL)
        script_fail(L, "unknown axis \"%s\"%s", name, study_push_axis_hint(L, study, name));
    return (size_t)(axis - study->axes);
}

/* The number of the value at `index` among those of the axis. */
static size_t check_value(lua_State *L, const struct axis *axis, int index)
{
    size_t found = study_value_at(L, axis, index);
    if (found == SIZE_MAX)
        script_fail(L, "axis \"%s\" has no such value", axis->name);
    if (found == axis->count)
        script_fail(L, "axis \"%s\" has no value %s", axis->name, luaL_tolstring(L, index, NULL));
    return found;
}

/* Comparing so many rows takes as long as an instruction. */
#define ROWS_PER_INSTRUCTION 8

static bool row_matches(const struct row *row, const size_t *wanted, size_t axis_count)
{
    for (size_t i = 0; i < axis_count; i++) {
        if (wanted[i] != SIZE_MAX && wanted[i] != row->axis_index[i])
            return false;
    }
    return true;
}

/* The one row that matches; which of its axes are not wanted is SIZE_MAX. */
static const struct row *find_row(lua_State *L, const struct results *results, const size_t *wanted)
{
    const struct row *found = NULL;
    size_t matches = 0;
    sandbox_charge(L, (int64_t)(results->row_count / ROWS_PER_INSTRUCTION));
    for (size_t i = 0; i < results->row_count; i++) {
        if (row_matches(results->rows[i], wanted, results->study->axis_count)) {
            found = results->rows[i];
            matches++;
        }
    }
    if (matches != 1)
        script_fail(L, "r:value matches %d rows instead of one", (int)matches);
    if (found->failure)
        script_fail(L, "r:value asks for a point that failed: %s", found->failure);
    return found;
}

/* r:value { axis = value, ... } */
static int results_value(lua_State *L)
{
    const struct results *results = results_now(L);
    const struct study *study = results->study;
    if (!lua_istable(L, 2))
        script_fail(L, "r:value needs a table such as { bytes = \"8B\" }");
    size_t *wanted = lua_newuserdatauv(L, (study->axis_count + 1) * sizeof *wanted, 0);
    for (size_t i = 0; i < study->axis_count; i++)
        wanted[i] = SIZE_MAX;
    record_sorted_keys(L, 2);
    int keys = lua_gettop(L);
    for (lua_Integer i = 1; lua_rawgeti(L, keys, i) != LUA_TNIL; i++) {
        size_t axis = check_axis(L, study, -1);
        lua_rawget(L, 2);
        wanted[axis] = check_value(L, &study->axes[axis], -1);
        lua_pop(L, 1);
    }
    push_row(L, study, find_row(L, results, wanted));
    return 1;
}

/* r:each "axis": a fresh list of its values. */
static int results_each(lua_State *L)
{
    const struct study *study = results_now(L)->study;
    size_t axis = check_axis(L, study, 2);
    lua_newtable(L);
    for (size_t i = 0; i < study->axes[axis].count; i++) {
        study_push_value(L, axis, i);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    return 1;
}

void results_push(lua_State *L, const struct results *results)
{
    lua_newtable(L);
    lua_pushcfunction(L, results_value);
    lua_setfield(L, -2, "value");
    lua_pushcfunction(L, results_each);
    lua_setfield(L, -2, "each");
    lua_newtable(L);
    lua_Integer count = 0;
    for (size_t i = 0; i < results->row_count; i++) {
        if (results->rows[i]->failure)
            continue;
        push_row(L, results->study, results->rows[i]);
        lua_rawseti(L, -2, ++count);
    }
    lua_setfield(L, -2, "rows");
    record_push(L, "the results");
}

/* --- answer ----------------------------------------------------------------------------------- */

static int evaluate(lua_State *L)
{
    struct results *results = lua_touserdata(L, 1);
    lua_pushstring(L, results->claim);
    study_push(L, "claims");
    if (lua_getfield(L, -1, results->claim) == LUA_TNIL)
        return 0;
    script_blame(L);
    lua_remove(L, -2);
    results_push(L, results);
    lua_call(L, 1, 1);
    modules_call(L, "claims", "answer", 2);
    tables_variant(L, &results->answer);
    return 0;
}

GVariant *study_evaluate_claim(struct study *study, const char *claim, struct row *const *rows,
                               size_t row_count, GError **error)
{
    struct results results = {study, claim, rows, row_count, NULL, NULL};
    struct script_state *state = study->state;
    state->results = &results;
    bool is_done = sandbox_call(state, evaluate, &results, ERROR_USE, error);
    state->results = NULL;
    if (is_done)
        return results.answer ? results.answer : g_variant_ref_sink(g_variant_new("a{sv}", NULL));
    g_clear_pointer(&results.answer, g_variant_unref);
    return NULL;
}

/* --- conclusion ------------------------------------------------------------------------------- */

static int conclude(lua_State *L)
{
    struct results *results = lua_touserdata(L, 1);
    if (study_push(L, "conclude") == LUA_TNIL)
        return 0;
    script_blame(L);
    results_push(L, results);
    lua_call(L, 1, 1);
    modules_call(L, "conclusion", "text", 1);
    results->conclusion = g_strdup(lua_tostring(L, -1));
    return 0;
}

char *study_conclude(struct study *study, struct row *const *rows, size_t row_count, GError **error)
{
    struct results results = {.study = study, .rows = rows, .row_count = row_count};
    struct script_state *state = study->state;
    state->results = &results;
    sandbox_call(state, conclude, &results, ERROR_USE, error);
    state->results = NULL;
    return results.conclusion;
}
