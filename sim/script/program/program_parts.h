/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of this folder share. program.c reads what a script says, run.c runs it, party.c is who of its parties may
 * do what (script/workload/party.h), cuda.c and thread.c what a rank may do beside, record.c what parties report. */
#pragma once

#include <glib.h>
#include <stdbool.h>

#include "core/stat.h"
#include "script/sandbox/sandbox.h"
#include "script/workload/party.h"

#define PROGRAM_RECORDS 12
#define PROGRAMS_AT_ONCE INDEPENDENT_RESULTS_MOST /* on one machine */

/* The table of `program { ... }`. */
struct program_spec {
    struct design design;
    int64_t nodes, gpus_per_node, kernels, queues;
    int64_t channels, barrier, cooperative, once; /* flags */
    int64_t percentiles;
};

/* A program as a script builds it: a userdata whose user value 1 is the list of functions, by place from 1 on, and 2 that of
 * the servers that run ranks, where a script says so (as struct design says them). */
#define PROGRAM_FUNCTIONS 1
#define PROGRAM_SERVERS 2
struct program {
    struct program_spec spec;
    struct lua_world names;
    int64_t threads; /* 0: no party has been told, as of groups */
    bool has_run;
};

/* One quantity or number that parties report. */
struct program_record {
    char *name;
    bool is_number;
    enum unit_kind unit;
    struct stat_info info;
    struct stat_histogram *values; /* of quantities */
    struct stat_units units;       /* of numbers, and their */
    double sum;
    int64_t count;
};

/* A running program, perhaps one of several on one machine. */
struct program_run {
    struct program *program;
    const struct machine_spec *machine;
    int index; /* of the program on the script's stack */
    const struct job_place *places;
    const int64_t *servers; /* as a design's, by place */
    struct workload_result *result;
    GString *stats; /* as of a workload_result */
    struct script_state *state;
    struct world *world;
    struct program_party *parties; /* by number: place * groups + group */
    int64_t party_count;
    struct program_record records[PROGRAM_RECORDS];
    int record_count;
    char *failure; /* FILE:LINE: of the first party that failed; NULL */
};

/* A party. */
struct program_party {
    struct lua_party lua;
    struct program_run *run;
    int streams, graphs; /* made */
    GArray *captured;    /* struct cuda_graph_node, while me:graph captures; else NULL */
    const char *source;  /* of its function, and */
    int line;            /* where that begins */
    bool has_begun, has_ended;
    int64_t *
        told; /* by place: calls of `tell` by its rank to this one, minus this one's waits; NULL: none */
    bool is_waiting_told, is_told; /* in wait_told; since it last looked */
};

/* --- program.c --- */

/* How many GPUs its nodes have together. */
int64_t program_places(const struct program *program);

/* Whether its parties are work-groups. */
bool program_has_kernels(const struct program *program);

/* The program at `index`, which has not run yet. */
struct program *program_check(lua_State *L, int index);

/* --- run.c --- */

/* Runs the programs at indices 1, ... on one machine at the same time, and pushes a result for each. */
int program_run(lua_State *L);

/* --- party.c --- */

/* As a lua_world's `check`: fails if the party is none that may call the operation. */
void program_check_call(lua_State *L, struct lua_party *lua,
                        const struct party_operation *operation);

/* Pushes the object of a party. */
void program_push_party(lua_State *L, struct program_party *party);

/* What an operation of a program's own has as its party. */
struct program_party *program_party_of(struct lua_party *party);

/* --- cuda.c --- */

struct cuda_stream;
struct job_process;

/* A rank's process. The stream at `index`: the rank's first one if there is none. Keeps what is on top of the stack with the party's
 * object. */
struct job_process *rank_process(const struct program_party *party);
struct cuda_stream *cuda_stream_at(lua_State *L, int index, const struct program_party *party,
                                   const struct job_process *process);
void cuda_keep(lua_State *L);

/* The operations of ranks alone. */
extern const struct party_operation cuda_operations[];

/* --- thread.c --- */

/* me:tell(rank), me:wait_told(rank) */
int thread_tell(lua_State *L, struct lua_party *lua);
int thread_wait_told(lua_State *L, struct lua_party *lua);

/* --- graph.c --- */

/* me:graph(f, stream, branches): the first node of the chain stands for so many side by side */
int graph_capture(lua_State *L, struct lua_party *lua);

/* A kernel that the function of a graph launches. */
struct kernel;
void graph_take(lua_State *L, struct program_party *party, const struct kernel *kernel);

/* me:launch { graph = ... }: true, and it is launched, if the table at 2 has one. */
bool graph_launched(lua_State *L, struct program_party *party, struct job_process *process);

/* --- record.c --- */

/* me:record("latency", me:now() - start) */
int party_record(lua_State *L, struct lua_party *lua);

/* Forgets what was recorded: it was a warm-up. */
void records_reset(struct program_run *run);

/* Enters what was recorded. */
void records_report(const struct program_run *run, struct workload_result *result);
void records_clear(struct program_run *run);
