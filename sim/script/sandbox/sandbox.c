/* SPDX-License-Identifier: BSD-3-Clause */
/* The state with its limits.
 *
 * Lua's memory is limited in the allocator, and memory that C keeps for a script is counted separately. Instructions are
 * counted by a hook; so that a loop of few instructions which moves much memory ends as well, every 64 bytes allocated count as
 * one instruction, and C functions are charged for their work (sandbox_charge). These limits are the same on every machine.
 * Time is not, so it is only the last limit (watchdog.h). Scripts have no coroutines; threads are made only for the parties of
 * a program (script/program), and have the same hook and budget. `pcall` (library.c) raises errors of limits again. */
#include "script/sandbox/sandbox.h"

#include <lauxlib.h>
#include <stdlib.h>
#include <string.h>

#include "script/sandbox/watchdog.h"

#define HOOK_INTERVAL 1000
#define BYTES_PER_INSTRUCTION 64
#define UTF8_MORE_BYTES 3 /* bytes of a character behind its first one */
#define TEXT_OVERHEAD 64  /* bytes of an allocation, and of the struct that points to it */
#define MEMORY_LIMIT ((size_t)SANDBOX_MEMORY_MIB << 20)

struct script_state *sandbox_of(lua_State *L)
{
    return *(struct script_state **)lua_getextraspace(L);
}

static lua_State *thread_at_work(const struct script_state *state)
{
    return state->at ? state->at : state->lua;
}

bool sandbox_find_frame(lua_State *L, lua_Debug *frame)
{
    for (int level = 0; lua_getstack(L, level, frame); level++) {
        lua_getinfo(L, "Sl", frame);
        if (frame->currentline > 0 && *frame->source == '@')
            return true;
    }
    return false;
}

/* FILE:LINE of the innermost frame, without allocating anything in Lua; NULL if there is none. */
static char *place_now(struct script_state *state)
{
    lua_Debug frame;
    return sandbox_find_frame(thread_at_work(state), &frame)
               ? g_strdup_printf("%s:%d", frame.source + 1, frame.currentline)
               : NULL;
}

/* Called every HOOK_INTERVAL instructions, and after each one once the budget or the time is used
 * up. */
static void count_instructions(lua_State *L, lua_Debug *frame)
{
    (void)frame;
    struct script_state *state = sandbox_of(L);
    if (watchdog_is_over()) {
        state->is_stopped = true;
        script_fail(L, "the script does not end: it was stopped after %d s of computing",
                    WATCHDOG_SECONDS);
    }
    state->budget -= state->budget > 0 ? HOOK_INTERVAL : 0;
    if (state->budget > 0)
        return;
    state->is_stopped = true;
    script_fail(L, "the script does not end: it was stopped after %d million instructions",
                SANDBOX_INSTRUCTIONS_M);
}

static void spend(struct script_state *state, int64_t instructions)
{
    if (state->budget <= 0 || instructions <= 0)
        return;
    state->budget -= MIN(instructions, state->budget);
    if (state->budget == 0) /* allowed at any moment, also from within the allocator */
        lua_sethook(thread_at_work(state), count_instructions, LUA_MASKCOUNT, 1);
}

void sandbox_charge(lua_State *L, int64_t instructions)
{
    spend(sandbox_of(L), instructions);
}

void sandbox_check(lua_State *L)
{
    if (sandbox_of(L)->budget <= 0)
        count_instructions(L, NULL);
}

void sandbox_take(lua_State *L, size_t bytes)
{
    struct script_state *state = sandbox_of(L);
    if (bytes > MEMORY_LIMIT - state->taken_bytes) {
        state->is_stopped = true;
        script_fail(L, "the script needs more than %d MiB of memory", SANDBOX_MEMORY_MIB);
    }
    state->taken_bytes += bytes;
    spend(state, (int64_t)(bytes / BYTES_PER_INSTRUCTION));
}

void sandbox_mark_cut(char *text, size_t length, size_t most)
{
    size_t end = most;
    if (length <= most)
        return;
    while (end > 0 && most - end < UTF8_MORE_BYTES && ((guchar)text[end] & 0xC0) == 0x80)
        end--;
    g_snprintf(text + end, SANDBOX_CUT_MARK, "… (cut: it has %zu bytes)", length);
}

char *sandbox_cut(const char *text, size_t length, size_t most)
{
    size_t kept = MIN(length, most + 1); /* one more byte shows whether a character ends there */
    char *copy = g_malloc(kept + SANDBOX_CUT_MARK);
    memcpy(copy, text, kept);
    copy[kept] = '\0';
    sandbox_mark_cut(copy, length, most);
    if (g_utf8_validate(copy, -1, NULL))
        return copy;
    char *valid = g_utf8_make_valid(copy, -1);
    g_free(copy);
    return valid;
}

char *sandbox_copy_text(lua_State *L, int index)
{
    size_t length;
    const char *text = lua_type(L, index) == LUA_TSTRING ? lua_tolstring(L, index, &length) : NULL;
    if (!text)
        return NULL;
    if (strlen(text) < length)
        script_fail(L, "a text has a byte of 0 in it");
    sandbox_take(L, MIN(length, SANDBOX_TEXT_MAX) + TEXT_OVERHEAD);
    return sandbox_cut(text, length, SANDBOX_TEXT_MAX);
}

