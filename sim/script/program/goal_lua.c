/* SPDX-License-Identifier: BSD-3-Clause */
/* GOAL schedules from Lua:
 *
 *     local g = schedule { ranks = 2, device = "gpu" }
 *     local made = g:calc { rank = 0, time = "500ns" }
 *     g:send { rank = 0, to = 1, bytes = "1KiB", tag = 3, after = made }
 *     g:receive { rank = 1, from = 0, bytes = "1KiB", tag = 3 }
 *     local r = g:run()               -- on the machine of the point: r.makespan
 *
 * Operations are kept until the run, since a schedule is described rank by rank; g:text() is the schedule as GOAL,
 * for `gpunetsim goal` and LogGOPSim. */
#include <lauxlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "script/machine/bind.h"
#include "script/program/program.h"
#include "script/program/program_parts.h"
#include "script/sandbox/library.h"
#include "script/sandbox/list.h"
#include "script/sandbox/sandbox.h"
#include "script/sandbox/unknown.h"
#include "script/sandbox/watchdog.h"
#include "script/study/workload_lua.h"
#include "script/values/values.h"
#include "study/model/machine.h"
#include "workloads/goal/goal_check.h"
#include "workloads/goal/goal_machine.h"
#include "workloads/goal/goal_model.h"
#include "workloads/goal/goal_pattern.h"
#include "workloads/goal/goal_writer.h"
#include "workloads/reach.h"

#define SCHEDULE "gpunetsim.schedule"
#define MOST_RANKS 65536
#define MOST_TEXT (16 << 20)
#define MOST_ENTRIES (1 << 24) /* of a pattern: more do not fit into a script's memory */

/* The table of `schedule { ... }`: the placement of ranks, as `placement` of the command goal. */
struct schedule_spec {
    struct goal_placement placement;
    int64_t ranks;
};

#define SPEC struct schedule_spec
static const struct param params[] = {
    PARAM_COUNT(ranks, SPEC, NULL, "1", "65536", "Ranks of the schedule."),
    PARAM_SHARE("", placement, SPEC, &goal_placement_rows, "", ""),
};
#undef SPEC
PARAM_TABLE_SHARING(schedule_params, "schedule", struct schedule_spec, params,
                    "A GOAL schedule, written in Lua.");

/* An operation and the one that it waits for, both of one rank. */
struct requirement {
    uint32_t waiter, on;
    bool is_start;
};

/* The operations and requirements of a rank, in the order in which they were added, in userdata that grow by halves. The
 * schedule's user value 1 keeps these. */
struct rank_list {
    struct goal_op *ops;
    struct requirement *requirements;
    uint32_t op_count, op_room, requirement_count, requirement_room;
};

struct lua_schedule {
    struct schedule_spec spec;
    struct rank_list *ranks;
};

static struct lua_schedule *check_schedule(lua_State *L)
{
    struct lua_schedule *schedule = luaL_testudata(L, 1, SCHEDULE);
    if (schedule == NULL)
        script_fail(L, "a schedule's functions are called with a colon, as in g:calc { ... }");
    return schedule;
}

/* Makes room for one more element of `size` bytes: returns a larger block, kept in user value 1 under `key`, or the same block. */
static void *grow(lua_State *L, void *block, uint32_t count, uint32_t *room, size_t size,
                  lua_Integer key)
{
    if (count < *room)
        return block;
    *room = MAX(8, *room * 2);
    lua_getiuservalue(L, 1, 1);
    void *larger = lua_newuserdatauv(L, *room * size, 0);
    if (count > 0)
        memcpy(larger, block, count * size);
    lua_rawseti(L, -2, key);
    lua_pop(L, 1);
    return larger;
}

static void append_op(lua_State *L, struct rank_list *list, int64_t rank, const struct goal_op *op)
{
    list->ops = grow(L, list->ops, list->op_count, &list->op_room, sizeof *op, 2 * rank + 1);
    list->ops[list->op_count++] = *op;
}

static void append_requirement(lua_State *L, struct rank_list *list, int64_t rank,
                               struct requirement requirement)
{
    list->requirements = grow(L, list->requirements, list->requirement_count,
                              &list->requirement_room, sizeof requirement, 2 * rank + 2);
    list->requirements[list->requirement_count++] = requirement;
}

/* --- arguments ---------------------------------------------------------------------------------- */

static uint32_t line_of(lua_State *L)
{
    lua_Debug frame;
    for (int level = 0; lua_getstack(L, level, &frame); level++) {
        lua_getinfo(L, "l", &frame);
        if (frame.currentline > 0)
            return (uint32_t)frame.currentline;
    }
    return 0;
}

