/* SPDX-License-Identifier: BSD-3-Clause */
/* Scripts that try to get past the sandbox's limits: by way of the library's C functions, by lies
 * of metamethods, by tables with gaps, by files that are none. Each has to end with its sentence. */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "scratch.h"
#include "script/script.h"

#define ENDLESS "the script does not end: it was stopped after 100 million instructions."
#define GREEDY "the script needs more than 256 MiB of memory."
#define COSTLY "the pattern is too costly for a text of "
#define LYING "the functions of `table` take no list with __len here."
#define LONG "a list has more than 1000000 entries, or gaps."
#define LIAR "setmetatable({}, { __len = function() return "

#define STUDY                                                                                      \
    "return study { title = 't', machine = machine {}, run = function() return { a = 1 } end, "

/* Of a raw length of 2^60: beyond its array part Lua looks for a border at powers of two. */
#define GAPS                                                                                       \
    "local gaps = {}\nfor i = 0, 60 do gaps[1 << i] = 'a' end\ngaps[5], gaps[9] = 'a', 'a'\n"      \
    "assert(#gaps > (1 << 32))\n"

static void test_lengths(void)
{
    static const struct script_case attacks[] = {
        {STUDY
         "plot = { x = 'x', y = setmetatable({ 'a' }, { __len = function() return 1 << 32 end }) "
         "},\nvary = { x = { 1 } } }",
         NULL},
        {"local y = {}\nfor i = 1, 100000 do y[i] = 'a' end\n" STUDY
         "vary = { x = { 1 } },\nplot = { x = 'x', y = y } }",
         NULL},
        {"local y = {}\nfor i = 1, 30000 do y[i] = 'a' end\n" STUDY
         "vary = { x = { 1 } },\nplot = { x = 'x', y = y } }",
         NULL},
        {GAPS STUDY "vary = { x = { 1 } }, plot = { x = 'x', y = gaps } }", "$/x.lua:5: " LONG},
        {GAPS STUDY "vary = { x = { 1 } }, plot = gaps }", "$/x.lua:5: " LONG},
        {GAPS STUDY "vary = { x = { 1 } }, claims = gaps }", "$/x.lua:5: " LONG},
        {GAPS STUDY "vary = { x = gaps } }", "$/x.lua:5: " LONG},
        {GAPS STUDY "vary = gaps }", "$/x.lua:5: " LONG},
        {GAPS STUDY "vary = { zip { x = gaps } } }", "$/x.lua:5: " LONG},
        {GAPS STUDY "vary = { random(3, gaps) } }", "$/x.lua:5: " LONG},
        {GAPS STUDY "vary = { random(3, { x = gaps }) } }", "$/x.lua:5: " LONG},
        {GAPS "fitted(1, 0, 2, gaps, 'x')", "$/x.lua:5: " LONG},
        {GAPS "table.concat(gaps)", "$/x.lua:5: the list is too long."},
        {GAPS "table.sort(gaps)", "$/x.lua:5: the list is too long."},
        {GAPS "table.insert(gaps, 1, 1)", "$/x.lua:5: the list is too long."},
        {GAPS "table.unpack(gaps)", "$/x.lua:5: the list is too long."},
        /* metamethods have no say in what C reads */
        {STUDY "vary = { x = " LIAR "1 << 40 end, __index = function() return 1 end }) } }",
         "$/x.lua:1: axis \"x\" needs a list of values, such as { \"64B\", \"1KiB\" }."},
        {STUDY "vary = setmetatable({ x = { 1, 2 } }, { __pairs = function() return function() "
               "return 1 end end, __index = function() error('asked') end }) }",
         NULL},
    };
    scratch_check_all(attacks, G_N_ELEMENTS(attacks));
}

