/* SPDX-License-Identifier: BSD-3-Clause */
/* The sandbox: what scripts must not reach, each tried by itself; limits that nothing can catch;
 * and the form of the errors that come out. */
#include "scratch.h"
#include "script/script.h"

/* Names that would lead out of the sandbox, or make two runs differ. */
static void test_absent(void)
{
    static const char *const names[] = {
        "os",       "io",     "debug",      "package",        "coroutine", "load",
        "loadfile", "dofile", "loadstring", "collectgarbage", "rawset",    "rawget",
        "xpcall",   "next",   "_G",         "_VERSION",       "warn",
    };
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        char *text = g_strdup_printf("local x = %s\nreturn machine {}", names[i]);
        char *path = scratch_file("x.lua", text), *start;
        GError *error = NULL;
        g_assert_false(script_check(path, &error));
        start = g_strdup_printf("%s:1: \"%s\" is not defined", path, names[i]);
        g_assert_true(g_str_has_prefix(error->message, start));
        g_clear_error(&error);
        g_free(start);
        g_free(path);
        g_free(text);
    }
    static const struct script_case fields[] = {
        {"assert(string.dump == nil and math.random == nil and math.randomseed == nil)\n"
         "assert(string.pack == nil and string.unpack == nil and string.packsize == nil)\n"
         "return machine {}",
         NULL},
    };
    scratch_check_all(fields, G_N_ELEMENTS(fields));
}

static void test_locked(void)
{
    static const struct script_case cases[] = {
        {"string.format = nil", "$/x.lua:1: a library cannot be changed."},
        {"\ntable.evil = 1", "$/x.lua:2: a library cannot be changed."},
        {"machine = 1", "$/x.lua:1: \"machine\" is a builtin of gpunetsim and cannot be set."},
        {"print = 1", "$/x.lua:1: \"print\" is a builtin of gpunetsim and cannot be set."},
        {"x = 1\nassert(x == 1)\nx = 2\nassert(x == 2)\nreturn machine {}", NULL},
        {"local y = machne { }", "$/x.lua:1: \"machne\" is not defined; did you mean \"machine\"?"},
        {"local y = undefined_thing",
         "$/x.lua:1: \"undefined_thing\" is not defined; gpunetsim list workloads names the "
         "workloads."},
        {"local y = put_latency",
         "$/x.lua:1: \"put_latency\" is not defined; did you mean \"get_latency\"? gpunetsim list "
         "workloads names the workloads."},
        {"getmetatable('').__index = nil", "$/x.lua:1: attempt to index a boolean value."},
        {"setmetatable(_ENV, {})", "$/x.lua:1: cannot change a protected metatable."},
        {"setmetatable(string, {})", "$/x.lua:1: cannot change a protected metatable."},
        {"assert(getmetatable(string) == false and getmetatable(_ENV) == false)\n"
         "assert(getmetatable(machine {}) == false)\n"
         "assert(getmetatable(published(1, 'x')) == false)\nreturn machine {}",
         NULL},
        {"setmetatable({}, { __gc = function() end })",
         "$/x.lua:1: setmetatable does not take __gc here."},
        {"local t = setmetatable({}, { __index = { a = 1 } })\nassert(t.a == 1)\nreturn machine {}",
         NULL},
        {"local m = machine {}\nm.name = 'x'",
         "$/x.lua:2: a machine cannot be changed; m { ... } makes a changed copy."},
    };
    scratch_check_all(cases, G_N_ELEMENTS(cases));
}

#define ENDLESS "the script does not end: it was stopped after 100 million instructions."
#define GREEDY "the script needs more than 256 MiB of memory."

/* Loops of the language, loops of the library, and attempts to catch the limit. */
static void test_limits(void)
{
    static const struct script_case cases[] = {
        {"local i = 0\nwhile true do\n  i = i + 1\nend", "$/x.lua:3: " ENDLESS},
        {"\nrepeat pcall(function() while true do end end) until false", "$/x.lua:2: " ENDLESS},
        {"local t = setmetatable({}, { __close = function() while true do end end })\n"
         "local u <close> = t",
         "$/x.lua:1: " ENDLESS},
        {"local t = {}\nfor i = 1, math.huge do t[i] = i end", "$/x.lua:2: " GREEDY},
        {"local s = 'x'\nwhile true do s = s .. s end", "$/x.lua:2: " GREEDY},
        {"\nlocal ok = pcall(function() local s = ('x'):rep(14000):rep(10000) return s .. s end)",
         "$/x.lua:2: " GREEDY},
        {"\npcall(string.rep, 'x', 256 << 20)", "$/x.lua:2: " GREEDY}, /* fails in a buffer */
        {"('x'):rep(14000):rep(10000):upper()", "$/x.lua:1: " GREEDY},
        {"string.rep('', 1e15)", "$/x.lua:1: string.rep: the text would need more than 256 MiB."},
        {"table.move({}, 1, 1e15, 2)", "$/x.lua:1: the range is too long for a list."},
        {"local t = setmetatable({}, { __len = function() return 1e15 end })\n"
         "table.insert(t, 1, 'x')",
         "$/x.lua:2: the functions of `table` take no list with __len here."},
        {"local t = {}\nfor i = 1, 1000000 do t[i] = i end\n"
         "while true do table.insert(t, 1, 0) end",
         "$/x.lua:3: " ENDLESS},
        {"local s = ('a'):rep(20000)\ns:find('.-.-.-b')",
         "$/x.lua:2: the pattern is too costly for a text of 20000 characters."},
        {"local function f() return 1 + f() end\nf()", "$/x.lua:1: stack overflow."},
    };
    scratch_check_all(cases, G_N_ELEMENTS(cases));
}

