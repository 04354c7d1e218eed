/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by the files of this folder. */
#pragma once

#include <lauxlib.h>

#include "core/stat.h"
#include "core/wait.h"
#include "protocols/shmem/software.h"
#include "script/sandbox/sandbox.h"
#include "script/workload/party.h"
#include "workloads/transfer/transfer.h"

/* A run of a workload's file. */
struct scripted {
    struct script_state state;  /* of its Lua state, for error messages; without limits */
    struct workload *described; /* the workload whose table the file fills in; NULL: it runs */
    void *settled;              /* the spec in which the file settles parameters; NULL: it runs */
    bool is_settled;            /* it has */
    const struct workload *workload;
    const struct machine_spec *machine;
    const void *spec;
    uint64_t seed;
    struct workload_result *result;
    GError *error; /* the first error; NULL: none */
    lua_State *L;

    struct world *world;               /* NULL: none yet */
    struct machine_spec *machine_used; /* the world's machine: `machine` with the file's changes */
    struct sim *sim;                   /* NULL: none yet */
    struct cluster *cluster;           /* likewise */
    struct software software;          /* of threads without a world, if they have loops */
    int program;                       /* the parties' function, in the registry */
    struct job_place *places;          /* NULL: the first GPUs of two nodes */
    int64_t place_count;
    struct place_end *ends; /* by place */
    struct lua_world names;
    struct transfer_streams streams;
    struct verbs_side *sides[2]; /* of ranks that post RDMA themselves */
    struct signal meeting;       /* for parties that wait for each other */
};

/* The run to which a Lua thread belongs. */
struct scripted *scripted_of(lua_State *L);

/* Raises the run's error, which must be set; never returns. */
int scripted_fail(lua_State *L);

/* The workload's design; NULL if it has none. */
const struct design *scripted_design(const struct scripted *run);

/* Gives the userdata on top of the stack the methods, as a metatable called `type`. */
void scripted_set_methods(lua_State *L, const char *type, const luaL_Reg *methods);

/* Calls a function of the registry in a process of the simulation, on a Lua thread of its own, with the arguments that `push`
 * pushes there (it returns how many). An error ends the simulation with its sentence. */
typedef int scripted_push(lua_State *L, void *argument);
void scripted_call(struct scripted *run, int function, scripted_push *push, void *argument);

/* Pushes the value of a parameter in its spec: nil for a record, the name of a choice, else a boolean or a number. */
void scripted_push_value(lua_State *L, const struct param *param, const void *spec);

/* The component and the parameter of the machine whose names are at stack indices 1 and 2; raises an error if they do not exist. */
struct machine_component scripted_component(lua_State *L, const struct machine_spec *machine,
                                            const struct param **param);

/* scripted_path: the path of the workload's file, for the caller to free; NULL and an error. scripted_run_file runs it in the
 * run's Lua state, on whose stack the error is if that fails. */
char *scripted_path(const struct workload *workload, GError **error);
bool scripted_run_file(struct scripted *run, const char *path);

/* workload { ... }, in scripted_table.c. */
int scripted_workload(lua_State *L);

/* --- scripted_world.c, scripted_measure.c: run.* --- */

extern const luaL_Reg scripted_world_functions[];
void scripted_open_measures(lua_State *L); /* adds them to the table on top of the stack */

/* run.steady, in scripted_steady.c; run.side, in scripted_verbs.c; me:ring, in
 * scripted_ring.c. */
int scripted_steady(lua_State *L);
int scripted_side(lua_State *L);
int scripted_run_ring(lua_State *L, struct lua_party *party);

/* What run.steady gave, at a stack index. */
struct steady_stop *scripted_steady_at(lua_State *L, int index);

/* The counter at a stack index. */
struct stat_counter *scripted_counter_at(lua_State *L, int index);

/* --- scripted_party.c: me:*, what a party may do --- */

/* The function of every party, with the run as argument: calls the Lua function with the party, its place and its group. */
party_program scripted_party;

/* --- scripted_probe.c: run.*, of threads on one node without a world --- */

extern const luaL_Reg scripted_probe_functions[];
void scripted_probe_end(struct scripted *run);
