/* SPDX-License-Identifier: BSD-3-Clause */
/* The points of a study: all combinations of its groups' steps, in the order of a counter whose last digit is the last group,
 * without those that `where` drops. They are enumerated once, when the study is loaded, so that every process that works on it
 * uses the same numbers. */
#include <lauxlib.h>

#include "core/error.h"
#include "script/sandbox/record.h"
#include "script/sandbox/sandbox.h"
#include "script/study/study_lua.h"

/* The most combinations; no study needs more, nor lists that take more memory than a script has. */
#define COMBINATIONS_MAX 10000000
#define POINTS_BYTES_MAX ((size_t)SANDBOX_MEMORY_MIB << 20)

/* The instructions that `where` may take for a combination, on average. */
#define WHERE_INSTRUCTIONS 1000

void study_push_point(lua_State *L, const struct study *study, const uint32_t *steps)
{
    lua_newtable(L);
    for (size_t i = 0; i < study->axis_count; i++) {
        study_push_value(L, i, steps[i]);
        lua_setfield(L, -2, study->axes[i].name);
    }
    record_push(L, "the point");
}

/* --- counting --------------------------------------------------------------------------------- */

struct axis_choice {
    const struct study *study;
    const uint32_t *values;
    bool is_kept;
};

static int ask_where(lua_State *L)
{
    struct axis_choice *choice = lua_touserdata(L, 1);
    study_push(L, "where");
    script_blame(L);
    study_push_point(L, choice->study, choice->values);
    lua_call(L, 1, 1);
    if (!lua_isboolean(L, -1))
        script_fail(L, "where has to return true or false, not a %s", luaL_typename(L, -1));
    choice->is_kept = lua_toboolean(L, -1);
    return 0;
}

static size_t count_combinations(const struct study *study)
{
    size_t count = 1;
    for (size_t i = 0; i < study->axis_count; i++) {
        const struct axis *axis = &study->axes[i];
        if (i > 0 && axis->group == study->axes[i - 1].group)
            continue;
        if (axis->step_count > COMBINATIONS_MAX / count)
            return 0;
        count *= axis->step_count;
    }
    return count;
}

/* The numbers of the values of combination `n`. */
static void read_combination(const struct study *study, size_t n, uint32_t *values)
{
    size_t step = 0;
    for (size_t i = study->axis_count; i-- > 0;) {
        const struct axis *axis = &study->axes[i];
        if (i + 1 == study->axis_count || axis->group != study->axes[i + 1].group) {
            step = n % axis->step_count;
            n /= axis->step_count;
        }
        values[i] = axis->steps[step];
    }
}

/* Calls `where`; all its calls together have `left` instructions. */
static bool ask(struct study *study, struct axis_choice *choice, int64_t *left, GError **error)
{
    struct script_state *state = study->state;
    if (!sandbox_call(state, ask_where, choice, ERROR_USE, error))
        return false;
    *left -= SANDBOX_INSTRUCTIONS - state->budget;
    if (*left >= 0)
        return true;
    error_set(error, "%s: where does not end: it took more than %d instructions a combination",
              study->path, WHERE_INSTRUCTIONS);
    return false;
}

static bool keep_combinations(struct study *study, size_t count, GError **error)
{
    size_t width = study->axis_count;
    int64_t left = SANDBOX_INSTRUCTIONS + (int64_t)count * WHERE_INSTRUCTIONS;
    for (size_t n = 0; n < count; n++) {
        struct axis_choice choice = {study, &study->points[study->point_count * width], true};
        read_combination(study, n, &study->points[study->point_count * width]);
        if (study->asks_where && !ask(study, &choice, &left, error))
            return false;
        study->point_count += choice.is_kept;
    }
    return true;
}

bool study_make_points(struct study *study, GError **error)
{
    size_t count = count_combinations(study);
    if (count == 0) {
        error_set(error, "%s: the axes make more than %d points", study->path, COMBINATIONS_MAX);
        return false;
    }
    if (count * study->axis_count > POINTS_BYTES_MAX / sizeof *study->points) {
        error_set(error, "%s: a list of %zu points on %zu axes is too long", study->path, count,
                  study->axis_count);
        return false;
    }
    study->points = g_new0(uint32_t, count * study->axis_count + 1);
    if (!keep_combinations(study, count, error))
        return false;
    if (study->point_count > 0)
        return true;
    error_set(error, "%s: where drops every point", study->path);
    return false;
}
