/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads a script's program: its design and machine, buffers, signals, and the functions of its parties. */
#include "script/program/program.h"

#include <lauxlib.h>
#include <string.h>

#include "script/machine/bind.h"
#include "script/program/program_parts.h"
#include "script/sandbox/library.h"
#include "script/study/workload_lua.h"

#define PROGRAM "gpunetsim.program"
#define PLACE "gpunetsim.place"

#define MOST_GROUPS 65536
#define MOST_BYTES (INT64_C(16) << 30)
#define MOST_SIGNALS 4096

#define SPEC struct program_spec
static const struct param params[] = {
    PARAM_DESIGN(SPEC, NULL,
                 "The design: who starts and serves transfers, and how GPU data travel."),
    PARAM_COUNT(nodes, SPEC, "2", "1", "100000", "Nodes that take part."),
    PARAM_COUNT(gpus_per_node, SPEC, "1", "1", "64", "GPUs of each."),
    PARAM_COUNT(kernels, SPEC, "0", "0", "6400000",
                "If work-groups start transfers: how many GPUs run a kernel, counted from the "
                "first; the others are only targets. 0: all."),
    PARAM_COUNT(queues, SPEC, "0", "0", "65536",
                "How many work-groups of a GPU transfer, counted from the first; 0: all."),
    PARAM_FLAG(channels, SPEC, "false", "Parties send and receive."),
    PARAM_FLAG(barrier, SPEC, "false", "Parties call barrier."),
    PARAM_FLAG(cooperative, SPEC, "false",
               "Refuse the kernel unless all its work-groups run at the same time."),
    PARAM_FLAG(once, SPEC, "false",
               "Run once, also where phases of polling loops are drawn; else several times, and "
               "measures are means with a spread."),
    PARAM_PERCENTILE_LIST(
        percentiles, SPEC,
        "Additional measures of each time that is recorded several times: { 90 } gives "
        "NAME_p90."),
};
#undef SPEC
PARAM_TABLE(program_params, "program", struct program_spec, params,
            "A workload whose parties are Lua functions.");

int64_t program_places(const struct program *program)
{
    return program->spec.nodes * program->spec.gpus_per_node;
}

bool program_has_kernels(const struct program *program)
{
    return program->spec.design.initiator != INITIATOR_HOST;
}

struct program *program_check(lua_State *L, int index)
{
    struct program *program = luaL_testudata(L, index, PROGRAM);
    if (program == NULL && index > 1)
        script_fail(L, "w:run takes other programs, which run at the same time, not a %s",
                    luaL_typename(L, index));
    if (program == NULL)
        script_fail(L, "a program's functions are called with a colon, as in w:buffer(\"8B\")");
    if (program->has_run)
        script_fail(L, "the program has run already; make a new one for another run");
    return program;
}

/* --- buffers and signals ------------------------------------------------------------------------ */

/* w:buffer(bytes), w:buffer(bytes, "host") */
static int add_buffer(lua_State *L)
{
    static const char *const memories[] = {"payload", "host", "pinned", NULL};
    struct program *program = program_check(L, 1);
    struct lua_world *names = &program->names;
    int64_t bytes = 0;
    const char *memory = luaL_optstring(L, 3, memories[0]);
    int kind = 0;
    while (memories[kind] && strcmp(memories[kind], memory) != 0)
        kind++;
    if (lua_type(L, 2) != LUA_TSTRING ||
        !unit_parse(lua_tostring(L, 2), UNIT_BYTES, &bytes, NULL) || bytes < 1 ||
        bytes > MOST_BYTES)
        script_fail(L, "a buffer needs a size such as \"1KiB\", of 16 GiB at most");
    if (memories[kind] == NULL)
        script_fail(
            L,
            "a buffer lies in \"payload\" memory, where the design keeps it, in \"host\" or in \"pinned\" "
            "memory, not in \"%s\"",
            memory);
    if (kind != TRANSFER_PAYLOAD && program_has_kernels(program))
        script_fail(L, "work-groups have no buffers in host memory");
    if (names->buffer_count == LUA_BUFFERS)
        script_fail(L, "a program has at most %d buffers", LUA_BUFFERS);
    names->buffers[names->buffer_count].bytes = bytes;
    names->buffers[names->buffer_count].memory = (enum transfer_memory)kind;
    lua_push_part(L, names, names->buffer_count++, LUA_BUFFER);
    return 1;
}