static void require_one(lua_State *L, struct rank_list *list, int64_t rank, const char *key,
                        bool is_start)
{
    int is_whole;
    lua_Integer on = lua_tointegerx(L, -1, &is_whole);
    if (!is_whole || on < 1 || on > list->op_count)
        script_fail(L, "%s has to be what an operation of rank %lld gave before", key,
                    (long long)rank);
    append_requirement(L, list, rank,
                       (struct requirement){list->op_count, (uint32_t)on - 1, is_start});
}

/* Reads `after = op` or `after = { op, ... }` for the next operation. */
static void require(lua_State *L, struct rank_list *list, int64_t rank, const char *key,
                    bool is_start)
{
    lua_pushstring(L, key);
    int type = lua_rawget(L, 2);
    lua_Integer count = type == LUA_TTABLE ? list_length(L, -1) : 0;
    for (lua_Integer i = 1; i <= count; i++) {
        lua_rawgeti(L, -1, i);
        require_one(L, list, rank, key, is_start);
        lua_pop(L, 1);
    }
    if (type != LUA_TTABLE && type != LUA_TNIL)
        require_one(L, list, rank, key, is_start);
    lua_pop(L, 1);
}

/* --- operations --------------------------------------------------------------------------------- */

/* Adds the operation and pushes its number, counted from 1 in its rank. */
static int add(lua_State *L, struct lua_schedule *schedule, struct goal_op op)
{
    int64_t rank = party_whole(L, "rank", 0, schedule->spec.ranks - 1, INT64_MIN);
    struct rank_list *list = &schedule->ranks[rank];
    op.cpu = (uint16_t)party_whole(L, "cpu", 0, GOAL_MAX_STREAMS - 1, 0);
    op.line = line_of(L);
    require(L, list, rank, "after", false);
    require(L, list, rank, "after_start", true);
    append_op(L, list, rank, &op);
    lua_pushinteger(L, list->op_count);
    return 1;
}

static void check_table(lua_State *L, const char *word, const char *const *keys)
{
    if (!lua_istable(L, 2))
        script_fail(L, "%s needs a table { rank = ..., ... }", word);
    bind_check_keys(L, 2, NULL, keys, word, NULL);
}

/* g:calc { rank, time, after, after_start, cpu }: whole nanoseconds. */
static int calc(lua_State *L)
{
    static const char *const keys[] = {"rank", "time", "after", "after_start", "cpu", NULL};
    struct lua_schedule *schedule = check_schedule(L);
    check_table(L, "calc", keys);
    uint64_t time_ps = (uint64_t)party_quantity(L, "time", UNIT_TIME, INT64_MIN);
    if (time_ps % PS_PER_NS != 0)
        script_fail(L, "time: GOAL has whole nanoseconds");
    return add(L, schedule, (struct goal_op){.kind = LOGGP_CALCULATE, .size = time_ps / PS_PER_NS});
}

static int message(lua_State *L, const char *word, const char *peer, enum loggp_kind kind)
{
    const char *const keys[] = {"rank",  peer,          "bytes", "tag", "cpu",
                                "after", "after_start", "nic",   NULL};
    struct lua_schedule *schedule = check_schedule(L);
    check_table(L, word, keys);
    struct goal_op op = {.kind = (uint8_t)kind,
                         .size = (uint64_t)party_quantity(L, "bytes", UNIT_BYTES, INT64_MIN)};
    op.peer = (uint32_t)party_whole(L, peer, 0, schedule->spec.ranks - 1, INT64_MIN);
    op.tag = (uint32_t)party_whole(L, "tag", 0, INT32_MAX, 0);
    op.nic = (uint16_t)party_whole(L, "nic", 0, GOAL_MAX_STREAMS - 1, 0);
    return add(L, schedule, op);
}

static int send(lua_State *L)
{
    return message(L, "send", "to", LOGGP_SEND);
}

static int receive(lua_State *L)
{
    return message(L, "receive", "from", LOGGP_RECEIVE);
}

/* --- the whole ---------------------------------------------------------------------------------- */

/* Makes the schedule; NULL and an error if sends and receives do not match. There is no cycle: operations wait for earlier ones. */
static struct goal_schedule *build(const struct lua_schedule *schedule, const char *name,
                                   GError **error)
{
    uint32_t stuck, count;
    struct goal_schedule *built = goal_schedule_new((uint32_t)schedule->spec.ranks);
    for (uint32_t rank = 0; rank < schedule->spec.ranks; rank++) {
        const struct rank_list *list = &schedule->ranks[rank];
        goal_schedule_begin(built, rank);
        for (uint32_t i = 0; i < list->op_count; i++)
            goal_schedule_add(built, &list->ops[i]);
        for (uint32_t i = 0; i < list->requirement_count; i++)
            goal_schedule_require(built, list->requirements[i].waiter, list->requirements[i].on,
                                  list->requirements[i].is_start);
        goal_schedule_end(built, &stuck, &count);
    }
    if (goal_check(built, name, error))
        return built;
    goal_schedule_free(built);
    return NULL;
}