/* Functions of `table`: their work is paid for, and no length is a lie. */
static void test_tables(void)
{
    static const struct script_case attacks[] = {
        {"table.remove(" LIAR "-1e15 // 1 | 0 end }), 1, 1)", "$/x.lua:1: " LYING},
        {"table.insert(" LIAR "-5 end }), 1, 1)", "$/x.lua:1: " LYING},
        {"table.concat(" LIAR "1 << 40 end, __index = function() return '' end }))",
         "$/x.lua:1: " LYING},
        {"table.sort(" LIAR "(1 << 31) - 2 end }))", "$/x.lua:1: " LYING},
        {"table.unpack(" LIAR "1 << 40 end }))", "$/x.lua:1: " LYING},
        {"local t = {}\nfor i = 1, 1000000 do t[i] = 'a' end\nwhile true do table.concat(t) end",
         "$/x.lua:3: " ENDLESS},
        {"local t = {}\nfor i = 1, 200000 do t[i] = -i end\nwhile true do table.sort(t) end",
         "$/x.lua:3: " ENDLESS},
        {"local t = {}\nwhile true do table.unpack(t, 1, 900000) end", "$/x.lua:2: " ENDLESS},
        {"table.unpack({}, 1, 1e8)", "$/x.lua:1: the range is too long for a list."},
        {"table.unpack({}, 1, 5000000)", "$/x.lua:1: too many results to unpack."},
        {"table.concat({}, '', 1, 1e15)", "$/x.lua:1: the range is too long for a list."},
        {"table.concat({}, '', math.mininteger, math.maxinteger)",
         "$/x.lua:1: the range is too long for a list."},
        {"local t = { 1, 2, 3 }\nfor i = 1, 200 do table.sort(t, function(a, b) while true do end "
         "end) "
         "end",
         "$/x.lua:2: " ENDLESS},
    };
    scratch_check_all(attacks, G_N_ELEMENTS(attacks));
}

/* table.sort is the project's own. */
static void test_sort(void)
{
    static const struct script_case scripts[] = {
        {"local t = {}\nfor i = 1, 1000 do t[i] = { i * 7919 % 10, i } end\n"
         "table.sort(t, function(a, b) return a[1] < b[1] end)\n"
         "for i = 2, 1000 do local a, b = t[i - 1], t[i]\n"
         "  assert(a[1] < b[1] or (a[1] == b[1] and a[2] < b[2])) end\nreturn machine {}",
         NULL},
        {"for n = 0, 20 do local t = {}\n  for i = 1, n do t[i] = i * 5 % 7 end\n  table.sort(t)\n"
         "  for i = 2, n do assert(t[i - 1] <= t[i]) end\n  assert(#t == n) end\nreturn machine {}",
         NULL},
        {"local t = { 'b', 'a', 'c' }\ntable.sort(t, function(a, b) return true end)\n"
         "table.sort(t)\nassert(table.concat(t) == 'abc')\nreturn machine {}",
         NULL},
        {"table.sort({ 1, 'a' })", "$/x.lua:1: attempt to compare string with number."},
        {"table.sort({ 1, 2 }, 5)",
         "$/x.lua:1: bad argument #2 to 'sort' (function expected, got number)."},
    };
    scratch_check_all(scripts, G_N_ELEMENTS(scripts));
}

/* Patterns whose cost the guard has to see through, whatever stands around them. */
static void test_patterns(void)
{
    static const struct script_case attacks[] = {
        {"local s = ('a'):rep(20000)\ns:gsub('.-.-.-b', '', true)",
         "$/x.lua:2: " COSTLY "20000 characters."},
        {"local s = ('a'):rep(20000)\ns:match('.-.-.-b', 1, true)",
         "$/x.lua:2: " COSTLY "20000 characters."},
        {"local s = ('a'):rep(20000)\ns:gmatch('.-.-.-b', 1, true)()",
         "$/x.lua:2: " COSTLY "20000 characters."},
        {"local s = ('a'):rep(20000)\ns:match('\\0?.-.-.-b')",
         "$/x.lua:2: " COSTLY "20000 characters."},
        {"local s = ('a'):rep(20000)\ns:match('(a*)(a*)%1%2b')",
         "$/x.lua:2: " COSTLY "20000 characters."},
        {"local s = ('a'):rep(20000)\ns:match('[]a]-[^]]-[%]a]-b')",
         "$/x.lua:2: " COSTLY "20000 characters."},
        {"local s = ('a'):rep(20000000)\ns:find(('a'):rep(9999999) .. 'b', 1, true)",
         "$/x.lua:2: " COSTLY "20000000 characters."},
        {"local s = ('a'):rep(20000)\ns:find('.-.-.-b', 1, true)\nreturn machine {}", NULL},
        {"assert(('key = value'):match('^%s*(%w+)%s*=%s*([%w+*?-]+)%s*$') == 'key')\n"
         "assert(('16KiB'):match('^(%d+)(%a+)$') == '16')\nreturn machine {}",
         NULL},
        {"local s = ('a'):rep(1000000)\nwhile true do s:find('b', 1, true) end",
         "$/x.lua:2: " ENDLESS},
    };
    scratch_check_all(attacks, G_N_ELEMENTS(attacks));
}

