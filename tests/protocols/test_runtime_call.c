/* SPDX-License-Identifier: BSD-3-Clause */
/* Queues in GPU memory that are read and written by calls of the GPU's runtime: what a round
 * takes, and that its time hardly depends on the number of queues, while loads take one each. */
#include <glib.h>
#include <string.h>

#include "queue_load.h"

/* Mean time of an operation that goes to the server and back. */
static int64_t latency(struct load *load, const char *design, const char *operation,
                       const char *work_groups, int64_t polling)
{
    load_init(load);
    g_autofree char *text =
        g_strdup_printf("%s{polling_rounds=1%s}", design,
                        polling == POLLING_LOADS ? "" : ",queue.polling=runtime_call");
    set(load, "design", text);
    set(load, "operation", operation);
    set(load, "work_groups", work_groups);
    set(load, "operations", "20");
    load_run(load);
    return load->result.measures[0].quantity;
}

/* A blocking operation waits for the end of the call that reads it, and for the call that writes
 * its mark: two calls, and a few crossings of the bus (H200: 12.3 us with calls of 6 us). */
static void test_two_calls(void)
{
    struct load load;
    int64_t one_ps = latency(&load, "dgpu", "nop", "1", POLLING_RUNTIME_CALL);
    int64_t call_ps = SOFTWARE(load.machine)->runtime_call_ps;
    g_test_message("%.2f us with one work-group", (double)one_ps / 1e6);
    g_assert_cmpint(one_ps, >, 2 * call_ps);
    g_assert_cmpint(one_ps, <, 2 * call_ps + 3 * PS_PER_US);
}

/* With 64 queues a round still is two calls; 64 loads over the bus, and those of the entries, are
 * far more. */
static void test_many_queues(void)
{
    struct load load;
    int64_t one_ps = latency(&load, "dgpu", "nop", "1", POLLING_RUNTIME_CALL);
    int64_t many_ps = latency(&load, "dgpu", "nop", "64", POLLING_RUNTIME_CALL);
    int64_t loads_ps = latency(&load, "dgpu", "nop", "64", POLLING_LOADS);
    g_test_message("64 queues: %.2f us by calls, %.2f us by loads", (double)many_ps / 1e6,
                   (double)loads_ps / 1e6);
    g_assert_cmpint(many_ps, <, 2 * one_ps);
    g_assert_cmpint(loads_ps, >, 64 * 770 * PS_PER_NS);
    g_assert_cmpint(many_ps, <, loads_ps / 4);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    test_designs_load();
    g_test_add_func("/runtime-call/two-calls", test_two_calls);
    g_test_add_func("/runtime-call/many-queues", test_many_queues);
    return g_test_run();
}
