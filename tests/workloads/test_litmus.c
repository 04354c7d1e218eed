/* SPDX-License-Identifier: BSD-3-Clause */
/* Order: every named design keeps it, also on a network whose packets overtake each other; designs that do not are
 * found, with a trace; and what mends them mends them. */
#include <glib.h>
#include <string.h>

#include "../designs.h"
#include "../last_error.h"
#include "../sanitized.h"
#include "../software_test.h"
#include "workloads/workloads.h"

struct call {
    struct machine_spec machine;
    _Alignas(max_align_t) char spec[1024];
    struct workload_result result;
};

static bool run(struct call *call, const char *design, const char *settings)
{
    const struct param_table *table = litmus_workload.params;
    g_auto(GStrv) pairs = g_strsplit(settings, " ", -1);
    memset(call, 0, sizeof *call);
    machine_spec_init(&call->machine, software_tables());
    param_set_defaults(table, call->spec);
    if (!param_set_text(table, param_find(table, "design"), call->spec, design, fresh_error()))
        g_error("%s", last_words());
    for (size_t i = 0; pairs[i] != NULL && *pairs[i] != '\0'; i++) {
        g_auto(GStrv) pair = g_strsplit(pairs[i], "=", 2);
        if (!param_set_text(table, param_find(table, pair[0]), call->spec, pair[1], fresh_error()))
            g_error("%s", last_words());
    }
    return litmus_workload.run(&call->machine, call->spec, 7, &call->result, fresh_error());
}

static int64_t forbidden(const struct call *call, const char *test)
{
    for (size_t i = 0; i < call->result.count; i++)
        if (strcmp(call->result.measures[i].name, test) == 0)
            return call->result.measures[i].quantity;
    g_error("no measure %s", test);
}

static const char *const tests[] = {"message_passing", "signal", "peer_read", "store_buffering"};

/* With packets that overtake each other by up to 3 us, and with ones that do not. */
static void test_named(void)
{
    static const char *const networks[] = {"", " spread=0ns", " bytes=8B spread=10us"};
    for (size_t d = 0; kernel_designs()[d] != NULL; d++)
        for (size_t n = 0; n < G_N_ELEMENTS(networks); n++) {
            if (!is_sampled(d + n, 3))
                continue;
            struct call call;
            g_autofree char *settings =
                g_strconcat("rounds=", IS_SANITIZED ? "5" : "50", networks[n], NULL);
            g_test_message("%s %s", kernel_designs()[d], settings);
            if (!run(&call, kernel_designs()[d], settings))
                g_error("%s", last_words());
            for (size_t i = 0; i < G_N_ELEMENTS(tests); i++)
                g_assert_cmpint(forbidden(&call, tests[i]), ==, 0);
        }
}

/* A fence or a signal that relies on an order that nobody keeps; nothing else breaks with it. */
static const struct {
    const char *design, *test;
} broken[] = {
    {"comp-net{fence=order}", "message_passing"}, {"gpu-verbs{fence=order}", "message_passing"},
    {"dgpu{fence=order}", "message_passing"},     {"comp-net{signal=after}", "signal"},
    {"gpu-verbs{signal=after}", "signal"},        {"apu{signal=after}", "signal"},
};

static void test_broken(void)
{
    for (size_t b = 0; b < G_N_ELEMENTS(broken); b++) {
        struct call call;
        if (!is_sampled(b, 3))
            continue;
        if (!run(&call, broken[b].design, "goes_on=true spread=30us"))
            g_error("%s", last_words());
        for (size_t i = 0; i < G_N_ELEMENTS(tests); i++) {
            bool breaks = strcmp(tests[i], broken[b].test) == 0;
            g_test_message("%s %s: %d", broken[b].design, tests[i],
                           (int)forbidden(&call, tests[i]));
            g_assert_true((forbidden(&call, tests[i]) > 0) == breaks);
        }
    }
}

/* Also where no packet overtakes another: the flag needs no read of the payload's memory. */
static void test_without_spread(void)
{
    struct call call;
    g_assert_true(run(&call, "gpu-verbs{signal=after}", "goes_on=true spread=0ns"));
    g_assert_cmpint(forbidden(&call, "signal"), >, 0);
}

/* The run ends, in the order of events: put, flag, seen, loaded what is old, found at last. */
static void test_trace(void)
{
    static const char *const lines[] = {
        "design gpu-verbs{signal=after} breaks signal: the flag is seen before its data",
        "node 0",
        "puts the data with a signal",
        "node 1",
        "sees the flag",
        "loads the data",
        "finds the data at last"};
    struct call call;
    g_assert_false(run(&call, "gpu-verbs{signal=after}", ""));
    const char *at = last_words();
    for (size_t i = 0; i < G_N_ELEMENTS(lines); i++) {
        at = strstr(at, lines[i]);
        if (at == NULL)
            g_error("no \"%s\" where it belongs in: %s", lines[i], last_words());
    }
}

static void test_mended(void)
{
    static const char *const mended[] = {
        "comp-net{fence=order,nic_queue.order=queue}",
        "comp-net{fence=nic_fence}",
        "gpu-verbs{fence=order,nic_queue.order=queue}",
        "gpu-verbs{fence=nic_fence}",
        "comp-net{signal=after,nic_queue.order=queue}",
        "comp-net{signal=nic_fence}",
        "gpu-verbs{signal=after,nic_queue.order=queue}",
        "gpu-verbs{signal=nic_fence}",
        "comp-net{signal=quiet}",
        "gpu-verbs{signal=quiet}",
        "dgpu{completion=by_context,fence=by_context}",
    };
    for (size_t i = 0; i < G_N_ELEMENTS(mended); i++) {
        struct call call;
        if (!is_sampled(i, 3))
            continue;
        if (!run(&call, mended[i], ""))
            g_error("%s", last_words());
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    test_designs_load();
    g_test_add_func("/litmus/named", test_named);
    g_test_add_func("/litmus/broken", test_broken);
    g_test_add_func("/litmus/without-spread", test_without_spread);
    g_test_add_func("/litmus/trace", test_trace);
    g_test_add_func("/litmus/mended", test_mended);
    return g_test_run();
}