/* Functions of texts that work without allocating. */
static void test_texts(void)
{
    static const struct script_case attacks[] = {
        {"while true do string.rep('', 2e8) end", "$/x.lua:1: " ENDLESS},
        {"local n = 0\nwhile true do n = n + #string.rep('', 200000000, '') end",
         "$/x.lua:2: " ENDLESS},
        {"while true do string.rep('x', 100000000) end", "$/x.lua:1: " ENDLESS},
        {"local s = ('x'):rep(5000):rep(10000)\nwhile true do utf8.len(s) end",
         "$/x.lua:2: " ENDLESS},
        {"local s = ('x'):rep(5000):rep(10000)\nwhile true do utf8.offset(s, -1) end",
         "$/x.lua:2: " ENDLESS},
        {"local s = ('1'):rep(5000):rep(10000)\nwhile true do tonumber(s) end",
         "$/x.lua:2: " ENDLESS},
        {"string.rep('x', -1)\nstring.rep('', math.mininteger)\nreturn machine {}", NULL},
        {"string.rep('ab', math.maxinteger)",
         "$/x.lua:1: string.rep: the text would need more than 256 MiB."},
        {"string.rep('x', 2, ('y'):rep(200000000))", "$/x.lua:1: " GREEDY},
        {"string.format('%99999d', 1)", "$/x.lua:1: invalid conversion specification: '%99999d'."},
        {"string.format('\\0%p', {})",
         "$/x.lua:1: string.format does not take %p here: addresses differ from run to run."},
        {"string.byte(('x'):rep(10000000), 1, -1)",
         "$/x.lua:1: stack overflow (string slice too long)."},
        {"utf8.codepoint(('x'):rep(10000000), 1, -1)",
         "$/x.lua:1: stack overflow (string slice too long)."},
        {"::again::\ngoto again", "$/x.lua:2: " ENDLESS},
    };
    scratch_check_all(attacks, G_N_ELEMENTS(attacks));
}

/* Finalizers by any way; limits within what runs when others have been reached. */
static void test_metamethods(void)
{
    static const struct script_case attacks[] = {
        {"local mt = setmetatable({}, { __index = function(t, key)\n"
         "  if key == '__gc' then error('asked') end\nend })\n"
         "setmetatable({}, mt)\nreturn machine {}",
         NULL},
        {"local mt = {}\nsetmetatable({}, mt)\nmt.__gc = function() end\nsetmetatable({}, mt)",
         "$/x.lua:4: setmetatable does not take __gc here."},
        {"error(setmetatable({}, { __tostring = function() while true do end end }))",
         "$/x.lua:1: the script raised a table instead of a message."},
        {"print(setmetatable({}, { __tostring = function() while true do end end }))",
         "$/x.lua:1: " ENDLESS},
        {"tostring(setmetatable({}, { __tostring = function() return {} end }))",
         "$/x.lua:1: __tostring has to return a string."},
        {"for k in pairs(setmetatable({}, { __pairs = function() return function() return 1 end "
         "end "
         "})) do end",
         "$/x.lua:1: " ENDLESS},
        {"local t = setmetatable({}, { __index = function(t, k) return t[k] end })\nlocal x = t.x",
         "$/x.lua:1: C stack overflow."},
        {"local t = setmetatable({}, { __close = function() pcall(function() while true do end "
         "end) "
         "end })\ndo local a <close> = t\n local b <close> = t\n while true do end\nend",
         "$/x.lua:1: " ENDLESS},
        {"local t = setmetatable({}, { __close = function() error('closed') end }) "
         "while true do pcall(function() local a <close> = t error('x') end) end",
         "$/x.lua:1: " ENDLESS},
        {"while true do pcall(function() return undefined_name end) end", "$/x.lua:1: " ENDLESS},
        {"while true do pcall(machine, { nod = 1 }) end", "$/x.lua:1: " ENDLESS},
        {"while true do pcall(require, 'no.such.file') end", "$/x.lua:1: " ENDLESS},
    };
    scratch_check_all(attacks, G_N_ELEMENTS(attacks));
}

