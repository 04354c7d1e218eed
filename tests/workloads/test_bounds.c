/* SPDX-License-Identifier: BSD-3-Clause */
/* Every parameter of every table at its bounds: a run ends with a result or with a sentence, in
 * bounded time and memory, and never by an abort. One parameter at a time, then some by chance
 * together. Each run is a process of its own, with limits. */
#include <errno.h>
#include <glib.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../designs.h"
#include "../last_error.h"
#include "../measures_manual.h"
#include "../sanitized.h"
#include "../software_test.h"
#include "../workload_once.h"
#include "core/rng.h"
#include "models/node.h"
#include "workloads/workloads.h"

/* What a run with one parameter at its bound may take. Events are counted, since seconds say how fast the machine is; the
 * largest here take three quarters of it. A child that would never end is ended after ENDLESS_SECONDS of computing. */
#define MOST_EVENTS INT64_C(100000000)
#define ENDLESS_SECONDS 600
#define MEMORY_BYTES (INT64_C(1) << 30)
/* Many at their highest at once may well take hours: those only must not crash, for as far as they get. */
#define RANDOM_RUNS (IS_SANITIZED ? 30 : 150)
#define RANDOM_SECONDS (IS_SANITIZED ? 3 : 1)
#define SPEC_BYTES 1024
/* Of a machine's values, every fifth is tried as a user runs it, several times for the means; the others once. */
#define MEANS_ONE_IN 5

struct setting {
    const struct workload *workload;
    struct machine_spec machine;
    _Alignas(max_align_t) char spec[SPEC_BYTES];
    int64_t memory_bytes; /* that it may take */
    rlim_t seconds;       /* of computing that it may take */
    bool may_be_long;     /* taking longer is no fault */
    bool is_once;         /* one run with drawn phases, not as many as its means need */
    GString *text;        /* what departs from the base */
};

/* --- settings ---------------------------------------------------------------------------------- */

/* How much there is to do: what is high takes its time, and nobody wonders. */
static const struct {
    const char *name;
    enum unit_kind unit;
    const char *most, *together; /* alone; with others */
} amounts[] = {
    {"repeats", UNIT_COUNT, "1500", "20"},
    {"warmup", UNIT_COUNT, "1500", "20"},
    {"iterations", UNIT_COUNT, "1500", "20"},
    {"operations", UNIT_COUNT, "1500", "20"},
    {"posts", UNIT_COUNT, "1500", "20"},
    {"work_groups", UNIT_COUNT, "2048", "50"},
    {"networking", UNIT_COUNT, "65536", "50"},
    {"window", UNIT_COUNT, IS_SANITIZED ? "4096" : "16384", "64"},
    {"bytes", UNIT_BYTES, "1GiB", "1MiB"},
    {"job_bytes", UNIT_BYTES, IS_SANITIZED ? "64MiB" : "1GiB", "1MiB"},
    {"warmup", UNIT_TIME, "100us", "1us"},
    {"nodes", UNIT_COUNT, IS_SANITIZED ? "256" : "4096", "8"},
    {"messages", UNIT_COUNT, "1500", "20"},
    {"rounds", UNIT_COUNT, "1500", "20"},
    {"duration", UNIT_TIME, "100us", "10us"},
    {"passes", UNIT_COUNT, "100000", "20"},
};

static bool is_accepted(const struct param_table *table, const struct param *param,
                        const char *text)
{
    g_autofree void *spec = g_malloc0(table->spec_size);
    return param_set_text(table, param, spec, text, fresh_error());
}

static const char *high_of(const struct param_table *table, const struct param *param,
                           bool is_alone)
{
    bool is_of_machine = table == &machine_params;
    /* A server's polls are simulated for as long as a message takes, both ways and again and again. */
    if (g_str_has_prefix(table->component, "osu") && g_str_equal(param->name, "bytes"))
        return is_alone ? (IS_SANITIZED ? "16MiB" : "128MiB") : "1MiB";
    struct machine_spec machine;
    machine_spec_init(&machine, software_tables());
    for (size_t i = 0; i < machine_component_count(&machine); i++)
        is_of_machine |= table == machine_component(&machine, i).table;
    for (size_t i = 0; i < G_N_ELEMENTS(amounts) && !is_of_machine; i++)
        if (param->unit == amounts[i].unit && g_str_equal(param->name, amounts[i].name)) {
            const char *amount = is_alone ? amounts[i].most : amounts[i].together;
            return is_accepted(table, param, amount) ? amount : param->high;
        }
    return param->high;
}