static struct goal_schedule *build_or_fail(lua_State *L, const struct lua_schedule *schedule)
{
    GError *error = NULL;
    struct goal_schedule *built = build(schedule, sandbox_of(L)->main_path, &error);
    if (built == NULL) {
        lua_pushstring(L, error->message);
        g_error_free(error);
        lua_error(L);
    }
    return built;
}

/* g:text(): the schedule as GOAL. */
static int text(lua_State *L)
{
    struct goal_schedule *built = build_or_fail(L, check_schedule(L));
    char *written = NULL;
    size_t length = 0;
    FILE *file = open_memstream(&written, &length);
    bool good = file != NULL && goal_write(file, built);
    if (file != NULL)
        fclose(file);
    goal_schedule_free(built);
    bool fits = good && length <= MOST_TEXT;
    if (fits)
        lua_pushlstring(L, written, length);
    free(written);
    if (!fits)
        script_fail(L, "the text of the schedule has more than %d MiB", MOST_TEXT >> 20);
    return 1;
}

static void report(const struct goal_machine_result *outcome, int64_t ranks,
                   struct workload_result *result)
{
    sim_time makespan_ps = 0;
    int64_t sent = 0;
    for (int64_t i = 0; i < ranks; i++)
        makespan_ps = MAX(makespan_ps, outcome->ends_ps[i]);
    for (int path = 0; path < GOAL_PATHS; path++)
        sent += outcome->sent_bytes[path];
    workload_add_quantity(result, "makespan", UNIT_TIME, makespan_ps);
    workload_add_quantity(result, "sent", UNIT_BYTES, sent);
    workload_add_quantity(result, "network", UNIT_BYTES, outcome->sent_bytes[GOAL_PATH_NETWORK]);
    result->uses = outcome->uses;
    workload_add_run_energy(result, &outcome->energy);
}

/* Pushes the list of `g:run { model = list }`, or nil if there is no argument. */
static void push_model(lua_State *L)
{
    static const char *const keys[] = {"model", NULL};
    if (lua_gettop(L) < 2) {
        lua_pushnil(L);
        return;
    }
    check_table(L, "run", keys);
    lua_pushstring(L, "model");
    bool is_list = lua_rawget(L, 2) == LUA_TTABLE;
    for (lua_Integer i = is_list ? list_length(L, -1) : 0; i > 0; i--, lua_pop(L, 1))
        is_list = lua_rawgeti(L, -1, i) == LUA_TSTRING && is_list;
    if (!is_list)
        script_fail(
            L, "run's model is a list of lines, as benchmarks/parts/derive_fit.lua makes them");
}

/* Runs the program at the costs of a model, which gives only times. */
static bool run_model(char **lines, const struct loggp_program *program,
                      const struct goal_source *source, struct goal_machine_result *outcome,
                      GError **error)
{
    struct loggp_model *model = goal_model_parse((const char *const *)lines, error);
    bool good =
        model && goal_model_run(model, "the model", program, source, NULL, outcome->ends_ps, error);
    goal_model_free(model);
    return good;
}

/* g:run(): runs the schedule on the machine of the point, or at the costs of a model. */
static int run(lua_State *L)
{
    const struct lua_schedule *schedule = check_schedule(L);
    struct script_state *state = sandbox_of(L);
    GError *error = NULL;
    script_refuse_in_party(L, "a schedule's run");
    push_model(L);
    struct goal_schedule *built = build_or_fail(L, schedule);
    if (state->is_rehearsal) {
        if (state->calls && !lua_istable(L, 2))
            g_string_append_printf(state->calls, "goal\t{\"ranks\": \"%u\"}\n",
                                   goal_schedule_ranks(built));
        goal_schedule_free(built);
        reach_of_unknown(&state->machine->spec, &state->uses);
        unknown_push(L);
        return 1;
    }
    char **lines = lua_texts_at(L, -1);
    const struct goal_source source = {state->main_path, built};
    struct loggp_program program = goal_schedule_program(built);
    struct goal_machine_result outcome = {.ends_ps = g_new0(sim_time, (gsize)schedule->spec.ranks)};
    watchdog_pause();
    bool good = lines ? run_model(lines, &program, &source, &outcome, &error)
                      : goal_machine_run(&state->machine->spec, &schedule->spec.placement, &program,
                                         &source, NULL, &outcome, &error);
    watchdog_resume();
    g_strfreev(lines);
    goal_schedule_free(built);
    if (!good) {
        g_free(outcome.ends_ps);
        script_fail_error(L, error);
    }
    struct workload_result *result = workload_push_result(L);
    report(&outcome, schedule->spec.ranks, result);
    g_free(outcome.ends_ps);
    if (state->stats)
        g_string_append_c(state->stats, '\n'); /* the call's end */
    param_use_join(&state->uses, &result->uses);
    return 1;
}