static void *allocate(void *user, void *block, size_t old_size, size_t new_size)
{
    struct script_state *state = user;
    size_t held = block ? old_size : 0; /* without a block old_size is a type of object */
    if (new_size == 0) {
        state->memory_bytes -= held;
        free(block);
        return NULL;
    }
    if (new_size > held && new_size - held > MEMORY_LIMIT - state->memory_bytes) {
        g_free(state->memory_place);
        state->memory_place = state->lua ? place_now(state) : NULL;
        return NULL;
    }
    void *moved = realloc(block, new_size);
    if (moved) {
        state->memory_bytes += new_size - held;
        if (new_size > held)
            spend(state, (int64_t)(new_size / BYTES_PER_INSTRUCTION));
    }
    return moved;
}

void script_file_free(gpointer data)
{
    struct script_file *file = data;
    g_free(file->names);
    g_free(file->path);
    g_free(file->text);
    g_free(file);
}

struct script_state *sandbox_new(const char *path)
{
    struct script_state *state = g_new0(struct script_state, 1);
    state->main_path = g_strdup(path);
    state->files = g_ptr_array_new_with_free_func(script_file_free);
    state->folders = g_ptr_array_new_with_free_func(g_free);
    state->loading = g_ptr_array_new_with_free_func(g_free);
    state->lua = lua_newstate(allocate, state);
    if (!state->lua)
        g_error("no memory for a Lua state");
    *(struct script_state **)lua_getextraspace(state->lua) = state;
    return state;
}

void sandbox_free(struct script_state *state)
{
    if (!state)
        return;
    lua_State *L = state->lua;
    lua_sethook(L, NULL, 0, 0);
    lua_close(L);
    g_ptr_array_free(state->files, TRUE);
    g_ptr_array_free(state->folders, TRUE);
    g_ptr_array_free(state->loading, TRUE);
    g_strfreev(state->overrides);
    g_free(state->design);
    g_free(state->memory_place);
    g_free(state->main_path);
    g_free(state);
}

void sandbox_add_file(struct script_state *state, const char *path, const char *text)
{
    struct script_file *file = g_new0(struct script_file, 1);
    file->path = g_strdup(path);
    file->text = g_strdup(text);
    file->names = g_strdup("");
    g_ptr_array_add(state->files, file);
}

bool sandbox_is_limit(lua_State *L, int status)
{
    return sandbox_of(L)->is_stopped || status == LUA_ERRMEM;
}

/* The name of a file in Lua's own messages: the end of the path if it is long. */
static char *lua_name(const char *path)
{
    size_t length = strlen(path), kept = LUA_IDSIZE - 1 - strlen("...");
    if (length < LUA_IDSIZE)
        return g_strdup(path);
    return g_strconcat("...", path + length - kept, NULL);
}

/* Length of the "FILE:LINE:" with which Lua began the message if FILE is `path`; else 0. */
static size_t place_length(const char *message, const char *path)
{
    char *name = lua_name(path);
    size_t length = strlen(name);
    bool same = strncmp(message, name, length) == 0 && message[length] == ':';
    g_free(name);
    if (!same)
        return 0;
    size_t digits = strspn(message + length + 1, "0123456789");
    return digits > 0 && message[length + 1 + digits] == ':' ? length : 0;
}

/* Message handler: gives every error a place in full. Runs where the error was raised. */
static int add_place(lua_State *L)
{
    struct script_state *state = sandbox_of(L);
    bool is_text = lua_type(L, 1) == LUA_TSTRING;
    const char *message = is_text ? lua_tostring(L, 1) : "";
    for (guint i = 0; is_text && i < state->files->len; i++) {
        const struct script_file *file = g_ptr_array_index(state->files, i);
        size_t length = place_length(message, file->path);
        if (length > 0) {
            lua_pushfstring(L, "%s%s", file->path, message + length);
            return 1;
        }
    }
    char *place = sandbox_is_limit(L, LUA_OK) ? NULL : place_now(state);
    if (!is_text)
        lua_pushfstring(L, "the script raised a %s instead of a message", luaL_typename(L, 1));
    if (place)
        lua_pushfstring(L, "%s: %s", place, lua_tostring(L, -1));
    g_free(place);
    return 1;
}

void sandbox_push_handler(lua_State *L)
{
    lua_pushcfunction(L, add_place);
}

void sandbox_raise(lua_State *L, char *sentence, bool has_place)
{
    lua_pushstring(L, sentence);
    g_free(sentence);
    if (!has_place)
        script_fail(L, "%s", lua_tostring(L, -1));
    while (true)
        lua_error(L);
}

bool sandbox_call(struct script_state *state, lua_CFunction function, void *argument, int code,
                  GError **error)
{
    lua_State *L = state->lua;
    state->budget = SANDBOX_INSTRUCTIONS;
    state->taken_bytes = 0;
    state->is_stopped = false;
    state->at = NULL;
    state->blamed_path = NULL;
    lua_sethook(L, count_instructions, LUA_MASKCOUNT, HOOK_INTERVAL);
    lua_pushcfunction(L, add_place);
    lua_pushcfunction(L, function);
    lua_pushlightuserdata(L, argument);
    watchdog_start(L, count_instructions, state->main_path);
    int status = lua_pcall(L, 1, 0, -3);
    watchdog_stop();
    if (status == LUA_OK) {
        lua_settop(L, 0);
        return true;
    }
    if (status == LUA_ERRMEM)
        error_set_code(error, (enum error_code)code,
                       "%s: the script needs more than %d MiB of memory",
                       state->memory_place ? state->memory_place : "script", SANDBOX_MEMORY_MIB);
    else {
        size_t length;
        const char *message = lua_tolstring(L, -1, &length);
        g_autofree char *cut = sandbox_cut(message, length, SANDBOX_ERROR_MAX);
        g_autofree char *sentence = error_sentence(cut);
        error_set_code(error, (enum error_code)code, "%s", sentence);
    }
    lua_settop(L, 0);
    return false;
}