/* Values at the ends of a parameter's range: of a choice all. */
static guint value_count(const struct param *param)
{
    if (param->kind == PARAM_RECORD)
        return (guint)param->record->count();
    return param->kind == PARAM_CHOICE ? g_strv_length((char **)(uintptr_t)param->choices) : 2;
}

static const char *value_at(const struct param_table *table, const struct param *param, guint i,
                            bool is_alone)
{
    if (param->kind == PARAM_RECORD)
        return param->record->name(i);
    if (param->kind == PARAM_CHOICE)
        return param->choices[i];
    if (param->kind == PARAM_BOOL)
        return i == 0 ? "false" : "true";
    if (param->kind == PARAM_WORDS)
        return "none";
    if (param->kind == PARAM_PERCENTILES)
        return i == 0 ? "none" : "0.01,50,99.99,100";
    return i == 0 ? param->low : high_of(table, param, is_alone);
}

static void set_value(struct setting *setting, const struct param_table *table, void *spec,
                      const struct param *param, const char *value)
{
    if (!param_set_text(table, param, spec, value, fresh_error()))
        g_error("%s", last_words());
    g_string_append_printf(setting->text, " %s.%s=%s", table->component, param->name, value);
}

static void set(struct setting *setting, const char *name, const char *value)
{
    const struct param_table *table = setting->workload->params;
    const struct param *param = param_find(table, name);
    if (param != NULL && !param_set_text(table, param, setting->spec, value, fresh_error()))
        g_error("%s", last_words());
}

/* The `number`th of the designs that it accepts, counted round. */
static const char *design_for(const struct workload *workload, size_t number)
{
    size_t accepted = 0;
    for (size_t i = 0; i < designs_count(); i++)
        accepted += workload->accepts(&designs_at(i)->design, fresh_error());
    number %= accepted;
    for (size_t i = 0;; i++)
        if (workload->accepts(&designs_at(i)->design, fresh_error()) && number-- == 0)
            return designs_at(i)->name;
}

/* A short run of the workload; `number` chooses the design. */
static void setting_init(struct setting *setting, const struct workload *workload, size_t number)
{
    const struct param *design = param_find(workload->params, "design");
    *setting = (struct setting){.workload = workload,
                                .memory_bytes = MEMORY_BYTES,
                                .seconds = ENDLESS_SECONDS,
                                .text = g_string_new(workload->name)};
    g_assert_cmpuint(workload->params->spec_size, <=, sizeof setting->spec);
    machine_spec_init(&setting->machine, software_tables());
    param_set_defaults(workload->params, setting->spec);
    if (design != NULL) {
        const char *name = design_for(workload, number);
        set(setting, "design", name);
        g_string_append_printf(setting->text, " design=%s", name);
    }
    bool is_message_passing =
        g_str_has_prefix(workload->name, "osu") || g_str_has_prefix(workload->name, "cuda");
    if (is_message_passing)
        setting->machine.node.sockets = setting->machine.node.gpus_per_socket = 2;
    set(setting, "bytes", g_str_equal(workload->name, "kernel_copy") ? "16B" : "8B");
    set(setting, "repeats", "3");
    set(setting, "operations", "3");
    set(setting, "iterations", "3");
    set(setting, "gets", "3");
    set(setting, "rounds", IS_SANITIZED ? "2" : "10");
    set(setting, "messages", "3");
    set(setting, "warmup", g_str_equal(workload->name, "l2_hit_rate") ? "1us" : "1");
    set(setting, "duration", "20us");
    set(setting, "work_groups", "2");
    set(setting, "networking", "2");
    set(setting, "streaming", g_str_equal(workload->name, "l2_hit_rate") ? "2" : "0");
    set(setting, "pairs", "1");
    set(setting, "window", "1");
}

static void setting_clear(struct setting *setting)
{
    g_string_free(setting->text, TRUE);
}

/* --- one run ----------------------------------------------------------------------------------- */

/* What a workload gives is in the manual, in its unit. */
static void require_manual(const struct workload_measure *measure)
{
    int kind = measures_manual_kind(measure->name);
    if (kind == (measure->is_ratio ? MANUAL_RATIO : (int)measure->unit))
        return;
    fprintf(stderr, "views/measures.lua does not say what \"%s\" is\n", measure->name);
    _exit(2);
}

static void require_few(int64_t events)
{
    if (g_getenv("BOUNDS_VERBOSE") != NULL)
        fprintf(stderr, "   %" G_GINT64_FORMAT " events\n", events);
    if (events <= MOST_EVENTS)
        return;
    fprintf(stderr, "%" G_GINT64_FORMAT " events\n", events);
    _exit(2);
}

/* In a process of its own, which ends with 0 for a result, 1 for a sentence and 2 for a refusal that
 * is none. */
