/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions of `program`: GOAL schedules, which run on LogGOPS, on a model or on a machine, or are written to files. */
#include <errno.h>
#include <lauxlib.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "script/commands/session.h"
#include "script/values/values.h"
#include "script/views/settings.h"
#include "script/views/views.h"
#include "study/model/value.h"
#include "study/system/interrupt.h"
#include "workloads/goal/goal_binary.h"
#include "workloads/goal/goal_fault.h"
#include "workloads/goal/goal_machine.h"
#include "workloads/goal/goal_model.h"
#include "workloads/goal/goal_options.h"
#include "workloads/goal/goal_reader.h"
#include "workloads/goal/goal_writer.h"
#include "workloads/interface/workload.h"

/* A schedule or a pattern; one of the two is NULL. */
struct goal_open {
    struct goal_schedule *schedule;
    struct goal_pattern *pattern;
    struct loggp_program ranks;
    struct goal_source source;
    char *name; /* the source's */
};

static void free_program(gpointer of)
{
    struct goal_open *program = of;
    if (program->schedule)
        goal_schedule_free(program->schedule);
    if (program->pattern)
        goal_pattern_free(program->pattern);
    g_free(program->name);
    g_free(program);
}

/* Pushes the schedule, which it takes over; NULL: an error is set. Lines are kept only for files of GOAL. */
static int push_schedule(lua_State *L, struct goal_schedule *schedule, const char *name,
                         bool has_lines)
{
    if (!schedule)
        return 0;
    struct goal_open *program = g_new0(struct goal_open, 1);
    program->schedule = schedule;
    program->ranks = goal_schedule_program(schedule);
    program->name = g_strdup(name);
    program->source = (struct goal_source){program->name, has_lines ? schedule : NULL};
    session_push_object(L, program, free_program);
    return 1;
}

/* goal_file(path): the schedule of a GOAL file. */
static int goal_file(lua_State *L, GError **error)
{
    const char *path = luaL_checkstring(L, 1);
    return push_schedule(L, goal_read_file(path, error), path, true);
}

/* goal_text(text, path): the schedule of a text that views/chakra.lua has made of traces. */
static int goal_text(lua_State *L, GError **error)
{
    size_t length;
    const char *text = luaL_checklstring(L, 1, &length), *path = luaL_checkstring(L, 2);
    FILE *file = fmemopen((void *)(gsize)text, length, "r");
    if (!file) {
        error_set_code(error, ERROR_RUN, "%s as GOAL: %s", path, g_strerror(errno));
        return 0;
    }
    g_autofree char *name = g_strdup_printf("%s as GOAL", path);
    struct goal_schedule *schedule = goal_read(file, name, error);
    fclose(file);
    return push_schedule(L, schedule, path, false);
}

/* goal_pattern(text, is_whole): a pattern, whose operations are made when a rank runs; with `is_whole` as a whole schedule. */
static int goal_pattern(lua_State *L, GError **error)
{
    const char *text = luaL_checkstring(L, 1);
    struct goal_pattern_spec spec;
    if (!goal_pattern_parse(text, &spec, error))
        return 0;
    if (lua_toboolean(L, 2))
        return push_schedule(L, goal_pattern_schedule(&spec, spec.ranks), text, false);
    struct goal_open *program = g_new0(struct goal_open, 1);
    program->pattern = goal_pattern_new(&spec);
    program->ranks = goal_pattern_program(program->pattern);
    program->name = g_strdup(text);
    program->source = (struct goal_source){program->name, NULL};
    session_push_object(L, program, free_program);
    return 1;
}

