/* SPDX-License-Identifier: BSD-3-Clause */
/* Message libraries and MPIs of a machine file's own: what they take, that each mistake gets its sentence, and that other
 * machines have nothing of them. */
#include "../designs.h"
#include "scratch.h"

#include "core/param_instance.h"
#include "protocols/runtimes/mpi.h"
#include "script/searches/vary_lua.h"
#include "script/views/views.h"

#define MINE                                                                                          \
    "mylib = message_library { from = 'ucx', eager = estimated('64KiB', '1KiB', '1MiB', 'seen') },\n" \
    "mine = mpi { library = 'mylib', call = '80ns' },\n"

static struct machine *load(const char *name, const char *text)
{
    GError *error = NULL;
    g_autofree char *path = scratch_file(name, text);
    struct machine *machine = machine_load(path, NULL, &error);
    g_assert_no_error(error);
    return machine;
}

/* "value kind [low]" of a path; NULL if the machine has none of the name. */
static const char *told(const struct machine *machine, const char *path)
{
    static char text[200 + PARAM_TEXT_SIZE];
    char value[PARAM_TEXT_SIZE];
    for (guint i = 0; i < machine->provenance->len; i++) {
        const struct provenance *row = g_ptr_array_index(machine->provenance, i);
        if (strcmp(row->path, path) != 0)
            continue;
        g_snprintf(text, sizeof text, "%s %d%s%s", provenance_value(machine, row, value),
                   (int)row->kind, row->low ? " " : "", row->low ? row->low : "");
        return text;
    }
    return NULL;
}

static void test_values(void)
{
    struct machine *machine =
        load("m.lua",
             "local m = machine { ucx = { eager = '2KiB', post = published('7ns', 'x') },\n" MINE
             "}\nreturn m { mine = { wait = '9ns' }, ucx = { post = '1ns' } }");
    g_assert_cmpstr(told(machine, "mylib.eager"), ==, "64KiB 4 1KiB");
    g_assert_cmpstr(told(machine, "mylib.post"), ==, "7ns 2");
    g_assert_cmpstr(told(machine, "mylib.progress"), ==, "100ns 0");
    g_assert_cmpstr(told(machine, "ucx.eager"), ==, "2KiB 1");
    g_assert_cmpstr(told(machine, "ucx.post"), ==, "1ns 1");
    g_assert_cmpstr(told(machine, "mine.library"), ==, "mylib 1");
    g_assert_cmpstr(told(machine, "mine.call"), ==, "80ns 1");
    g_assert_cmpstr(told(machine, "mine.wait"), ==, "9ns 1");
    g_assert_cmpstr(told(machine, "mine.device"), ==, "100ns 0");
    const struct mpi_spec *spec = machine_part(&machine->spec, param_instance(&mpi_params, "mine"));
    g_assert_cmpstr(mpi_libraries[spec->library], ==, "mylib");
    g_assert_cmpint(spec->wait_ps, ==, 9 * INT64_C(1000));
    machine_free(machine);
}

/* Described anew, nothing is left of before, and a library of every machine may be, too. */
static void test_described_anew(void)
{
    struct machine *machine =
        load("m.lua",
             "local m = machine {\n" MINE "pami = { eager = '1KiB' } }\n"
             "return m { mine = mpi { wait = '9ns' }, pami = message_library { post = '3ns' } }");
    g_assert_cmpstr(told(machine, "mine.call"), ==, "100ns 0");
    g_assert_cmpstr(told(machine, "mine.wait"), ==, "9ns 1");
    g_assert_cmpstr(told(machine, "mine.library"), ==, "ucx 0");
    g_assert_cmpstr(told(machine, "pami.eager"), ==, "8KiB 0");
    g_assert_cmpstr(told(machine, "pami.post"), ==, "3ns 1");
    machine_free(machine);
}

static int push_machine(struct lua_State *L, void *machine)
{
    vary_lua_push_machine(L, machine);
    return 1;
}

