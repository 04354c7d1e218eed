/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of this folder share. program.c reads what a script says, run.c runs it, party.c is what a party
 * may do, cuda.c and thread.c what a rank may do beside, record.c what parties report. */
#pragma once

#include <glib.h>
#include <stdbool.h>

#include "core/stat.h"
#include "script/sandbox/sandbox.h"
#include "workloads/transfer/transfer.h"

#define PROGRAM_BUFFERS 64
#define PROGRAM_SIGNALS 16
#define PROGRAM_RECORDS 12
#define PROGRAM_MESSAGES 256                      /* of a party under way */
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
    uint64_t serial; /* unique among the objects of the script */
    struct program_spec spec;
    int64_t groups, threads; /* 0: no party has been told */
    struct {
        int64_t bytes;
        enum transfer_memory memory;
    } buffers[PROGRAM_BUFFERS];
    int64_t signals[PROGRAM_SIGNALS]; /* words each */
    int buffer_count, signals_count;
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
    struct transfer_buffer buffers[PROGRAM_BUFFERS];
    struct transfer_signals signals[PROGRAM_SIGNALS];
    struct program_party *parties; /* by number: place * groups + group */
    int64_t party_count;
    struct program_record records[PROGRAM_RECORDS];
    int record_count;
    char *failure; /* FILE:LINE: of the first party that failed; NULL */
};

/* A party: what the object that its function gets stands for. */
struct program_party {
    struct program_run *run;
    uint64_t serial; /* as a program's: what it has made knows it by this */
    struct program_party *
        *object; /* what its function gets, NULL inside once the run is over; NULL: no function */
    struct party *party; /* while it runs */
    lua_State *L;        /* its thread */
    int64_t place, group;
    struct message *messages; /* PROGRAM_MESSAGES, the thread's; NULL: none yet */
    int used, under_way;      /* of these */
    int streams, graphs;      /* made */
    GArray *captured;         /* struct cuda_graph_node, while me:graph captures; else NULL */
    const char *source;       /* of its function, and */
    int line;                 /* where that begins */
    bool has_begun, has_ended;
    bool is_iterating; /* between begin_iteration and end_iteration */
    int64_t *
        told; /* by place: calls of `tell` by its rank to this one, minus this one's waits; NULL: none */
    bool is_waiting_told, is_told; /* in wait_told; since it last looked */
};

/* --- program.c --- */

struct program_buffer {
    uint64_t program; /* its serial */
    int number;
};

/* The object at `index`, which has to be one of this program; raises an error. */
int program_buffer_at(lua_State *L, int index, const struct program *program, const char *key);
int program_signals_at(lua_State *L, int index, const struct program *program, const char *key);

/* How many GPUs its nodes have together. */
int64_t program_places(const struct program *program);

/* Whether its parties are work-groups. */
bool program_has_kernels(const struct program *program);

/* The program at `index`, which has not run yet. */
struct program *program_check(lua_State *L, int index);

/* --- run.c --- */

/* Runs the programs at indices 1, ... on one machine at the same time, and pushes a result for each. */
int program_run(lua_State *L);

/* Around what blocks: others may run on their threads meanwhile. */
void program_leave(struct program_party *party);
void program_enter(struct program_party *party);

/* --- party.c --- */

/* Pushes the object of a party; gives its metatable. */
void party_push(lua_State *L, struct program_party *party);

/* An operation of parties, me:NAME. Before `act` the caller is known to be at work on this thread, to be what the operation needs,
 * and to give a table with no other keys. `act` returns the number of its results. */
struct party_operation {
    const char *name; /* NULL: the end of a list */
    int (*act)(lua_State *L, struct program_party *party);
    enum {
        NEEDS_QUEUE = 1,    /* a work-group with a queue */
        NEEDS_WORDS = 2,    /* a work-group */
        NEEDS_CHANNELS = 4, /* a program with channels */
        NEEDS_RANK = 8,
        IN_GRAPH = 16, /* nothing: also what a graph captures may call it */
    } needs;
    const char *const *keys; /* of its table */
};
#define KEYS(...)                                                                                  \
    (const char *const[])                                                                          \
    {                                                                                              \
        __VA_ARGS__, NULL                                                                          \
    }
#define NO_KEYS NULL

/* Read a field of the table of arguments at stack index 2, also of an operation of a schedule: a whole number within bounds, a
 * quantity, a flag. A missing field has the value `fallback` (a flag: false); with INT64_MIN it is required. party_check_keys
 * refuses fields of other names. */
int64_t party_whole(lua_State *L, const char *key, int64_t low, int64_t high, int64_t fallback);
int64_t party_quantity(lua_State *L, const char *key, enum unit_kind unit, int64_t fallback);
bool party_flag(lua_State *L, const char *key);
/* The required number of a GPU that takes part. */
int64_t party_peer(lua_State *L, const char *key, const struct program *program);
void party_check_keys(lua_State *L, const char *operation, const char *const *keys);

/* Of a transfer: the other party, called `peer` in the table of arguments at 2, the buffer and how many bytes of it. */
struct transfer_arguments {
    int64_t place, group, bytes;
    struct transfer_buffer buffer;
};
struct transfer_arguments party_transfer(lua_State *L, const struct program_party *party,
                                         const char *peer);

/* --- message.c --- */

/* me:send { ... }, me:receive { ... }, me:wait(message, ...) */
int message_send(lua_State *L, struct program_party *party);
int message_receive(lua_State *L, struct program_party *party);
int message_wait(lua_State *L, struct program_party *party);

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
#define CUDA_OPERATIONS_MOST 16

/* --- thread.c --- */

/* me:tell(rank), me:wait_told(rank) */
int thread_tell(lua_State *L, struct program_party *party);
int thread_wait_told(lua_State *L, struct program_party *party);

/* --- graph.c --- */

/* me:graph(f, stream, branches): the first node of the chain stands for so many side by side */
int graph_capture(lua_State *L, struct program_party *party);

/* A kernel that the function of a graph launches. */
struct kernel;
void graph_take(lua_State *L, struct program_party *party, const struct kernel *kernel);

/* me:launch { graph = ... }: true, and it is launched, if the table at 2 has one. */
bool graph_launched(lua_State *L, struct program_party *party, struct job_process *process);

/* --- record.c --- */

/* me:record("latency", me:now() - start) */
int party_record(lua_State *L, struct program_party *party);

/* Forgets what was recorded: it was a warm-up. */
void records_reset(struct program_run *run);

/* Enters what was recorded. */
void records_report(const struct program_run *run, struct workload_result *result);
void records_clear(struct program_run *run);
