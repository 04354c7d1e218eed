/* SPDX-License-Identifier: BSD-3-Clause */
/* CUDA graphs of ranks (models/cuda): a function's launches are captured once, as a chain, and one call then launches them all.
 * Instantiating a graph costs the core cuda.graph_instantiate for each node; capturing is free. */
#include <lauxlib.h>

#include "script/program/program_parts.h"
#include "script/sandbox/library.h"

#define GRAPH "gpunetsim.graph"
#define MOST_GRAPHS 256
#define MOST_NODES 1024

struct program_graph {
    uint64_t party;             /* its serial */
    struct cuda_stream *stream; /* the stream for which it was captured; one launch at a time */
    struct cuda_graph *graph;
};

static int collect(lua_State *L)
{
    struct program_graph *graph = lua_touserdata(L, 1);
    cuda_graph_free(graph->graph);
    graph->graph = NULL;
    return 0;
}

void graph_take(lua_State *L, struct program_party *party, const struct kernel *kernel)
{
    const struct cuda_graph_node node = {.kernel = *kernel};
    lua_getfield(L, 2, "stream");
    if (!lua_isnil(L, -1))
        script_fail(L, "the launches of a graph are a chain: the stream is told to me:graph");
    lua_pop(L, 1);
    if (party->captured->len == MOST_NODES)
        script_fail(L, "a graph has at most %d kernels", MOST_NODES);
    g_array_append_val(party->captured, node);
}

/* Calls the function at stack index 2, and captures its launches in `nodes`, which the caller owns. */
static void capture(lua_State *L, struct program_party *party, GArray *nodes)
{
    party->captured = nodes;
    lua_pushvalue(L, 2);
    int status = lua_pcall(L, 0, 0, 0);
    party->captured = NULL;
    if (status == LUA_OK && nodes->len > 0)
        return;
    g_array_unref(nodes);
    if (status != LUA_OK)
        lua_error(L);
    script_fail(L, "a graph has one kernel at least: its function launches none");
}

int graph_capture(lua_State *L, struct lua_party *lua)
{
    struct program_party *party = program_party_of(lua);
    static const luaL_Reg methods[] = {{"__gc", collect}, {NULL, NULL}};
    struct job_process *process = rank_process(party);
    if (!lua_isfunction(L, 2))
        script_fail(L, "graph needs a function that launches kernels, not a %s",
                    luaL_typename(L, 2));
    struct cuda_stream *stream = cuda_stream_at(L, 3, party, process);
    lua_Integer branches = luaL_optinteger(L, 4, 1);
    if (branches < 1 || branches > MOST_NODES)
        script_fail(L, "a graph has 1 to %d branches", MOST_NODES);
    if (party->graphs++ == MOST_GRAPHS)
        script_fail(L, "a rank makes at most %d graphs", MOST_GRAPHS);
    struct program_graph *graph = lua_newuserdatauv(L, sizeof *graph, 0);
    *graph = (struct program_graph){.party = party->lua.serial, .stream = stream};
    library_set_metatable(L, GRAPH, methods);
    cuda_keep(L);
    GArray *nodes = g_array_new(FALSE, FALSE, sizeof(struct cuda_graph_node));
    capture(L, party, nodes);
    party_leave(&party->lua);
    graph->graph =
        cuda_graph_new(process->job->cuda, &process->cpu,
                       (const struct cuda_graph_node *)(const void *)nodes->data, nodes->len);
    if (branches > 1)
        cuda_graph_branches(graph->graph, branches);
    g_array_unref(nodes);
    return 1;
}

static void check_alone(lua_State *L)
{
    static const char *const others[] = {"work_groups", "threads", "flops",
                                         "bytes",       "time",    "stream"};
    for (size_t i = 0; i < G_N_ELEMENTS(others); i++) {
        lua_getfield(L, 2, others[i]);
        if (!lua_isnil(L, -1))
            script_fail(L, "launch { graph = ... } takes no %s: that is the graph's", others[i]);
        lua_pop(L, 1);
    }
}

bool graph_launched(lua_State *L, struct program_party *party, struct job_process *process)
{
    lua_getfield(L, 2, "graph");
    if (lua_isnil(L, -1)) {
        lua_pop(L, 1);
        return false;
    }
    const struct program_graph *graph = luaL_testudata(L, -1, GRAPH);
    if (graph == NULL || graph->party != party->lua.serial)
        script_fail(L, "graph has to be what this rank's me:graph(function) gave");
    if (party->captured != NULL)
        script_fail(L, "a graph is a chain of kernels: its function can only launch them");
    check_alone(L);
    party_leave(&party->lua);
    cuda_graph_launch(graph->stream, &process->cpu, graph->graph, NULL);
    party_enter(&party->lua);
    return true;
}
