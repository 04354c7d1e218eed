/* SPDX-License-Identifier: BSD-3-Clause */
/* The workload of section 4.1 (ComPNet18): ping-pong, exchange, and launches that do not fit. */
#include <glib.h>
#include <string.h>

#include "../designs.h"
#include "../last_error.h"
#include "../software_test.h"
#include "core/simtime.h"
#include "protocols/design.h"
#include "workloads/workloads.h"

struct call {
    struct machine_spec machine;
    char spec[1024];
    struct workload_result result;
};

/* `text`: name=value pairs with blanks between them. The machine: 2 CUs of 4 wavefronts. */
static bool run(struct call *call, const char *text)
{
    const struct param_table *table = neighbour_exchange_workload.params;
    machine_spec_init(&call->machine, software_tables());
    call->machine.gpu.compute_units = 2;
    call->machine.gpu.waves_per_cu = 4;
    g_assert_cmpuint(table->spec_size, <=, sizeof call->spec);
    param_set_defaults(table, call->spec);
    char **pairs = g_strsplit(text, " ", -1);
    for (int i = 0; pairs[i] != NULL; i++) {
        char **pair = g_strsplit(pairs[i], "=", 2);
        if (!param_set_text(table, param_find(table, pair[0]), call->spec, pair[1], fresh_error()))
            g_error("%s", last_words());
        g_strfreev(pair);
    }
    g_strfreev(pairs);
    call->result = (struct workload_result){.count = 0};
    return neighbour_exchange_workload.run(&call->machine, call->spec, 1, &call->result,
                                           fresh_error());
}

static int64_t measure(const struct call *call, const char *name)
{
    for (size_t i = 0; i < call->result.count; i++)
        if (strcmp(call->result.measures[i].name, name) == 0)
            return call->result.measures[i].quantity;
    g_error("no measure %s", name);
}

static void run_well(struct call *call, const char *format, const char *design)
{
    char *text = g_strdup_printf(format, design);
    if (!run(call, text))
        g_error("%s: %s", text, last_words());
    g_free(text);
}

/* Node 0's turn of a ping-pong: its blocking put has returned or not when the answer is there, so a turn is
 * at least two ways from call to delivery, and at most two whole puts and the last look. A signal that is an
 * atomic is delivered when its answer is back at the NIC, while the other side can see it before: half of that
 * stage is the way there. In an exchange
 * the two puts go at the same time; where a put alone takes longer than both ways, both take that long. */
static void test_ping_pong_and_exchange(void)
{
    for (size_t d = 0; kernel_designs()[d] != NULL; d++) {
        struct call ping_pong, exchange;
        run_well(&ping_pong, "design=%s pattern=ping_pong iterations=20", kernel_designs()[d]);
        run_well(&exchange, "design=%s iterations=20", kernel_designs()[d]);
        sim_time put_ps = measure(&ping_pong, "latency");
        sim_time one_way_ps = 0;
        static const char *const stages[] = {"posted",  "seen",    "served",   "doorbell",
                                             "fetched", "on_wire", "delivered"};
        for (size_t i = 0; i < G_N_ELEMENTS(stages); i++)
            one_way_ps += measure(&ping_pong, stages[i]);
        if (design_named(kernel_designs()[d])->signal_by == SIGNAL_BY_ATOMIC)
            one_way_ps -= measure(&ping_pong, "delivered") / 2;
        g_assert_cmpint(measure(&ping_pong, "turn"), >=, 2 * one_way_ps - 20);
        g_assert_cmpint(measure(&ping_pong, "turn"), <, 2 * put_ps + 2 * PS_PER_US);
        g_assert_cmpint(measure(&exchange, "turn"), <=, measure(&ping_pong, "turn"));
        g_assert_cmpint(measure(&exchange, "turn"), >=, measure(&exchange, "latency"));
    }
}

/* Partners in reverse order: those of up to twice as many work-groups as fit, less one, have a pair
 * among them that runs, ends, and makes room. With partners of the same number all is well. */
static void test_oversubscription(void)
{
    for (size_t d = 0; kernel_designs()[d] != NULL; d++) {
        struct call call;
        if (design_server_kind(design_named(kernel_designs()[d]))->is_on_gpu)
            continue; /* its own place is one less: test_agent_in_the_kernels_place */
        run_well(&call, "design=%s partner=reverse work_groups=8 iterations=2",
                 kernel_designs()[d]);
        g_assert_cmpint(measure(&call, "work_groups_at_once"), ==, 8);
        run_well(&call, "design=%s partner=reverse work_groups=15 iterations=2",
                 kernel_designs()[d]);
        run_well(&call, "design=%s work_groups=20 iterations=2", kernel_designs()[d]);
        g_assert_cmpint(measure(&call, "work_groups_at_once"), ==, 8);
        char *text =
            g_strdup_printf("design=%s partner=reverse work_groups=16", kernel_designs()[d]);
        g_assert_false(run(&call, text));
        g_assert_nonnull(
            strstr(last_words(), "work-groups that have no room; all 16 that run wait."));
        g_assert_nonnull(strstr(last_words(), "from node1.wg15, which is not dispatched"));
        g_free(text);
    }
}

/* An agent on the GPU holds a wavefront's place: seven work-groups run beside it, and a cooperative
 * kernel of eight is refused. */
static void test_agent_in_the_kernels_place(void)
{
    for (size_t d = 0; kernel_designs()[d] != NULL; d++) {
        struct call call;
        if (!design_server_kind(design_named(kernel_designs()[d]))->is_on_gpu)
            continue;
        run_well(&call, "design=%s work_groups=20 iterations=2", kernel_designs()[d]);
        g_assert_cmpint(measure(&call, "work_groups_at_once"), ==, 7);
        run_well(&call, "design=%s cooperative=true work_groups=7 iterations=2",
                 kernel_designs()[d]);
        char *text =
            g_strdup_printf("design=%s cooperative=true work_groups=8", kernel_designs()[d]);
        g_assert_false(run(&call, text));
        g_assert_nonnull(strstr(last_words(), "7 fit on"));
        g_free(text);
    }
}

static void test_cooperative(void)
{
    struct call call;
    run_well(&call, "design=%s cooperative=true partner=reverse work_groups=8 iterations=2",
             "comp-net");
    g_assert_cmpint(measure(&call, "work_groups_at_once"), ==, 8);
    g_assert_false(run(&call, "design=comp-net cooperative=true work_groups=9"));
    g_assert_cmpstr(last_words(), ==,
                    "a cooperative kernel of 9 work-groups of 64 work-items does not fit at once: "
                    "8 fit on 2 compute units of 4 wavefronts");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    test_designs_load();
    g_test_add_func("/neighbour-exchange/ping-pong", test_ping_pong_and_exchange);
    g_test_add_func("/neighbour-exchange/oversubscription", test_oversubscription);
    g_test_add_func("/neighbour-exchange/agent-in-the-kernels-place",
                    test_agent_in_the_kernels_place);
    g_test_add_func("/neighbour-exchange/cooperative", test_cooperative);
    return g_test_run();
}
