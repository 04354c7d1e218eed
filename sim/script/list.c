#include "script/list.h"

#include "script/sandbox.h"

lua_Integer list_length(lua_State *L, int index)
{
    lua_Unsigned length = lua_rawlen(L, index);
    if (length > LIST_MAX)
        script_fail(L, "a list has more than %d entries, or gaps", LIST_MAX);
    return (lua_Integer)length;
}
