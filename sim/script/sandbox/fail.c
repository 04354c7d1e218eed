/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes the messages of errors: the script's line that caused the error, and names similar to an unknown one. */
#include <string.h>

#include "core/param.h"
#include "script/sandbox/grammar.h"
#include "script/sandbox/sandbox.h"
#include "script/values/values.h"

/* Accepted names are listed in messages; a component has a few dozen. */
#define MESSAGE_SIZE (SANDBOX_TEXT_MAX + SANDBOX_CUT_MARK)

/* The instructions that making a message costs a script that goes on after the error. */
#define FAIL_INSTRUCTIONS 1000
#define SCANNED_BYTES_PER_INSTRUCTION 8

void script_blame(lua_State *L)
{
    lua_Debug function;
    struct script_state *state = sandbox_of(L);
    lua_pushvalue(L, -1);
    lua_getinfo(L, ">S", &function);
    if (function.linedefined > 0) {
        state->blamed_path = function.source + 1;
        state->blamed_line = function.linedefined;
    }
}

/* Source and line of the innermost frame. If there is no frame: those of the function to blame, or else the main file and 0. */
static const char *innermost(lua_State *L, int *line)
{
    lua_Debug frame;
    if (sandbox_find_frame(L, &frame)) {
        *line = frame.currentline;
        return frame.source + 1;
    }
    const struct script_state *state = sandbox_of(L);
    const GPtrArray *files = state->files;
    *line = state->blamed_path ? state->blamed_line : 0;
    if (state->blamed_path)
        return state->blamed_path;
    return files->len > 0 ? ((const struct script_file *)g_ptr_array_index(files, 0))->path : "";
}

static const char *text_of(lua_State *L, const char *path)
{
    const GPtrArray *files = sandbox_of(L)->files;
    for (guint i = 0; i < files->len; i++) {
        const struct script_file *file = g_ptr_array_index(files, i);
        if (strcmp(file->path, path) == 0)
            return file->text;
    }
    return "";
}

static _Noreturn void raise_at(lua_State *L, const char *path, int line, const char *sentence)
{
    if (line > 0)
        lua_pushfstring(L, "%s:%d: %s", path, line, sentence);
    else
        lua_pushfstring(L, "%s: %s", path, sentence);
    while (true)
        lua_error(L);
}

static void format_sentence(char *sentence, const char *format, va_list arguments)
{
    int length = g_vsnprintf(sentence, MESSAGE_SIZE, format, arguments);
    sandbox_mark_cut(sentence, (size_t)length, SANDBOX_TEXT_MAX);
}

/* Raises a sentence at the line of the last key; at the line of the innermost frame if there is no key. */
static _Noreturn void raise_sentence(lua_State *L, const char *const *keys, size_t depth,
                                     const char *sentence)
{
    int line;
    const char *path = innermost(L, &line), *text = depth > 0 ? text_of(L, path) : "";
    sandbox_charge(L, FAIL_INSTRUCTIONS + (int64_t)strlen(text) / SCANNED_BYTES_PER_INSTRUCTION);
    raise_at(L, path, depth > 0 ? grammar_key_line(text, line, keys, depth) : line, sentence);
}

void script_fail(lua_State *L, const char *format, ...)
{
    char sentence[MESSAGE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    format_sentence(sentence, format, arguments);
    va_end(arguments);
    raise_sentence(L, NULL, 0, sentence);
}

void script_fail_at(lua_State *L, const char *const *keys, size_t depth, const char *format, ...)
{
    char sentence[MESSAGE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    format_sentence(sentence, format, arguments);
    va_end(arguments);
    raise_sentence(L, keys, depth, sentence);
}

void script_refuse_in_party(lua_State *L, const char *word)
{
    if (sandbox_of(L)->at)
        script_fail(L,
                    "%s cannot be called inside a party's function: a run is in progress, and the "
                    "next begins after it",
                    word);
}

void script_fail_error(lua_State *L, GError *error)
{
    script_fail_error_at(L, NULL, 0, error);
}

void script_fail_error_at(lua_State *L, const char *const *keys, size_t depth, GError *error)
{
    char message[MESSAGE_SIZE]; /* the error's text does not outlive the jump out of the function */
    gsize length = g_strlcpy(message, error->message, MESSAGE_SIZE);
    sandbox_mark_cut(message, length, SANDBOX_TEXT_MAX);
    g_error_free(error);
    script_fail_at(L, keys, depth, "%s", message);
}

const char *script_push_suggestion(lua_State *L, const char *name, const char *const *names,
                                   size_t count)
{
    lua_push_owned(L, param_suggestion(name, names, count));
    return lua_tostring(L, -1);
}
