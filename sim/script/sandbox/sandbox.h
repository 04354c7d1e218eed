/* SPDX-License-Identifier: BSD-3-Clause */
/* A Lua state that cannot harm: its memory and its instructions are limited, and every error that
 * leaves it is one sentence that begins with FILE:LINE. library.h has the names that a script can use. */
#pragma once

#include <glib.h>
#include <lua.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/error.h"
#include "core/param_use.h"

#define SANDBOX_MEMORY_MIB 256
#define SANDBOX_INSTRUCTIONS_M 100 /* millions, for each call from C */
#define SANDBOX_INSTRUCTIONS (SANDBOX_INSTRUCTIONS_M * INT64_C(1000000))
/* Most bytes of a text that leaves Lua: a title, a label, a value, a source; and of an error, which has its place before the
 * sentence. Longer texts are cut and end with a mark that says so, of at most SANDBOX_CUT_MARK bytes. */
#define SANDBOX_TEXT_MAX 4096
#define SANDBOX_ERROR_MAX (SANDBOX_TEXT_MAX + 2048)
#define SANDBOX_CUT_MARK 64

struct machine;
struct workload_memory;

/* A source file that has been read, kept for messages; or a file that is given instead of one on disk. */
struct script_file {
    char *path; /* as shown */
    char *text;
    char *names; /* names given to `require`, separated by spaces; "": the main file */
};
void script_file_free(gpointer file);

struct script_state {
    lua_State *lua;
    lua_State *at;           /* the thread of the program's party at work; NULL: `lua` */
    char *main_path;         /* as given */
    size_t memory_bytes;     /* taken by Lua */
    size_t taken_bytes;      /* taken by C in the present call */
    int64_t budget;          /* instructions left to the present call */
    bool is_stopped;         /* the present call has to end; nothing may catch that */
    const char *blamed_path; /* see script_blame; NULL if none is to blame */
    int blamed_line;
    char *memory_place; /* FILE:LINE at which memory ran out last; NULL if it never did in Lua */
    GPtrArray *files;   /* struct script_file, in the order of loading */
    /* The only files that there are, of struct script_file, the main one first; NULL: files on disk. */
    const GPtrArray *given;
    GPtrArray *folders; /* char *: where `require` looks, in this order */
    GPtrArray *loading; /* char *: files being loaded, outermost first */
    bool is_complete;   /* all files are loaded; no other may come */
    bool is_marked;     /* the values that the script can reach are remembered (traces.h) */
    uint64_t mark;      /* digest of these values */

    /* The point at work, for workload functions; NULL outside a study's run function. */
    const struct machine *machine;
    uint64_t seed;
    const struct workload_memory *memory; /* NULL: none */
    struct param_use uses;                /* parameters that the point at work reads */
    /* Arguments of its workloads that were set, lists of paths: those not read [0], and those read [1]; or NULL. */
    char *arguments[2];
    GString *stats; /* statistics of the point at work; NULL if not wanted */
    bool wants_stats;
    bool is_rehearsal;   /* workloads check their arguments and run nothing */
    bool is_enough;      /* the rehearsal ended where it needed a result, */
    bool is_guess;       /* or went on with unknown values, */
    bool has_skipped;    /* or without the changes that functions of a program make */
    GString *calls;      /* a line for each rehearsed call: name and arguments; NULL: not wanted */
    int64_t rehearsed;   /* calls of workloads in the point's rehearsal */
    uint64_t serials;    /* the last number given to a program or party, from 1 on */
    const char *patient; /* as in struct row, for the point at work */
    double saving;

    /* struct design of the workload that the point at work called last, owned by the state; NULL: the workload has none. */
    void *design;

    char **overrides;           /* values of machine parameters, NULL-ended; NULL if none */
    const char *const *changes; /* further values, for the point at work; NULL if none */
};

/* A bare state, no libraries in it, for the main file at `path`. */
struct script_state *sandbox_new(const char *path);
void sandbox_free(struct script_state *state);
struct script_state *sandbox_of(lua_State *L);

/* Calls function(argument as light userdata) in the state with a fresh budget. All C code that uses the Lua state is called
 * through here, since any use may run out of memory. False and an error of ERROR_DOMAIN with `code` and one sentence if it
 * fails. */
bool sandbox_call(struct script_state *state, lua_CFunction function, void *argument, int code,
                  GError **error);

/* Makes a C function's work count as `instructions` of the script that called it; no effect if that is below 1. */
void sandbox_charge(lua_State *L, int64_t instructions);

/* Stops a script that has used up its instructions: for a C function that runs long without an instruction of Lua. */
void sandbox_check(lua_State *L);

/* Counts memory that C is about to allocate for the script. The memory that one call takes has the same limit as Lua's memory. */
void sandbox_take(lua_State *L, size_t bytes);

/* If `length`, the bytes of a text, is more than `most`, ends it with the mark behind the last whole character. `text` holds at
 * least the first `most` bytes. `text` has room for most + SANDBOX_CUT_MARK. */
void sandbox_mark_cut(char *text, size_t length, size_t most);

/* A copy of a text of `length` bytes, cut after `most` of them, as UTF-8: each invalid byte becomes U+FFFD. The caller frees it
 * with g_free. Every text that leaves Lua goes through here. */
char *sandbox_cut(const char *text, size_t length, size_t most);

/* The text at `index`, cut; NULL if it is not a string. The caller frees it with g_free. */
char *sandbox_copy_text(lua_State *L, int index);

/* Pushes the message handler that gives errors their place, for functions that are called on a thread of their own. */
void sandbox_push_handler(lua_State *L);

/* Raises the sentence, which it frees with g_free: as it is if `has_place` (it begins with FILE:LINE), else as script_fail. */
_Noreturn void sandbox_raise(lua_State *L, char *sentence, bool has_place);

/* The innermost frame of the script's own Lua, with source and line; false if there is none. Frames of the program's own files,
 * whose source does not begin with @, are skipped. */
bool sandbox_find_frame(lua_State *L, lua_Debug *frame);

/* After a failed lua_pcall: true if the error is one of a limit and must be raised again. */
bool sandbox_is_limit(lua_State *L, int status);

/* Remembers a file for messages; takes over neither string. */
void sandbox_add_file(struct script_state *state, const char *path, const char *text);

/* Raises an error if a party of a program is at work: only one run is possible at a time, and `word` would begin one. */
void script_refuse_in_party(lua_State *L, const char *word);

/* Raises "FILE:LINE: sentence" with the place of the innermost Lua frame. */
_Noreturn void script_fail(lua_State *L, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* The same with the line on which the key `keys[depth - 1]`, inside keys[0], ..., stands in the table constructor of the call,
 * if that line can be found. */
_Noreturn void script_fail_at(lua_State *L, const char *const *keys, size_t depth,
                              const char *format, ...) G_GNUC_PRINTF(4, 5);

/* Raises the error's sentence as script_fail, and frees the error; `script_fail_error_at` does so as script_fail_at. */
_Noreturn void script_fail_error(lua_State *L, GError *error);
_Noreturn void script_fail_error_at(lua_State *L, const char *const *keys, size_t depth,
                                    GError *error);

/* Later errors of this sandbox_call that are raised without a Lua frame at work are about the results of the function on top of
 * the stack: their place is the line on which it was defined. */
void script_blame(lua_State *L);

/* param_suggestion as a string on the stack. */
const char *script_push_suggestion(lua_State *L, const char *name, const char *const *names,
                                   size_t count);