/* What another file has added is no part of a machine, of its identity or of its text. */
static void test_others(void)
{
    struct machine *before = load("a.lua", "return machine {}"),
                   *mine = load("m.lua", "return machine {\n" MINE "}"),
                   *after = load("a.lua", "return machine {}");
    g_autofree char *json_before = machine_json(before), *json_after = machine_json(after),
                    *json_mine = machine_json(mine);
    g_auto(GStrv) texts =
        views_call("machine_file", "texts", push_machine, mine, g_variant_new("(s)", "x"), NULL);
    g_assert_cmpstr(json_before, ==, json_after);
    g_assert_null(strstr(json_after, "mine."));
    g_assert_nonnull(strstr(json_mine, "\"mine.library\":\"mylib\""));
    struct machine *again = load("t.lua", texts[0]);
    g_autofree char *json_again = machine_json(again);
    g_assert_cmpstr(json_again, ==, json_mine);
    machine_free(before);
    machine_free(mine);
    machine_free(after);
    machine_free(again);
}

static void test_mistakes(void)
{
    static const struct {
        const char *text, *message;
    } mistakes[] = {
        {"return machine {\n" MINE "}", NULL},
        {"return machine { a = mpi { library = 'b' }, b = message_library { from = 'c' },\n"
         "c = message_library { from = 'ucx' } }",
         NULL},
        {"return machine {\nb = message_library { from = 'c' },\nc = message_library { from = 'b' } }",
         "$/x.lua:2: b.from leads in a circle."},
        {"return machine {\nb = message_library {\nfrom = 'openmpi' } }",
         "$/x.lua:3: b.from: the machine has no other message_library \"openmpi\"; accepted: ucx, "
         "mrail, pami."},
        {"return machine {\nb = mpi { from = 'openmi' } }",
         "$/x.lua:2: b.from: the machine has no other mpi \"openmi\"; did you mean \"openmpi\"? "
         "Accepted: mvapich, openmpi, spectrum."},
        {"return machine {\nb = mpi { from = 7 } }",
         "$/x.lua:2: b.from needs the name of another mpi, not a number."},
        {"return machine {\nnic = mpi {} }",
         "$/x.lua:2: \"nic\" is a component of every machine and of another kind than mpi."},
        {"return machine {\nucx = mpi {} }",
         "$/x.lua:2: \"ucx\" is a component of every machine and of another kind than mpi."},
        {"local m = machine {\nb = mpi {} }\nreturn m {\nb = message_library {} }",
         "$/x.lua:4: component \"b\" of this machine is of kind mpi, not message_library."},
        {"return machine {\nname = mpi {} }",
         "$/x.lua:2: \"name\" is no name for software of one's own; it takes a letter and up to 23 "
         "more of small letters, digits and _, and is no name of anything else."},
        {"return machine {\nb = mpi {\nwait = '5B' } }",
         "$/x.lua:3: b.wait: \"5B\" has \"B\" where a time needs one of ps, ns, us, ms, s."},
        {"return machine {\nb = mpi { cal = '5ns' } }",
         "$/x.lua:2: unknown key \"cal\" in mpi; did you mean \"call\"? Accepted: library, call, "
         "wait, device, from, description."},
        {"return machine { b = mpi 'x' }", "$/x.lua:1: mpi needs a table { ... }, not a string."},
        {"local b = mpi {}\nb.call = '1ns'\nreturn machine {}",
         "$/x.lua:2: this cannot be changed; a machine's values are changed by m { name = { ... } }."},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(mistakes); i++)
        scratch_check(mistakes[i].text, mistakes[i].message);
}

/* Names are bounded, and so is what a machine holds. */
static void test_many(void)
{
    GError *error = NULL;
    g_autofree char *path = scratch_file(
        "x.lua", "local t = {}\nfor i = 1, 99 do t['lib' .. i] = message_library {} end\n"
                 "return machine(t)");
    g_assert_false(script_check(path, &error));
    g_assert_nonnull(strstr(error->message, "x.lua:3: "));
    g_assert_nonnull(strstr(error->message, " no room "));
    g_clear_error(&error);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    test_designs_load();
    scratch_open();
    g_test_add_func("/software/values", test_values);
    g_test_add_func("/software/described_anew", test_described_anew);
    g_test_add_func("/software/others", test_others);
    g_test_add_func("/software/mistakes", test_mistakes);
    g_test_add_func("/software/many", test_many);
    int result = g_test_run();
    scratch_close();
    return result;
}