static void run_here(struct setting *setting)
{
    struct workload_result result = {.count = 0};
    struct rlimit time = {setting->seconds, setting->seconds + 1}, core = {0, 0};
    setrlimit(RLIMIT_CPU, &time);
    setrlimit(RLIMIT_CORE, &core);
    const struct workload *workload = setting->workload;
    bool good =
        setting->is_once
            ? workload->run(&setting->machine, setting->spec, 1, &result, fresh_error())
            : run_or_once(workload, &setting->machine, setting->spec, 1, &result, fresh_error());
    if (g_getenv("BOUNDS_VERBOSE") != NULL && !good)
        fprintf(stderr, "   %s\n", last_words());
    for (size_t i = 0; good && i < result.count; i++) {
        require_manual(&result.measures[i]);
        if (g_str_equal(result.measures[i].name, "events"))
            require_few(result.measures[i].quantity);
    }
    _exit(good ? (result.count > 0 ? 0 : 2) : (last_error != NULL ? 1 : 2));
}

/* Whether it ends as it should; tells what does not. */
static bool check_run(struct setting *setting)
{
    struct rusage used;
    int status;
    fflush(NULL);
    platform_simgrid_version(NULL); /* loaded once, and not in each child */
    pid_t child = fork();
    g_assert_cmpint(child, >=, 0);
    if (child == 0)
        run_here(setting);
    while (wait4(child, &status, 0, &used) < 0)
        g_assert_cmpint(errno, ==, EINTR);
    int64_t memory_bytes = (int64_t)used.ru_maxrss * 1024;
    bool is_large = memory_bytes > setting->memory_bytes && !IS_SANITIZED;
    bool is_long = WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU;
    bool has_ended = WIFEXITED(status) && WEXITSTATUS(status) < 2;
    bool good = (has_ended || (is_long && setting->may_be_long)) && !is_large;
    if (!good || g_getenv("BOUNDS_VERBOSE") != NULL)
        fprintf(stderr, "# %s%s: %s %d, %ld.%03ld s, %" G_GINT64_FORMAT " MiB\n",
                good ? "" : "BAD ", setting->text->str, WIFEXITED(status) ? "status" : "signal",
                WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status),
                (long)used.ru_utime.tv_sec, (long)used.ru_utime.tv_usec / 1000, memory_bytes >> 20);
    return good;
}

/* --- one parameter at a time ------------------------------------------------------------------- */

/* `workload` with each value of each parameter of `table`, whose spec lies at `offset` in the
 * machine's or, if that is negative, is the workload's own. Returns how many runs went wrong. */
static int try_table(const struct workload *workload, const struct param_table *table,
                     int64_t offset)
{
    int bad = 0;
    for (size_t i = 0; i < table->count; i++) {
        const struct param *param = &table->params[i];
        for (guint k = 0; k < value_count(param); k++) {
            if (!is_sampled(i + k, 5))
                continue;
            struct setting setting;
            setting_init(&setting, workload, i + k);
            void *spec = offset < 0 ? setting.spec : (char *)&setting.machine + offset;
            setting.is_once = offset >= 0 && (i + k) % MEANS_ONE_IN != 0;
            set_value(&setting, table, spec, param, value_at(table, param, k, true));
            bad += !check_run(&setting);
            setting_clear(&setting);
        }
    }
    return bad;
}

static void test_workload_parameters(void)
{
    int bad = 0;
    for (size_t i = 0; workloads[i] != NULL; i++)
        bad += try_table(workloads[i], workloads[i]->params, -1);
    g_assert_cmpint(bad, ==, 0);
}

/* Each component under a workload that looks at it. */
static void test_machine_parameters(void)
{
    static const struct workload *const under[] = {&queue_service_workload, &osu_latency_workload};
    int bad = 0;
    struct machine_spec machine;
    machine_spec_init(&machine, software_tables());
    for (size_t w = 0; w < G_N_ELEMENTS(under); w++) {
        bad += try_table(under[w], &machine_params, 0);
        for (size_t i = 0; i < machine_component_count(&machine); i++)
            bad += try_table(under[w], machine_component(&machine, i).table,
                             (int64_t)machine_component(&machine, i).offset);
    }
    g_assert_cmpint(bad, ==, 0);
}

/* --- what once went wrong ---------------------------------------------------------------------- */

