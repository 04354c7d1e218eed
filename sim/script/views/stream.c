/* SPDX-License-Identifier: BSD-3-Clause */
#include "script/views/stream.h"

#include <lauxlib.h>

#include "script/views/views.h"

struct stream_call {
    FILE *stream;
    stream_next *next;
    void *context;
};

static int push_record(lua_State *L)
{
    const struct stream_call *call = lua_touserdata(L, lua_upvalueindex(1));
    struct stream_record record;
    if (!call->next || !call->next(call->context, &record))
        return 0;
    for (int i = 0; i < STREAM_TEXTS; i++)
        lua_pushstring(L, record.texts[i]);
    for (int i = 0; i < STREAM_NUMBERS; i++)
        lua_pushinteger(L, record.numbers[i]);
    return STREAM_TEXTS + STREAM_NUMBERS;
}

/* Keeps Lua from closing the file, which belongs to the caller. */
static int leave_open(lua_State *L)
{
    (void)L;
    return 0;
}

static int push_call(lua_State *L, void *context)
{
    const struct stream_call *call = context;
    luaL_Stream *stream = lua_newuserdatauv(L, sizeof *stream, 0);
    *stream = (luaL_Stream){call->stream, leave_open};
    luaL_setmetatable(L, LUA_FILEHANDLE);
    lua_pushlightuserdata(L, context);
    lua_pushcclosure(L, push_record, 1);
    return 2;
}

char **stream_write(const char *file, const char *function, FILE *stream, stream_next *next,
                    void *context, GVariant *arguments, GError **error)
{
    struct stream_call call = {stream, next, context};
    return views_call(file, function, push_call, &call, arguments, error);
}
