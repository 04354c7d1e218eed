/* SPDX-License-Identifier: BSD-3-Clause */
/* The operations of a party of a world (workloads/transfer/transfer.h), as methods of the object that its Lua function gets.
 * There are two ways to call them: a study's programs give arguments by name, with units, me:put { to = 1, buffer = b, bytes =
 * "8B" }; the files of shipped workloads give the same arguments by position, as whole numbers in base units, me:put(1, 0, 1,
 * 8). Both are checked here. */
#pragma once

#include <glib.h>
#include <lua.h>
#include <stdbool.h>

#include "core/units.h"
#include "workloads/transfer/transfer.h"

#define LUA_BUFFERS 64
#define LUA_SIGNALS 16
#define LUA_MESSAGES 256 /* under way at a time for a party, unless it asks for more or fewer */

struct lua_party;
struct party_operation;

/* A world as Lua sees it. */
struct lua_world {
    uint64_t serial; /* unique among the objects of the script */
    /* The world of a shipped workload: its buffers and signals are numbered from 1 on; -1 is the buffer made of the lines of
     * signals 1, and so on. */
    bool is_exact;
    int64_t places, groups;
    struct {
        int64_t bytes;
        enum transfer_memory memory;
        struct transfer_buffer buffer;
    } buffers[LUA_BUFFERS];
    struct {
        int64_t words;
        struct transfer_signals signals;
    } signals[LUA_SIGNALS];
    int buffer_count, signals_count;
    void (*check)(
        lua_State *L, struct lua_party *party,
        const struct party_operation *operation); /* called before each operation; NULL: none */
};

/* Makes the world of `setup`, with a heap for the buffers and signals of `names`; NULL and one sentence if that fails. */
struct world *lua_world_new(struct lua_world *names, const struct machine_spec *machine,
                            struct world_setup *setup, GError **error);

/* The party behind the object that its function gets. */
struct lua_party {
    struct lua_world *world;
    struct party *party; /* while it runs; else NULL */
    lua_State *L;        /* its thread */
    /* The object that its function gets, which holds NULL once the run is over; NULL: it has no function. */
    struct lua_party **object;
    uint64_t serial; /* unique as a world's; objects that the party makes keep it */
    int64_t place, group;
    struct message *messages;  /* messages of its object; NULL: none yet */
    int room, used, under_way; /* counts of these */
    bool is_iterating;         /* between begin_iteration and end_iteration */
};

/* Arguments of operations. */
enum party_argument {
    ARGUMENTS_END,
    TO,
    TO_OTHER, /* place */
    FROM,
    GROUP,
    BUFFER,
    BYTES, /* of the buffer */
    SIGNAL,
    INDEX,
    VALUE,
    CHANNEL,
    LANES,
    COUNT,
    COMPARE,
    OP,
    /* of a loop */
    LANE,
    ELEMENTS,
    FLOPS,
    ELEMENT_BYTES,
    WORKING_SET,
    LOOP_GROUPS,
    IN_FLIGHT,
    MIXED,
    /* arguments that operations read themselves */
    TO_BUFFER,
    FROM_BUFFER,
    TO_RANK,
    FROM_RANK,
    COPIED,
    KERNEL_FLOPS,
    WORK_GROUPS,
    THREADS,
    TIME,
    ON_STREAM,
    OF_GRAPH,
};

struct party_arguments {
    struct party_call what;
    int64_t count, lane;
    struct transfer_loop loop;
};

/* An operation of parties, me:NAME. Before it is called, it has been checked that the caller is at work on this thread, the
 * arguments have been read, and the caller has left the script (party_leave). */
struct party_operation {
    const char *name; /* NULL: the end of a list */
    enum {
        NEEDS_QUEUE = 1,    /* a work-group with a queue */
        NEEDS_WORDS = 2,    /* a work-group */
        NEEDS_CHANNELS = 4, /* a program with channels */
        NEEDS_RANK = 8,
        IN_GRAPH = 16,      /* needs nothing; may be called while a graph is captured */
        NEEDS_BARRIER = 32, /* a program with barriers */
        NEEDS_PLACE = 64,   /* parties of a place that have a barrier */
    } needs;
    const uint8_t *arguments; /* enum party_argument, in order, ended by ARGUMENTS_END */

    /* One of these carries the operation out. `call` and `act` return the number of their results; `call` reads its arguments
     * and leaves the script by itself; the others are functions of transfer.h. */
    int (*call)(lua_State *L, struct lua_party *party);
    int (*act)(lua_State *L, struct lua_party *party, const struct party_arguments *with);
    void (*alone)(struct party *party);
    transfer_call *transfer;
};
#define ARGUMENTS(...)                                                                             \
    (const uint8_t[])                                                                              \
    {                                                                                              \
        __VA_ARGS__, ARGUMENTS_END                                                                 \
    }
#define NO_ARGUMENTS ((const uint8_t[]){ARGUMENTS_END})

/* The operations of parties of both kinds. */
extern const struct party_operation party_operations[];
#define PARTY_OPERATIONS_MOST 64

#define PARTY "gpunetsim.party"

/* Pushes the object of a party, whose methods are those of `lists`, which end with NULL. `index` looks up other names, with the
 * table of the methods as upvalue 1; NULL: there are no others. */
void party_push(lua_State *L, struct lua_party *party, const struct party_operation *const *lists,
                lua_CFunction index);

/* The party whose object is at 1, also one whose run is over (NULL). */
struct lua_party *party_of_object(lua_State *L);

/* Called before and after a blocking operation: meanwhile other parties may run on their threads. */
void party_leave(struct lua_party *party);
void party_enter(struct lua_party *party);

/* --- arguments.c --- */

/* Reads the arguments of an operation from the table at stack index 2, or from the stack from index 2 on. */
void party_read(lua_State *L, const struct lua_party *party, const uint8_t *arguments,
                struct party_arguments *with);

/* Read a field of the table of arguments at stack index 2, also of an operation of a schedule: a whole number within bounds, a
 * quantity. A missing field has the value `fallback`; with INT64_MIN it is required. party_check_keys
 * refuses fields of other names. */
int64_t party_whole(lua_State *L, const char *key, int64_t low, int64_t high, int64_t fallback);
int64_t party_quantity(lua_State *L, const char *key, enum unit_kind unit, int64_t fallback);
void party_check_keys(lua_State *L, const char *operation, const uint8_t *arguments);

/* The number of the buffer, or of the signals, at `index`, which has to be one of this world; raises an error. */
int lua_buffer_at(lua_State *L, int index, const struct lua_world *world, const char *key);

/* Pushes the object of a world's buffer or signals in a program. */
#define LUA_BUFFER "gpunetsim.buffer"
#define LUA_SIGNAL "gpunetsim.signals"
void lua_push_part(lua_State *L, const struct lua_world *world, int number, const char *type);

/* me:loop, which also carries out me:compute { ... }. */
int party_loop(lua_State *L, struct lua_party *party, const struct party_arguments *with);

/* --- message.c --- */

int message_send(lua_State *L, struct lua_party *party);
int message_receive(lua_State *L, struct lua_party *party);
int message_wait(lua_State *L, struct lua_party *party);
int message_wait_received(lua_State *L, struct lua_party *party);
int message_room(lua_State *L, struct lua_party *party);