/* Refused with a sentence that has `part` in it; "": carried out. */
static void check_told(const struct workload *workload, const char *name, const char *value,
                       const char *other, const char *other_value, const char *part)
{
    struct setting setting;
    struct workload_result result = {.count = 0};
    setting_init(&setting, workload, 0);
    set(&setting, "design", "comp-net");
    set(&setting, name, value);
    set(&setting, other, other_value);
    bool good = run_or_once(workload, &setting.machine, setting.spec, 1, &result, fresh_error());
    g_assert_true(good == (part[0] == '\0'));
    if (strstr(last_words(), part) == NULL)
        g_error("\"%s\" lacks \"%s\"", last_words(), part);
    setting_clear(&setting);
}

static void test_told(void)
{
    check_told(&l2_hit_rate_workload, "bytes", "1GiB", "networking", "8", "");
    check_told(&l2_hit_rate_workload, "bytes", "1GiB", "networking", "65536",
               "the buffers of the work-groups take");
    check_told(&queue_service_workload, "bytes", "1GiB", "work_groups", "65536",
               "the buffers of the work-groups take");
}

/* More than a second's or a gigabyte's worth of polls, queues and transfers. */
static void test_machines_told(void)
{
    struct setting setting;
    struct workload_result result = {.count = 0};
    setting_init(&setting, &queue_service_workload, 0);
    SOFTWARE(setting.machine)->queue_entries = 65536;
    set(&setting, "work_groups", "65536");
    g_assert_false(
        queue_service_workload.run(&setting.machine, setting.spec, 1, &result, fresh_error()));
    g_assert_nonnull(strstr(last_words(), "queues of 65536 entries"));
    setting_clear(&setting);
    setting_init(&setting, &queue_service_workload, 0);
    setting.machine.bus.wire.rate_Bps = 1;
    g_assert_false(
        queue_service_workload.run(&setting.machine, setting.spec, 1, &result, fresh_error()));
    g_assert_nonnull(strstr(last_words(), "bus.rate of at least 1MB/s"));
    setting_clear(&setting);
    setting_init(&setting, &osu_latency_workload, 0);
    set(&setting, "design", "openmpi-d");
    setting.machine.bus.wire.rate_Bps = 1;
    set(&setting, "bytes", "1GiB");
    g_assert_false(
        osu_latency_workload.run(&setting.machine, setting.spec, 1, &result, fresh_error()));
    g_assert_nonnull(strstr(last_words(), "days at bus.rate"));
    setting_clear(&setting);
}

/* Nodes that a run does not use cost it nothing. */
static void test_many_nodes(void)
{
    struct setting setting;
    setting_init(&setting, &get_latency_workload, 0);
    setting.machine.nodes = 4608;
    setting.memory_bytes = 100 << 20;
    g_assert_true(check_run(&setting));
    setting_clear(&setting);
}

/* --- several by chance ------------------------------------------------------------------------- */

static void choose_values(struct setting *setting, struct rng *chance,
                          const struct param_table *table, void *spec, uint64_t one_in)
{
    for (size_t i = 0; i < table->count; i++) {
        const struct param *param = &table->params[i];
        if (rng_below(chance, one_in) == 0)
            set_value(setting, table, spec, param,
                      value_at(table, param, (guint)rng_below(chance, value_count(param)), false));
    }
}

static void test_random(void)
{
    const char *asked = g_getenv("BOUNDS_RUNS");
    int64_t runs = asked != NULL ? g_ascii_strtoll(asked, NULL, 10) : RANDOM_RUNS, bad = 0;
    size_t count = 0;
    while (workloads[count] != NULL)
        count++;
    for (int64_t run = 0; run < runs; run++) {
        struct setting setting;
        struct rng chance;
        rng_init(&chance, (uint64_t)run, "bounds");
        setting_init(&setting, workloads[(size_t)run % count], rng_below(&chance, 64));
        setting.seconds = RANDOM_SECONDS;
        setting.may_be_long = true;
        choose_values(&setting, &chance, setting.workload->params, setting.spec, 3);
        for (size_t i = 0; i < machine_component_count(&setting.machine); i++) {
            struct machine_component component = machine_component(&setting.machine, i);
            choose_values(&setting, &chance, component.table,
                          (char *)&setting.machine + component.offset, 20);
        }
        bad += !check_run(&setting);
        setting_clear(&setting);
    }
    g_assert_cmpint(bad, ==, 0);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    test_designs_load();
    measures_manual(); /* read once, and not in each child */
    g_test_add_func("/bounds/workloads", test_workload_parameters);
    g_test_add_func("/bounds/machines", test_machine_parameters);
    g_test_add_func("/bounds/random", test_random);
    g_test_add_func("/bounds/many_nodes", test_many_nodes);
    g_test_add_func("/bounds/told", test_told);
    g_test_add_func("/bounds/machines_told", test_machines_told);
    return g_test_run();
}