/* rates(machine): the rates of its GPU in operations and bytes per second, for traces (views/chakra.lua). */
static int rates(lua_State *L, GError **error)
{
    const struct machine_spec *machine = &((struct machine *)session_object(L, 1))->spec;
    const struct gpu_spec *gpu = &machine->gpu;
    if (!machine_kinds_share(machine, &gpu_params, NULL, "a trace's calculation", error))
        return 0;
    double lanes = (double)(gpu->compute_units * gpu->simds_per_cu * gpu->lanes);
    lua_newtable(L);
    lua_set_number(L, "flops",
                   lanes * GPU_FLOPS_PER_INSTRUCTION * (double)gpu->clock_Hz /
                       (double)gpu->instruction_cycles);
    lua_set_number(L, "memory", (double)gpu->memory_rate_Bps);
    return 1;
}

/* --- running ------------------------------------------------------------------------------------ */

#define STEPS_BETWEEN_INTERRUPTS (1 << 20)

/* Pushes the time at which each rank ends, in ns: whole, or with three decimals. */
static void push_ends(lua_State *L, const uint64_t *ticks, uint32_t ranks, uint64_t ticks_per_ns)
{
    lua_createtable(L, (int)ranks, 0);
    for (uint32_t rank = 0; rank < ranks; rank++) {
        lua_pushinteger(L, (lua_Integer)ticks[rank]);
        lua_seti(L, -2, (lua_Integer)rank + 1);
    }
    lua_pushinteger(L, (lua_Integer)ticks_per_ns);
}

/* on_loggops(program, costs, waits_for_ends): the time at which each rank ends, in ticks; and the ticks in a nanosecond. */
static int on_loggops(lua_State *L, GError **error)
{
    const struct goal_open *open = session_object(L, 1);
    struct loggp_spec costs;
    if (!goal_costs_parse(luaL_optstring(L, 2, GOAL_COSTS_DEFAULT), &costs, error))
        return 0;
    struct loggp *machine = loggp_new(&costs, &open->ranks);
    if (lua_toboolean(L, 3))
        loggp_wait_for_ends(machine);
    bool interrupted = false;
    while (!interrupted && loggp_run(machine, STEPS_BETWEEN_INTERRUPTS))
        interrupted = interrupt_pending(error);
    const struct loggp_fault fault = loggp_fault(machine);
    g_autofree uint64_t *ticks = g_new0(uint64_t, open->ranks.ranks);
    for (uint32_t rank = 0; rank < open->ranks.ranks; rank++)
        ticks[rank] = loggp_end(machine, rank);
    if (!interrupted &&
        goal_fault_fail(&fault, &open->source, LOGGP_LAST, costs.ticks_per_ns, error) &&
        goal_check_end(machine, &open->source, error))
        push_ends(L, ticks, open->ranks.ranks, costs.ticks_per_ns);
    loggp_free(machine);
    return 2;
}

static bool stopped(void)
{
    return interrupt_pending(NULL);
}

/* on_model(program, path, lines): the same on a model of gpunetsim derive. */
static int on_model(lua_State *L, GError **error)
{
    const struct goal_open *open = session_object(L, 1);
    g_auto(GStrv) lines = lua_texts_at(L, 3);
    struct loggp_model *model = goal_model_parse((const char *const *)lines, error);
    g_autofree uint64_t *ends_ps = g_new0(uint64_t, open->ranks.ranks);
    if (model &&
        goal_model_run(model, luaL_checkstring(L, 2), &open->ranks, &open->source, stopped,
                       (int64_t *)ends_ps, error) &&
        !interrupt_pending(error))
        push_ends(L, ends_ps, open->ranks.ranks, PS_PER_NS);
    else if (!*error)
        interrupt_pending(error);
    goal_model_free(model);
    return 2;
}

static void push_traffic(lua_State *L, const struct goal_machine_result *result)
{
    lua_newtable(L);
    for (int path = 0; path < GOAL_PATHS; path++) {
        lua_append_owned(L, g_strdup_printf("%s\t%" G_GINT64_FORMAT "\n", goal_path_names[path],
                                            result->sent_bytes[path]));
    }
}

