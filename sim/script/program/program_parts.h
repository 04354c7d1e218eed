/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by the files of this folder. program.c reads a script's program, run.c runs it, party.c checks which party may call
 * which operation (script/workload/party.h), cuda.c and thread.c have further operations of ranks, record.c what parties
 * report. */
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

/* A program of a script: a userdata whose user value 1 is the list of functions, by place from 1 on, and whose user value 2 is
 * the list of the servers that run ranks, if the script gives them (as in struct design). */
#define PROGRAM_FUNCTIONS 1
#define PROGRAM_SERVERS 2
struct program {
    struct program_spec spec;
    struct lua_world names;
    int64_t threads; /* of a work-group; 0: no w:parties yet */
    bool has_run;
};

/* One quantity or number that parties report. */
struct program_record {
    char *name;
    bool is_number;
    enum unit_kind unit;
    struct stat_info info;
    struct stat_histogram *values; /* of quantities */
    struct stat_units units;       /* of numbers, with their sum */
    double sum;
    int64_t count;
};

/* A running program, perhaps one of several on one machine. */
struct program_run {
    struct program *program;
    const struct machine_spec *machine;
    int index; /* index of the program on the script's stack */
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
    char *failure; /* "FILE:LINE: ..." of the first party that failed, or NULL */
};

/* A party. */
struct program_party {
    struct lua_party lua;
    struct program_run *run;
    int streams, graphs; /* made */
    GArray *captured;    /* struct cuda_graph_node, while me:graph captures; else NULL */
    const char *source;  /* file of its function, and */
    int line;            /* first line of its function */
    bool has_begun, has_ended;
    /* By place: the calls of `tell` from its rank to this one, minus the calls of `wait_told` by this one; NULL: none. */
    int64_t *told;
    bool is_waiting_told, is_told; /* is in wait_told; was told since it last looked */
};

/* --- program.c --- */

/* How many GPUs its nodes have together. */
int64_t program_places(const struct program *program);

/* Whether its parties are work-groups. */
bool program_has_kernels(const struct program *program);

/* The program at `index`; raises an error if it has run already. */
struct program *program_check(lua_State *L, int index);

/* --- run.c --- */

/* Runs the programs at indices 1, ... on one machine at the same time, and pushes a result for each. */
int program_run(lua_State *L);

/* --- party.c --- */

/* The `check` of a lua_world: fails if the party may not call the operation. */
void program_check_call(lua_State *L, struct lua_party *lua,
                        const struct party_operation *operation);

/* Pushes the object of a party. */
void program_push_party(lua_State *L, struct program_party *party);

/* The program's party for a party of its world. */
struct program_party *program_party_of(struct lua_party *party);

/* --- cuda.c --- */

struct cuda_stream;
struct job_process;

/* rank_process: the process of a rank. cuda_stream_at: the stream at `index`, or the rank's first stream if there is none.
 * cuda_keep keeps the value on top of the stack with the party's object. */
struct job_process *rank_process(const struct program_party *party);
struct cuda_stream *cuda_stream_at(lua_State *L, int index, const struct program_party *party,
                                   const struct job_process *process);
void cuda_keep(lua_State *L);

/* The operations that only ranks have. */
extern const struct party_operation cuda_operations[];

/* --- thread.c --- */

/* me:tell(rank), me:wait_told(rank) */
int thread_tell(lua_State *L, struct lua_party *lua);
int thread_wait_told(lua_State *L, struct lua_party *lua);

/* --- graph.c --- */

/* me:graph(f, stream, branches): the first node of the chain stands for `branches` parallel nodes */
int graph_capture(lua_State *L, struct lua_party *lua);

/* A kernel that the function of a graph launches. */
struct kernel;
void graph_take(lua_State *L, struct program_party *party, const struct kernel *kernel);

/* me:launch { graph = ... }: launches the graph of the table at stack index 2; false if it has none. */
bool graph_launched(lua_State *L, struct program_party *party, struct job_process *process);

/* --- record.c --- */

/* me:record("latency", me:now() - start) */
int party_record(lua_State *L, struct lua_party *lua);

/* Forgets all recorded values at the end of a warm-up. */
void records_reset(struct program_run *run);

/* Adds the recorded values to the result. */
void records_report(const struct program_run *run, struct workload_result *result);
void records_clear(struct program_run *run);