/* w:signals(count) */
static int add_signals(lua_State *L)
{
    struct lua_world *names = &program_check(L, 1)->names;
    lua_Integer count = luaL_optinteger(L, 2, 1);
    if (count < 1 || count > MOST_SIGNALS)
        script_fail(L, "signals are 1 to %d words", MOST_SIGNALS);
    if (names->signals_count == LUA_SIGNALS)
        script_fail(L, "a program asks for signals at most %d times", LUA_SIGNALS);
    names->signals[names->signals_count].words = count;
    lua_push_part(L, names, names->signals_count++, LUA_SIGNAL);
    return 1;
}

/* --- parties ------------------------------------------------------------------------------------ */

/* Makes the function on top of the stack that of a place, which must have none, and pops it. */
static void set_function(lua_State *L, int64_t place)
{
    if (!lua_isfunction(L, -1) || lua_iscfunction(L, -1))
        script_fail(L, "program has to be a function of the party, not a %s", luaL_typename(L, -1));
    lua_getiuservalue(L, 1, PROGRAM_FUNCTIONS);
    if (lua_rawgeti(L, -1, place + 1) != LUA_TNIL)
        script_fail(L, "GPU %lld has a program already", (long long)place);
    lua_pop(L, 1);
    lua_pushvalue(L, -2);
    lua_rawseti(L, -2, place + 1);
    lua_pop(L, 2);
}

static void set_shape(lua_State *L, struct program *program, int64_t groups, int64_t threads)
{
    if (program->names.groups != 0 &&
        (program->names.groups != groups || program->threads != threads))
        script_fail(L,
                    "all GPUs of a program have the same number of parties, with the same number of"
                    " threads: here %lld of %lld, before %lld of %lld",
                    (long long)groups, (long long)threads, (long long)program->names.groups,
                    (long long)program->threads);
    program->names.groups = groups;
    program->threads = threads;
}

/* Reads { work_groups, threads, program } at stack index 2 for places `first` to `last`. */
static void read_parties(lua_State *L, struct program *program, int64_t first, int64_t last,
                         const char *word)
{
    static const char *const keys[] = {"work_groups", "threads", "program", NULL};
    if (!lua_istable(L, 2))
        script_fail(L, "%s needs a table { work_groups = ..., program = function(me) ... end }",
                    word);
    bind_check_keys(L, 2, NULL, keys, word, NULL);
    set_shape(L, program, party_whole(L, "work_groups", 1, MOST_GROUPS, 1),
              party_whole(L, "threads", 1, 1024, 64));
    for (int64_t place = first; place <= last; place++) {
        lua_pushliteral(L, "program");
        lua_rawget(L, 2);
        set_function(L, place);
    }
}

/* w:parties { work_groups, threads, program }: work-groups of a kernel on each GPU, or as many ranks. */
static int add_parties(lua_State *L)
{
    struct program *program = program_check(L, 1);
    read_parties(L, program, 0, program_places(program) - 1, "parties");
    return 0;
}

/* The place of the object at 1, which is replaced by its program. */
static struct program *check_place(lua_State *L, int64_t *place)
{
    const int64_t *number = luaL_testudata(L, 1, PLACE);
    if (number == NULL)
        script_fail(L, "it is called with a colon, as in w:gpu(0):kernel { ... }");
    *place = *number;
    lua_getiuservalue(L, 1, 1);
    lua_replace(L, 1);
    return program_check(L, 1);
}

static _Noreturn void fail_world(lua_State *L, const struct program *program, const char *word,
                                 const char *who, const char *other)
{
    char text[PARAM_TEXT_SIZE];
    script_fail(L, "%s: transfers of design %s are started by %s; write %s", word,
                design_text(&program->spec.design, text), who, other);
}

/* w:gpu(0):kernel { work_groups, threads, program } */
static int add_kernel(lua_State *L)
{
    int64_t place;
    struct program *program = check_place(L, &place);
    if (!program_has_kernels(program))
        fail_world(L, program, "kernel", "host processes",
                   "w:host(0):process(f), or w:parties { ... } for both");
    if (program->spec.kernels > 0 && place >= program->spec.kernels)
        script_fail(L, "w:gpu(%lld) runs no kernel: program.kernels = %lld, counted from the first",
                    (long long)place, (long long)program->spec.kernels);
    read_parties(L, program, place, place, "kernel");
    return 0;
}

/* The options of `process` beside its function. */
struct process_spec {
    int64_t server; /* index in transfer_server_names */
};

