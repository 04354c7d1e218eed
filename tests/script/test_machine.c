/* SPDX-License-Identifier: BSD-3-Clause */
/* Machines: all component tables are valid, every kind of mistake in a machine file gets its
 * sentence, and each number keeps its source through changed copies and overrides. */
#include "../param_valid.h"
#include "scratch.h"

#include "core/param.h"
#include "script/script.h"
#include "study/model/machine.h"
#include "workloads/workloads.h"

static void test_tables_valid(void)
{
    g_autoptr(GError) error = NULL;
    for (size_t i = 0; i < machine_section_count(machine_defaults()); i++) {
        if (!param_table_valid(machine_section(machine_defaults(), i).table, &error))
            g_error("%s", error->message);
    }
    for (size_t i = 0; workloads[i]; i++) {
        if (!param_table_valid(workloads[i]->params, &error))
            g_error("%s", error->message);
    }
}

/* ": unknown key ...", with the list as the table has it. */
static char *unknown_key(const char *start, const char *name, const struct param_table *table)
{
    const char **names = g_new0(const char *, table->count);
    for (size_t i = 0; i < table->count; i++)
        names[i] = table->params[i].name;
    char *list = param_suggestion(name, names, table->count);
    char *message =
        g_strdup_printf("%s: unknown key \"%s\" in %s%s.", start, name, table->component, list);
    g_free(list);
    g_free(names);
    return message;
}

static void test_unknown_keys(void)
{
    /* Of several the first by name is reported, whatever their order in Lua's hash. */
    char *path = scratch_file("x.lua", "return machine { zz = 1, yy = 1, aa = 1, mm = 1, kk = 1 }");
    GError *error = NULL;
    for (int i = 0; i < 10; i++) { /* each state has another hash seed */
        g_assert_false(script_check(path, &error));
        g_assert_nonnull(
            strstr(error->message, ":1: unknown key \"aa\" in machine; accepted: name, "));
        g_clear_error(&error);
    }
    g_free(path);
    char *message = unknown_key("$/x.lua:4", "latncy", &network_params);
    g_assert_nonnull(strstr(message, "did you mean \"latency\"? Accepted: "));
    scratch_check("return machine {\n"
                  "  nodes = 2,\n"
                  "  network = {\n"
                  "    latncy = '5ns',\n"
                  "  },\n"
                  "}",
                  message);
    g_free(message);
    message = unknown_key("$/x.lua:2", "latncy", &network_params); /* made elsewhere */
    scratch_check("local n = { latncy = '5ns' }\nreturn machine { network = n }", message);
    g_free(message);
}

struct machine_case {
    const char *text, *message;
};

#define TIMES "a time needs one of ps, ns, us, ms, s."

static const struct machine_case machine_cases[] = {
    {"return machine {}", NULL},
    {"return machine { nodes = 4, network = { latency = '100ns', topology = 'star' } }", NULL},
    {"return machine { network = { latency = 0, radix = 1e1 } }", NULL},
    {"\nreturn machine {\nnetwork = { latency = 12 } }",
     "$/x.lua:3: network.latency: \"12\" has no unit; " TIMES},
    {"return machine { network = { latency = '12' } }",
     "$/x.lua:1: network.latency: \"12\" has no unit; " TIMES},
    {"return machine { network = { latency = '12GB' } }",
     "$/x.lua:1: network.latency: \"12GB\" has \"GB\" where " TIMES},
    {"return machine { network = { latency = '-5ns' } }",
     "$/x.lua:1: network.latency: \"-5ns\" is out of range; accepted: 0 to 1s."},
    {"return machine { network = { latency = {} } }",
     "$/x.lua:1: network.latency needs text with one of the units ps, ns, us, ms, s, not a table."},
    {"return machine { network = { latency = true } }",
     "$/x.lua:1: network.latency needs text with one of the units ps, ns, us, ms, s, not a "
     "boolean."},
    {"return machine { network = { radix = {} } }",
     "$/x.lua:1: network.radix needs a whole number, not a table."},
    {"return machine { network = { radix = 1.5 } }",
     "$/x.lua:1: network.radix: \"1.5\" is not a whole number of units."},
    {"return machine { network = { latency = '5ns\\0' } }",
     "$/x.lua:1: network.latency needs text with one of the units ps, ns, us, ms, s, not a "
     "string."},
    {"return machine { nodes = 0 }",
     "$/x.lua:1: machine.nodes: \"0\" is out of range; accepted: 1 to 65536."},
    {"return machine { network = 5 }", "$/x.lua:1: network needs a table { ... }, not a number."},
    {"return machine { 5 }", "$/x.lua:1: machine has a value without a name; write name = value."},
    {"return machine { network = { 5 } }",
     "$/x.lua:1: network has a value without a name; write name = value."},
    {"return machine { name = 5 }", "$/x.lua:1: the name of a machine is text, not a number."},
    {"return machine 'x'", "$/x.lua:1: machine needs a table { ... }, not a string."},
    {"local m = machine {}\nreturn m { nodes = 0 }",
     "$/x.lua:2: machine.nodes: \"0\" is out of range; accepted: 1 to 65536."},
    {"local m = machine {}\nreturn m(5)",
     "$/x.lua:2: a machine is changed by m { ... } or m:with { ... }, not with a number."},
    {"local m = machine {}\nreturn m.nodes", "$/x.lua:2: unknown name \"nodes\" in a machine; "
                                             "accepted: name, alike, bounds, range, value, with."},
    {"return pcall(machine, { nodes = 0 }) and 1 or machine {}", NULL},
};