static void push_energy(lua_State *L, const struct run_energy *energy)
{
    struct workload_result result = {.count = 0};
    workload_add_run_energy(&result, energy);
    lua_newtable(L);
    for (size_t i = 0; i < result.count; i++) {
        struct value value = value_of_measure(&result.measures[i]);
        g_autofree char *name = value_column(result.measures[i].name, &value);
        g_autofree char *text = value_column_text(&value);
        lua_append_owned(L, g_strdup_printf("%s\t%s\n", name, text));
        value_clear(&value);
    }
}

/* on_machine(program, machine, placement, design, transport): the same on a machine, and lines of its traffic and its energy. */
static int on_machine(lua_State *L, GError **error)
{
    const struct goal_open *open = session_object(L, 1);
    struct machine *machine = session_object(L, 2);
    const char *transport = luaL_optstring(L, 5, NULL);
    struct goal_placement placement;
    if (transport)
        machine->spec.transport.kind = *transport == 'f' ? TRANSPORT_FLOW : TRANSPORT_SEGMENT;
    if (!goal_placement_parse(luaL_checkstring(L, 3), luaL_optstring(L, 4, NULL), &placement,
                              error))
        return 0;
    g_autofree sim_time *ends_ps = g_new0(sim_time, open->ranks.ranks);
    struct goal_machine_result result = {.ends_ps = ends_ps};
    if (!goal_machine_run(&machine->spec, &placement, &open->ranks, &open->source, stopped, &result,
                          error) ||
        !settings_refuse(machine, &result.uses, error))
        return 0;
    push_ends(L, (const uint64_t *)ends_ps, open->ranks.ranks, PS_PER_NS);
    push_traffic(L, &result);
    push_energy(L, &result.energy);
    return 4;
}

/* --- writing ------------------------------------------------------------------------------------ */

/* write_goal(program, file, is_binary): writes it to the file; true, or nil and the reason. A pattern is written rank by rank, since
 * the whole may not fit into memory. */
static int write_goal(lua_State *L, GError **error)
{
    const struct goal_open *program = session_object(L, 1);
    FILE *file = ((luaL_Stream *)luaL_checkudata(L, 2, LUA_FILEHANDLE))->f;
    struct goal_pattern_spec spec;
    bool is_good;
    if (program->pattern)
        is_good =
            goal_pattern_parse(program->name, &spec, error) && goal_write_pattern(file, &spec);
    else if (lua_toboolean(L, 3))
        is_good = goal_binary_write(file, program->schedule, error);
    else
        is_good = goal_write(file, program->schedule);
    return luaL_fileresult(L, is_good, NULL);
}

/* text_of_goal(program): the program as GOAL text. */
static int text_of_goal(lua_State *L, GError **error)
{
    const struct goal_open *program = session_object(L, 1);
    char *text = NULL;
    size_t length = 0;
    FILE *memory = open_memstream(&text, &length);
    bool good = memory && goal_write(memory, program->schedule);
    if (memory)
        fclose(memory);
    if (good)
        lua_pushstring(L, text);
    else
        error_set_code(error, ERROR_RUN, "%s: %s", program->name, g_strerror(errno));
    free(text);
    return 1;
}

/* goal_words(): the default costs and the default design of the command goal. */
static int goal_words(lua_State *L)
{
    lua_pushstring(L, GOAL_COSTS_DEFAULT);
    lua_pushstring(L, GOAL_DESIGN);
    return 2;
}

const struct session_function session_schedules[] = {{"goal_file", goal_file, NULL},
                                                     {"goal_text", goal_text, NULL},
                                                     {"goal_pattern", goal_pattern, NULL},
                                                     {"goal_words", NULL, goal_words},
                                                     {"rates", rates, NULL},
                                                     {"on_loggops", on_loggops, NULL},
                                                     {"on_model", on_model, NULL},
                                                     {"on_machine", on_machine, NULL},
                                                     {"text_of_goal", text_of_goal, NULL},
                                                     {"write_goal", write_goal, NULL},
                                                     {NULL, NULL, NULL}};
