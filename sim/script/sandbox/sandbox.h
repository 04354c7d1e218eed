/* SPDX-License-Identifier: BSD-3-Clause */
/* A Lua state that cannot harm: its memory and its instructions are limited, and every error that
 * leaves it is one sentence that begins with FILE:LINE. What a script can name is library.h's. */
#pragma once

#include <glib.h>
#include <lua.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/error.h"
#include "core/param_use.h"

#define SANDBOX_MEMORY_MIB 256
#define SANDBOX_INSTRUCTIONS_M 100 /* millions, for each call from outside */
#define SANDBOX_INSTRUCTIONS (SANDBOX_INSTRUCTIONS_M * INT64_C(1000000))
/* Bytes of one text that leaves Lua: a title, a label, a value, a source; and of an error, which has its place before
 * the sentence. Longer ones are cut, and end with a mark that says so, of at most SANDBOX_CUT_MARK bytes. */
#define SANDBOX_TEXT_MAX 4096
#define SANDBOX_ERROR_MAX (SANDBOX_TEXT_MAX + 2048)
#define SANDBOX_CUT_MARK 64

struct machine;
struct workload_memory;

/* A source file that has been read, for messages; or one that is given instead of the disk's. */
struct script_file {
    char *path; /* as shown */
    char *text;
    char *names; /* by which it was required, separated by spaces; "" of the main file */
};
void script_file_free(gpointer file);

struct script_state {
    lua_State *lua;
    lua_State *at;           /* thread at work, of a program's party; NULL: `lua` */
    char *main_path;         /* as given */
    size_t memory_bytes;     /* of Lua */
    size_t taken_bytes;      /* of C, by the present call */
    int64_t budget;          /* instructions left to the present call */
    bool is_stopped;         /* the present call has to end; nothing may catch that */
    const char *blamed_path; /* see script_blame; NULL if there is nobody to blame */
    int blamed_line;
    char *memory_place; /* FILE:LINE at which memory ran out last; NULL if it never did in Lua */
    GPtrArray *files;   /* struct script_file, in the order of loading */
    const GPtrArray *
        given; /* struct script_file, the main one first: there are no others; NULL: those on disk */
    GPtrArray *folders;  /* char *: where `require` looks, in this order */
    GPtrArray *loading;  /* char *: files being loaded, outermost first */
    GPtrArray *expected; /* runtimes that no machine has described so far (design_lua.h); or NULL */
    bool is_complete;    /* all files are loaded; no other may come */
    bool is_marked;      /* what the script can reach is remembered (traces.h) */
    uint64_t mark;       /* its digest */

    /* The point at work, for workload functions; NULL outside a study's run function. */
    const struct machine *machine;
    uint64_t seed;
    const struct workload_memory *memory; /* NULL: nobody remembers */
    struct param_use uses;                /* of the machine by the point at work */
    char *arguments
        [2]; /* of its workloads: lists of paths that were set, which nothing reads [0], or which are read [1]; or NULL */
    GString *stats; /* of the point at work; NULL if they are not asked for */
    bool wants_stats;
    bool is_rehearsal;   /* workloads check their arguments and run nothing */
    bool is_enough;      /* the rehearsal lacks results: it ended where one was needed, */
    bool is_guess;       /* or went on with unknown values, */
    bool has_skipped;    /* or with what functions of a program would have changed */
    GString *calls;      /* of a rehearsal a line each: name and arguments; NULL: not asked for */
    int64_t rehearsed;   /* calls of workloads by the point's rehearsal */
    uint64_t serials;    /* given to programs and parties so far, from 1 on */
    const char *patient; /* of the point at work: struct row */
    double saving;

    void *
        design; /* struct design of the workload called last by the point at work, the state's; NULL: it has none */

    char **overrides;           /* of machine parameters, NULL-ended; NULL if none */
    const char *const *changes; /* further ones, of the point at work; NULL if none */
};

/* A bare state, no libraries in it, for the main file at `path`. */
struct script_state *sandbox_new(const char *path);
void sandbox_free(struct script_state *state);
struct script_state *sandbox_of(lua_State *L);

/* Calls function(argument as light userdata) in the state with a fresh budget. All that touches the
 * Lua state from outside goes through here, since any of it may run out of memory. False and a
 * ERROR_DOMAIN of `code` with one sentence if it fails. */
bool sandbox_call(struct script_state *state, lua_CFunction function, void *argument, int code,
                  GError **error);

/* Makes a C function's work count as `instructions` of the script that called it; none if that is
 * below 1. */
void sandbox_charge(lua_State *L, int64_t instructions);

/* Stops a script that has used them up: for a C function that goes on for long without an instruction of Lua's. */
void sandbox_check(lua_State *L);

/* Counts memory that C is about to allocate for the script. What one call from outside takes has
 * the limit that Lua's memory has. */
void sandbox_take(lua_State *L, size_t bytes);

/* Ends a text that had `length` bytes, of which `text` holds the first `most` at least, with the mark if that is more
 * than `most`: behind the last character that is whole. `text` has room for most + SANDBOX_CUT_MARK. */
void sandbox_mark_cut(char *text, size_t length, size_t most);

/* A copy of a text of `length` bytes, cut after `most` of them, as UTF-8: each byte that is none becomes U+FFFD. The caller frees it with g_free. Every text that
 * leaves Lua goes through here. */
char *sandbox_cut(const char *text, size_t length, size_t most);

/* The text at `index`, cut; NULL if it is not a string. The caller frees it with g_free. */
char *sandbox_copy_text(lua_State *L, int index);

/* Pushes the message handler that gives errors their place, for functions that are called on a thread of their own. */
void sandbox_push_handler(lua_State *L);

/* Raises the sentence, which it frees (g_free): with its own place if it has one, else as script_fail. */
_Noreturn void sandbox_raise(lua_State *L, char *sentence, bool has_place);

/* The innermost frame of the script's own Lua, with source and line; false if there is none. Files of the program that run in the state
 * have a source that does not begin with @ and are passed over. */
bool sandbox_find_frame(lua_State *L, lua_Debug *frame);

/* After a failed lua_pcall: true if the error is one of a limit and must be raised again. */
bool sandbox_is_limit(lua_State *L, int status);

/* Remembers a file for messages; takes over neither string. */
void sandbox_add_file(struct script_state *state, const char *path, const char *text);

/* An error if a party of a program is at work: one run is in progress at a time, and `word` begins or prepares another. */
void script_refuse_in_party(lua_State *L, const char *word);

/* Raises "FILE:LINE: sentence" with the place of the innermost Lua frame. */
_Noreturn void script_fail(lua_State *L, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* The same with the line at which the key `keys[depth - 1]`, inside keys[0], ... stands in the
 * table constructor of the call, where it can be found. */
_Noreturn void script_fail_at(lua_State *L, const char *const *keys, size_t depth,
                              const char *format, ...) G_GNUC_PRINTF(4, 5);

/* Raises the error's sentence so, and frees the error; `script_fail_error_at` as script_fail_at. */
_Noreturn void script_fail_error(lua_State *L, GError *error);
_Noreturn void script_fail_error_at(lua_State *L, const char *const *keys, size_t depth,
                                    GError *error);

/* Errors raised from here on, in this call from outside, with no Lua frame at work are about what
 * the function on top of the stack returned: their place is the line on which it was defined. */
void script_blame(lua_State *L);

/* param_suggestion as a string on the stack. */
const char *script_push_suggestion(lua_State *L, const char *name, const char *const *names,
                                   size_t count);