/* Memory of C for what a script hands over, and texts that one string shows many times. */
static void test_memory(void)
{
    static const struct script_case attacks[] = {
        {"local t = ('x'):rep(6000):rep(10000)\nlocal plots = {}\n"
         "for i = 1, 200 do plots[i] = { x = 'x', y = 'a', title = t } end\n" STUDY
         "vary = { x = { 1 } }, plot = plots }",
         NULL},
        {"local t = ('x'):rep(65536)\nlocal plots = {}\n"
         "for i = 1, 1000 do plots[i] = { x = 'x', y = 'a', title = t, x_label = t, y_label = t,\n"
         "  by = nil } end\n" STUDY "vary = { x = { 1 } }, plot = plots }",
         NULL},
        {"local t, list = ('x'):rep(65000), {}\nfor i = 1, 60000 do list[i] = t end\n" STUDY
         "vary = { zip { x = list, y = list } } }",
         "$/x.lua:3: " GREEDY},
        {"local list = {}\nfor i = 1, 1000000 do list[i] = 1 end\nlocal axes = {}\n"
         "for i = 1, 20 do axes['a' .. i] = list end\n" STUDY "vary = { zip(axes) } }",
         "$/x.lua:5: " GREEDY},
        {"local list = {}\nfor i = 1, 1000000 do list[i] = 1 end\nlocal axes = {}\n"
         "for i = 1, 999 do axes['a' .. i] = list end\naxes.z = { 1, [3] = 1 }\n" STUDY
         "vary = { zip(axes) } }", /* the last list, which is none, is not looked at */
         "$/x.lua:6: " ENDLESS},
        {"local plots = {}\nfor i = 1, 1001 do plots[i] = { x = 'x', y = 'a' } end\n" STUDY
         "vary = { x = { 1 } }, plot = plots }",
         "$/x.lua:3: plot lists more than 1000 figures."},
        {"local axes = {}\nfor i = 1, 1001 do axes['a' .. i] = { 1 } end\n" STUDY "vary = axes }",
         "$/x.lua:3: vary has more than 1000 axes."},
        {STUDY "vary = { [('x'):rep(101)] = { 1 } } }",
         "$/x.lua:1: vary has a name of more than 100 letters."},
        {STUDY "vary = { a = range(1, 3000, 1), b = range(1, 3000, 1), c = { 1 }, d = { 1 },\n"
               "e = { 1 }, f = { 1 }, g = { 1 }, h = { 1 } } }",
         "$/x.lua: a list of 9000000 points on 8 axes is too long."},
        {STUDY "vary = { a = range(1, 1000, 1) }, where = function()\n"
               "for i = 1, 1000000 do end return true end }",
         "$/x.lua: where does not end: it took more than 1000 instructions a combination."},
        {"error(('x'):rep(10000):rep(10000))",
         "$/x.lua:1: the script needs more than 256 MiB of memory."},
    };
    scratch_check_all(attacks, G_N_ELEMENTS(attacks));
}