/* A script that catches a memory error must not go on. */
static void test_pcall(void)
{
    static const struct script_case cases[] = {
        {"local ok, why = pcall(error, 'x', 0)\nassert(not ok and why == 'x')\nreturn machine {}",
         NULL},
        {"local ok, a, b = pcall(function(...) return ... end, 1, 2)\n"
         "assert(ok and a == 1 and b == 2)\nreturn machine {}",
         NULL},
        {"local ok = pcall(machine, 5)\nassert(not ok)\nreturn machine {}", NULL},
    };
    scratch_check_all(cases, G_N_ELEMENTS(cases));
}

static void test_messages(void)
{
    static const struct script_case cases[] = {
        {"\n\nerror('no good')", "$/x.lua:3: no good."},
        {"error('no good', 0)", "$/x.lua:1: no good."},
        {"error('first\\n  second\\n')", "$/x.lua:1: first second."},
        {"error({})", "$/x.lua:1: the script raised a table instead of a message."},
        {"error()", "$/x.lua:1: the script raised a nil instead of a message."},
        {"assert(1 == 2, 'they differ')", "$/x.lua:1: they differ."},
        {"local t = nil\nt.x = 1", "$/x.lua:2: attempt to index a nil value (local 't')."},
        {"x = = 1", "$/x.lua:1: unexpected symbol near '='."},
        {"return 5", "$/x.lua: returns a number instead of a study or a machine."},
        {"", "$/x.lua: returns nothing instead of a study or a machine."},
        {"\033Lua", "$/x.lua: is not the text of a Lua script."},
    };
    scratch_check_all(cases, G_N_ELEMENTS(cases));
}

/* Lua itself shortens paths beyond 60 characters; messages keep them whole. */
static void test_long_path(void)
{
    static const char name[] =
        "a-folder-with-quite-a-long-name/and-another-one-inside-of-it/long.lua";
    static const char *const texts[] = {"\nlocal t = nil + 1", "\nx = = 1", "\nmachine(1)"};
    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
        char *path = scratch_file(name, texts[i]), *start = g_strconcat(path, ":2: ", NULL);
        GError *error = NULL;
        g_assert_false(script_check(path, &error));
        g_assert_true(g_str_has_prefix(error->message, start));
        g_error_free(error);
        g_free(start);
        g_free(path);
    }
}

static void test_unreadable(void)
{
    GError *error = NULL;
    char *path = scratch_expand("$/absent.lua");
    g_assert_false(script_check(path, &error));
    scratch_assert_message(error, "$/absent.lua: cannot be read: no such file.");
    error = NULL;
    g_assert_false(script_check(scratch, &error));
    scratch_assert_message(error, "$: is a folder; a Lua file is read from a regular file.");
    g_free(path);
}

/* The same script has to do the same each time: keys in order, no addresses. */
static void test_repeatable(void)
{
    static const struct script_case cases[] = {
        {"local t, keys = { z = 1, a = 2, [3] = 3, [1.5] = 4, [true] = 5, mm = 6 }, {}\n"
         "for k in pairs(t) do keys[#keys + 1] = tostring(k) end\n"
         "assert(table.concat(keys, ' ') == '1.5 3 a mm z true')\nreturn machine {}",
         NULL},
        {"local t, n = { a = 1, b = 2, c = 3 }, 0\n"
         "for k in pairs(t) do t.b = nil; n = n + 1 end\nassert(n == 2)\nreturn machine {}",
         NULL},
        {"assert(tostring({}) == 'table' and tostring(print) == 'function')\n"
         "assert(string.format('%s %d', {}, 5) == 'table 5' and tostring(1.5) == '1.5')\n"
         "return machine {}",
         NULL},
        {"string.format('%-10p', 'x')",
         "$/x.lua:1: string.format does not take %p here: addresses differ from run to run."},
        {"for k in pairs({ [{}] = 1 }) do end",
         "$/x.lua:1: keys that are a table have no order; pairs takes numbers, strings, booleans."},
    };
    scratch_check_all(cases, G_N_ELEMENTS(cases));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    scratch_open();
    g_test_add_func("/sandbox/absent", test_absent);
    g_test_add_func("/sandbox/locked", test_locked);
    g_test_add_func("/sandbox/limits", test_limits);
    g_test_add_func("/sandbox/pcall", test_pcall);
    g_test_add_func("/sandbox/messages", test_messages);
    g_test_add_func("/sandbox/long_path", test_long_path);
    g_test_add_func("/sandbox/unreadable", test_unreadable);
    g_test_add_func("/sandbox/repeatable", test_repeatable);
    int result = g_test_run();
    scratch_close();
    return result;
}