static void test_mistakes(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(machine_cases); i++)
        scratch_check(machine_cases[i].text, machine_cases[i].message);
}

static const struct machine_case source_cases[] = {
    {"return machine { network = { latency = published('100ns', 'Table 1') } }", NULL},
    {"published('100ns')", "$/x.lua:1: published: the source is missing; give it as text."},
    {"measured('100ns', '')", "$/x.lua:1: measured: the source is missing; give it as text."},
    {"measured()", "$/x.lua:1: measured: the value has to be a quantity, a number, a name or a "
                   "boolean, not nil."},
    {"estimated('5ns', '1ns', '9ns')",
     "$/x.lua:1: estimated: the reason is missing; give it as text."},
    {"fitted('5ns', '1ns', '9ns', {})",
     "$/x.lua:1: fitted: the list of claims it is fitted to is empty."},
    {"fitted('5ns', '1ns', '9ns')",
     "$/x.lua:1: fitted: the claims it is fitted to are missing; give a list of their ids."},
    {"return machine { network = { latency = estimated('10ns', '1ns', '9ns', 'a guess') } }",
     "$/x.lua:1: network.latency: the value 10ns is not between its bounds 1ns and 9ns."},
    {"return machine { network = { latency = estimated('5ns', '9ns', '1ns', 'a guess') } }",
     "$/x.lua:1: network.latency: the value 5ns is not between its bounds 9ns and 1ns."},
    {"return machine { network = { latency = estimated('5ns', '1', '9ns', 'a guess') } }",
     "$/x.lua:1: network.latency: \"1\" has no unit; " TIMES},
    {"return machine { network = { latency = published(5, 'Table 1') } }",
     "$/x.lua:1: network.latency: \"5\" has no unit; " TIMES},
};

static void test_sources_refused(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(source_cases); i++)
        scratch_check(source_cases[i].text, source_cases[i].message);
}

static struct machine *load(const char *text, const char *const *overrides)
{
    char *path = scratch_file("m.lua", text);
    GError *error = NULL;
    struct machine *machine = machine_load(path, overrides, &error);
    g_assert_no_error(error);
    g_free(path);
    return machine;
}

static const struct provenance *find(const struct machine *machine, const char *path)
{
    for (guint i = 0; i < machine->provenance->len; i++) {
        const struct provenance *row = g_ptr_array_index(machine->provenance, i);
        if (strcmp(row->path, path) == 0)
            return row;
    }
    g_error("%s is not there", path);
}

static void assert_source(const struct machine *machine, const char *path, const char *value,
                          enum source_kind kind, const char *source)
{
    char text[PARAM_TEXT_SIZE];
    const struct provenance *row = find(machine, path);
    g_assert_cmpstr(provenance_value(machine, row, text), ==, value);
    g_assert_cmpint((int)row->kind, ==, (int)kind);
    g_assert_cmpstr(row->source, ==, source);
}

#define BASE                                                                                       \
    "local base = machine { name = 'base', nodes = 3, network = {\n"                               \
    "  latency = published('100ns', 'Table 1'), rate = '25GB/s',\n"                                \
    "  radix = estimated(8, 4, 16, 'as drawn'),\n"                                                 \
    "  byte_energy = inferred('7pJ', '5pJ', '9pJ', { 'N-45' }, 'a set'),\n"                        \
    "  uplinks = fitted(4, 1, 8, { 'N-05', 'N-44' }) } }\n"

static void test_provenance(void)
{
    struct machine *machine = load(BASE "return base", NULL);
    g_assert_cmpstr(machine->name, ==, "base");
    g_assert_cmpint(machine->spec.nodes, ==, 3);
    g_assert_cmpint(machine->spec.network.wire.latency_ps, ==, 100 * 1000);
    g_assert_cmpint(machine->spec.network.wire.rate_Bps, ==, INT64_C(25000000000));
    assert_source(machine, "nodes", "3", SOURCE_GIVEN, NULL);
    assert_source(machine, "network.latency", "100ns", SOURCE_PUBLISHED, "Table 1");
    assert_source(machine, "network.rate", "25GB/s", SOURCE_GIVEN, NULL);
    assert_source(machine, "network.radix", "8", SOURCE_ESTIMATED, "as drawn");
    assert_source(machine, "network.uplinks", "4", SOURCE_FITTED, NULL);
    assert_source(machine, "network.byte_energy", "7pJ", SOURCE_INFERRED, "a set");
    g_assert_cmpstr(find(machine, "network.byte_energy")->claims, ==, "N-45");
    g_assert_cmpstr(find(machine, "network.radix")->low, ==, "4");
    g_assert_cmpstr(find(machine, "network.radix")->high, ==, "16");
    g_assert_cmpstr(find(machine, "network.uplinks")->claims, ==, "N-05 N-44");
    g_assert_cmpint((int)find(machine, "network.topology")->kind, ==, (int)SOURCE_DEFAULT);
    size_t count = 0;
    for (size_t i = 0; i < machine_section_count(machine_defaults()); i++)
        count += machine_section(machine_defaults(), i).table->count;
    g_assert_cmpuint(machine->provenance->len, ==, count);
    machine_free(machine);
}