/* Appends the operations of a schedule's rank to the rank's list. */
static void copy_rank(lua_State *L, struct lua_schedule *schedule, const struct goal_schedule *made,
                      uint32_t rank, uint32_t line)
{
    struct rank_list *list = &schedule->ranks[rank];
    uint32_t base = list->op_count, count = goal_schedule_count(made, rank), waiters;
    bool *waits = memset(lua_newuserdatauv(L, count + 1, 0), 0, count + 1);
    for (uint32_t i = 0; i < count; i++) {
        struct goal_op op = *goal_schedule_op(made, rank, i);
        op.line = line;
        append_op(L, list, rank, &op);
    }
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t *of = goal_schedule_waiters(made, rank, i, false, &waiters);
        for (uint32_t w = 0; w < waiters; w++) {
            append_requirement(L, list, rank, (struct requirement){base + of[w], base + i, false});
            waits[of[w]] = true;
        }
    }
    for (uint32_t i = 0; base > 0 && i < count; i++) {
        if (!waits[i])
            append_requirement(L, list, rank, (struct requirement){base + i, base - 1, false});
    }
    lua_pop(L, 1);
}

/* g:generate "PATTERN": adds the operations of a pattern of as many ranks; the first ones of a rank wait for the operation that was
 * added to it last. */
static int generate(lua_State *L)
{
    struct lua_schedule *schedule = check_schedule(L);
    struct goal_pattern_spec spec;
    GError *error = NULL;
    if (!goal_pattern_parse(luaL_checkstring(L, 2), &spec, &error))
        script_fail_error(L, error);
    if (spec.ranks != schedule->spec.ranks)
        script_fail(L, "%s has %d ranks, and the schedule %d", lua_tostring(L, 2), (int)spec.ranks,
                    (int)schedule->spec.ranks);
    if (!goal_pattern_fits(&spec, MOST_ENTRIES))
        script_fail(L,
                    "%s is longer than a schedule in Lua may be; gpunetsim goal --generate runs it",
                    lua_tostring(L, 2));
    struct goal_schedule *made = goal_pattern_schedule(&spec, spec.ranks);
    uint32_t line = line_of(L);
    for (uint32_t rank = 0; rank < spec.ranks; rank++)
        copy_rank(L, schedule, made, rank, line);
    goal_schedule_free(made);
    return 0;
}

static int schedule_index(lua_State *L)
{
    static const luaL_Reg methods[] = {
        {"calc", calc}, {"send", send}, {"receive", receive}, {"generate", generate},
        {"text", text}, {"run", run},   {NULL, NULL}};
    if (library_push_method(L, methods))
        return 1;
    const char *name = lua_tostring(L, 2);
    script_fail(L, "a schedule has calc, send, receive, generate, text and run, not \"%s\"",
                name ? name : luaL_typename(L, 2));
}

static int schedule_word(lua_State *L)
{
    static const luaL_Reg methods[] = {{"__index", schedule_index}, {NULL, NULL}};
    if (!sandbox_of(L)->machine)
        script_fail(L, "schedule can be called only inside the run function of a study");
    script_refuse_in_party(L, "schedule");
    lua_settop(L, 1);
    struct lua_schedule *schedule = lua_newuserdatauv(L, sizeof *schedule, 2);
    memset(schedule, 0, sizeof *schedule);
    bind_table(L, 1, &schedule_params, &schedule->spec);
    lua_settop(L, 2);
    size_t bytes = (size_t)schedule->spec.ranks * sizeof *schedule->ranks;
    schedule->ranks = lua_newuserdatauv(L, bytes, 0);
    memset(schedule->ranks, 0, bytes);
    lua_setiuservalue(L, 2, 2);
    lua_newtable(L);
    lua_setiuservalue(L, 2, 1);
    library_set_metatable(L, SCHEDULE, methods);
    return 1;
}

void schedule_open(lua_State *L)
{
    lua_pushcfunction(L, schedule_word);
    library_add_builtin(L, "schedule");
}