static const struct param process_rows[] = {
    PARAM_ENUM(server, struct process_spec, "design", transfer_server_names,
               "Whose cores run the rank: those that the design says, or others."),
};
static PARAM_TABLE(process_params, "process", struct process_spec, process_rows,
                   "A rank of a program.");

/* Reads from the table at `index` which cores run the rank of a place. */
static void set_server(lua_State *L, int index, const struct program *program, int64_t place)
{
    struct process_spec spec;
    GError *error = NULL;
    bind_table(L, index, &process_params, &spec);
    if (spec.server == NO_SERVER)
        return;
    if (!transfer_runs_on(&program->spec.design, spec.server, &error)) {
        g_prefix_error(&error, "server = %s: ", transfer_server_names[spec.server]);
        script_fail_error(L, error);
    }
    lua_getiuservalue(L, 1, PROGRAM_SERVERS);
    lua_pushinteger(L, spec.server);
    lua_rawseti(L, -2, place + 1);
    lua_pop(L, 1);
}

/* w:host(0):process(function(p) ... end, { server = "command_processor" }): sets the function of the rank of GPU 0, on the
 * design's kind of cores or another one. */
static int add_process(lua_State *L)
{
    int64_t place;
    struct program *program = check_place(L, &place);
    if (program_has_kernels(program))
        fail_world(L, program, "process", "work-groups",
                   "w:gpu(0):kernel { ... }, or w:parties { ... } for both");
    set_shape(L, program, 1, 64);
    lua_pushvalue(L, 2);
    set_function(L, place);
    set_server(L, 3, program, place);
    return 0;
}

static int place_index(lua_State *L)
{
    static const luaL_Reg methods[] = {
        {"kernel", add_kernel}, {"process", add_process}, {NULL, NULL}};
    if (!library_push_method(L, methods))
        script_fail(L, "w:gpu(i) has kernel { ... }, w:host(i) has process(f), nothing else");
    return 1;
}

/* w:gpu(i), w:host(i) */
static int push_place(lua_State *L)
{
    static const luaL_Reg methods[] = {{"__index", place_index}, {NULL, NULL}};
    const struct program *program = program_check(L, 1);
    int64_t places = program_places(program);
    int is_whole;
    lua_Integer number = lua_tointegerx(L, 2, &is_whole);
    if (!is_whole || number < 0 || number >= places)
        script_fail(L, "the program has GPUs 0 to %lld, each with a host process",
                    (long long)places - 1);
    int64_t *place = lua_newuserdatauv(L, sizeof *place, 1);
    *place = number;
    lua_pushvalue(L, 1);
    lua_setiuservalue(L, -2, 1);
    library_set_metatable(L, PLACE, methods);
    return 1;
}

/* --- the word ----------------------------------------------------------------------------------- */

static int program_index(lua_State *L)
{
    static const luaL_Reg methods[] = {{"buffer", add_buffer},
                                       {"signals", add_signals},
                                       {"parties", add_parties},
                                       {"gpu", push_place},
                                       {"host", push_place},
                                       {"run", program_run},
                                       {NULL, NULL}};
    if (library_push_method(L, methods))
        return 1;
    const char *name = lua_tostring(L, 2);
    script_fail(L, "a program has buffer, signals, parties, gpu, host and run, not \"%s\"",
                name ? name : luaL_typename(L, 2));
}

static int program_word(lua_State *L)
{
    static const luaL_Reg methods[] = {{"__index", program_index}, {NULL, NULL}};
    if (!sandbox_of(L)->machine)
        script_fail(L, "program can be called only inside the run function of a study");
    script_refuse_in_party(L, "program");
    lua_settop(L, 1);
    struct program *program = lua_newuserdatauv(L, sizeof *program, 2);
    memset(program, 0, sizeof *program);
    program->names.serial = ++sandbox_of(L)->serials;
    bind_table(L, 1, &program_params, &program->spec);
    workload_settle_design(L, transfer_accepts, &program->spec.design);
    program->names.places = program_places(program);
    program->names.check = program_check_call;
    if (program->spec.kernels > program_places(program))
        script_fail(L, "program.kernels: there are %lld GPUs", (long long)program_places(program));
    lua_settop(L, 2);
    lua_newtable(L);
    lua_setiuservalue(L, 2, PROGRAM_FUNCTIONS);
    lua_newtable(L);
    lua_setiuservalue(L, 2, PROGRAM_SERVERS);
    library_set_metatable(L, PROGRAM, methods);
    return 1;
}

void program_open(lua_State *L)
{
    lua_pushcfunction(L, program_word);
    library_add_builtin(L, "program");
}