/* A changed copy: what is changed is given, what is not keeps its source, the first stays as it
 * was. */
static void test_derived(void)
{
    static const char *const ways[] = {
        BASE "local m = base { nodes = 5, network = { rate = measured('20GB/s', 'our own') } }\n",
        BASE
        "local m = base:with { nodes = 5, network = { rate = measured('20GB/s', 'our own') } }\n",
    };
    for (size_t i = 0; i < G_N_ELEMENTS(ways); i++) {
        char *copy = g_strconcat(ways[i], "return m", NULL);
        char *original = g_strconcat(ways[i], "return base", NULL);
        struct machine *machine = load(copy, NULL);
        g_assert_cmpstr(machine->name, ==, "base");
        assert_source(machine, "nodes", "5", SOURCE_GIVEN, NULL);
        assert_source(machine, "network.rate", "20GB/s", SOURCE_MEASURED, "our own");
        assert_source(machine, "network.latency", "100ns", SOURCE_PUBLISHED, "Table 1");
        machine_free(machine);
        machine = load(original, NULL);
        assert_source(machine, "nodes", "3", SOURCE_GIVEN, NULL);
        assert_source(machine, "network.rate", "25GB/s", SOURCE_GIVEN, NULL);
        machine_free(machine);
        g_free(copy);
        g_free(original);
    }
}

static void test_function(void)
{
    struct machine *machine =
        load("return function(o) return machine { nodes = o.nodes or 7 } end", NULL);
    g_assert_cmpint(machine->spec.nodes, ==, 7);
    machine_free(machine);
}

static void test_overrides(void)
{
    static const char *const overrides[] = {"network.latency=5ns", "nodes=6", NULL};
    struct machine *machine = load(BASE "return base", overrides);
    g_assert_cmpint(machine->spec.nodes, ==, 6);
    g_assert_cmpint(machine->spec.network.wire.latency_ps, ==, 5 * 1000);
    assert_source(machine, "network.latency", "5ns", SOURCE_GIVEN, "command line");
    assert_source(machine, "network.radix", "8", SOURCE_ESTIMATED, "as drawn");
    machine_free(machine);
}

static void test_overrides_refused(void)
{
    static const char *const cases[][2] = {
        {"network.latency", "override network.latency: write component.parameter=value."},
        {"=1", "override =1: write component.parameter=value."},
        {"network.latency=5",
         "override network.latency=5: network.latency: \"5\" has no unit; " TIMES},
        {"nodes=0",
         "override nodes=0: machine.nodes: \"0\" is out of range; accepted: 1 to 65536."},
        {"nods=2", "override nods=2: unknown key \"nods\" in machine; did you mean \"nodes\"? "
                   "Accepted: nodes."},
    };
    char *path = scratch_file("m.lua", "return machine {}");
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        const char *overrides[] = {cases[i][0], NULL};
        GError *error = NULL;
        g_assert_null(machine_load(path, overrides, &error));
        scratch_assert_message(error, cases[i][1]);
    }
    GError *error = NULL;
    const char *misspelt[] = {"netwrk.latency=5ns", NULL};
    g_assert_null(machine_load(path, misspelt, &error));
    g_assert_true(g_str_has_prefix(
        error->message, "override netwrk.latency=5ns: unknown key \"netwrk\" in machine; "
                        "did you mean \"network\"? Accepted: "));
    g_error_free(error);
    g_free(path);
}

static void test_not_a_machine(void)
{
    GError *error = NULL;
    char *path = scratch_file("m.lua", "return 5");
    g_assert_null(machine_load(path, NULL, &error));
    scratch_assert_message(error, "$/m.lua: returns a number instead of a machine.");
    g_free(path);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_assert_true(workloads_load(NULL));
    scratch_open();
    g_test_add_func("/machine/tables_valid", test_tables_valid);
    g_test_add_func("/machine/unknown_keys", test_unknown_keys);
    g_test_add_func("/machine/mistakes", test_mistakes);
    g_test_add_func("/machine/sources_refused", test_sources_refused);
    g_test_add_func("/machine/provenance", test_provenance);
    g_test_add_func("/machine/derived", test_derived);
    g_test_add_func("/machine/function", test_function);
    g_test_add_func("/machine/overrides", test_overrides);
    g_test_add_func("/machine/overrides_refused", test_overrides_refused);
    g_test_add_func("/machine/not_a_machine", test_not_a_machine);
    int result = g_test_run();
    scratch_close();
    return result;
}