static void check_file(const char *path, const char *message)
{
    GError *error = NULL;
    g_assert_false(script_check(path, &error));
    scratch_assert_message(error, message);
}

/* What is read is a regular file of bounded size; a link to one is as good. */
static void test_files(void)
{
    char *pipe = scratch_expand("$/pipe.lua"), *link = scratch_expand("$/link.lua");
    char *large = scratch_file("large.lua", ""),
         *good = scratch_file("good.lua", "return machine {}");
    GError *error = NULL;
    g_assert_cmpint(mkfifo(pipe, 0600), ==, 0);
    check_file(pipe, "$/pipe.lua: is a FIFO; a Lua file is read from a regular file.");
    check_file("/dev/zero", "/dev/zero: is a device; a Lua file is read from a regular file.");
    g_assert_cmpint(truncate(large, INT64_C(1) << 30), ==, 0);
    check_file(large, "$/large.lua: is too large for a Lua file, which has 16MiB at most.");
    g_assert_cmpint(symlink("/dev/zero", link), ==, 0);
    check_file(link, "$/link.lua: is a device; a Lua file is read from a regular file.");
    g_assert_cmpint(unlink(link), ==, 0);
    g_assert_cmpint(symlink("good.lua", link), ==, 0);
    g_assert_true(script_check(link, &error));
    g_assert_no_error(error);
    scratch_check("require 'pipe'",
                  "$/x.lua:1: $/pipe.lua: is a FIFO; a Lua file is read from a regular file.");
    scratch_check("require '../x'",
                  "$/x.lua:1: require \"../x\": a name is made of letters, digits, _ and "
                  "-, with dots for folders.");
    scratch_check("require '/etc/passwd'",
                  "$/x.lua:1: require \"/etc/passwd\": a name is made of letters, "
                  "digits, _ and -, with dots for folders.");
    char *paths[] = {pipe, link, large, good};
    for (size_t i = 0; i < G_N_ELEMENTS(paths); i++) {
        g_remove(paths[i]);
        g_free(paths[i]);
    }
}

/* Texts of a million tokens, and deep ones. */
static void check_repeated(const char *part, guint count, const char *message)
{
    GString *text = g_string_new(NULL);
    for (guint i = 0; i < (IS_SANITIZED ? count / 5 : count); i++)
        g_string_append(text, part);
    char *path = scratch_file("x.lua", text->str);
    GError *error = NULL;
    g_assert_false(script_check(path, &error));
    char *expected = scratch_expand(message);
    if (!strstr(error->message, expected))
        g_error("%s", error->message);
    g_clear_error(&error);
    g_free(expected);
    g_free(path);
    g_string_free(text, TRUE);
}

static void test_parsing(void)
{
    check_repeated("x = {", 3000000, "$/x.lua: is nested too deeply.");
    check_repeated("{{}},", 3000000, "$/x.lua:1: unexpected symbol near '{'.");
    check_repeated("f(", 1000000, "$/x.lua: is nested too deeply.");
    check_repeated("x = function() ", 1000000, "$/x.lua: is nested too deeply.");
    check_repeated("local a ", 1000000, "$/x.lua:1: too many local variables");
    check_repeated("x = 1 ", 2500000, "instead of a study or a machine.");
    check_repeated("return - - - - - ", 900000, "$/x.lua:1: ");
    check_repeated("a..", 5000000, "$/x.lua:1: ");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    scratch_open();
    g_test_add_func("/attacks/lengths", test_lengths);
    g_test_add_func("/attacks/tables", test_tables);
    g_test_add_func("/attacks/sort", test_sort);
    g_test_add_func("/attacks/patterns", test_patterns);
    g_test_add_func("/attacks/texts", test_texts);
    g_test_add_func("/attacks/metamethods", test_metamethods);
    g_test_add_func("/attacks/memory", test_memory);
    g_test_add_func("/attacks/files", test_files);
    g_test_add_func("/attacks/parsing", test_parsing);
    int result = g_test_run();
    scratch_close();
    return result;
}
