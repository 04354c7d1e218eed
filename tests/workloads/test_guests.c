/* SPDX-License-Identifier: BSD-3-Clause */
/* A kernel and a job on one machine: each alone gives what its own workload does, to the picosecond; together they
 * share links, NICs and cores. */
#include <glib.h>
#include <string.h>

#include "../designs.h"
#include "../fabric/fabric_test.h"
#include "../software_test.h"
#include "workloads/workloads.h"

/* By the project's own transport: SimGrid's clock goes on from one run of a process to the next, and rounds. */
static struct machine_spec two_nodes(void)
{
    struct machine_spec spec;
    machine_spec_init(&spec, software_tables());
    spec.nodes = 2;
    spec.transport.kind = TRANSPORT_SEGMENT;
    return spec;
}

static bool try_run(const struct machine_spec *spec, const struct workload *workload,
                    const char *arguments, struct workload_result *result, GError **error)
{
    g_autofree void *values = g_malloc0(workload->params->spec_size);
    bool is_guests = workload == &guests_workload;
    g_autofree char *all = g_strconcat(
        is_guests ? "kernel_design=comp-net job_design=charm-channel " : "", arguments, NULL);
    g_auto(GStrv) words = g_strsplit(all, " ", -1);
    param_set_defaults(workload->params, values);
    for (char **word = words; *word != NULL; word++) {
        g_auto(GStrv) pair = g_strsplit(*word, "=", 2);
        const struct param *param = param_find(workload->params, pair[0]);
        g_assert_nonnull(param);
        if (!param_set_text(workload->params, param, values, pair[1], error))
            g_error("%s", (*error)->message);
    }
    return workload_run(workload, spec, values, 1, result, error);
}

static struct workload_result run(const struct machine_spec *spec, const struct workload *workload,
                                  const char *arguments)
{
    struct workload_result result = {.stats = g_string_new(NULL)};
    g_autoptr(GError) error = NULL;
    if (!try_run(spec, workload, arguments, &result, &error))
        g_error("%s: %s", arguments, error->message);
    return result;
}

static int64_t measure(const struct workload_result *result, const char *name)
{
    for (size_t i = 0; i < result->count; i++)
        if (strcmp(result->measures[i].name, name) == 0)
            return result->measures[i].quantity;
    g_error("no measure %s", name);
}

/* A guest of its own. */
static int64_t measure_of(const char *arguments, const char *name)
{
    struct machine_spec spec = two_nodes();
    struct workload_result result = run(&spec, &guests_workload, arguments);
    g_string_free(result.stats, TRUE);
    return measure(&result, name);
}

/* The lines of statistics of `path` but for its name: of the same kind elsewhere. */
static char *stats_of(const struct workload_result *result, const char *path, const char *name)
{
    g_auto(GStrv) lines = g_strsplit(result->stats->str, "\n", -1);
    g_autofree char *start = g_strdup_printf("%s\t%s\t", path, name);
    GString *text = g_string_new(NULL);
    for (char **line = lines; *line != NULL; line++)
        if (g_str_has_prefix(*line, start))
            g_string_append_printf(text, "%s\n", *line + strlen(path));
    g_assert_cmpuint(text->len, >, 0);
    return g_string_free(text, FALSE);
}

/* --- alone ---------------------------------------------------------------------------------------- */

static void test_kernel_alone(void)
{
    static const char *const designs[] = {"comp-net", "dgpu", "gpu-verbs"}, *const sizes[] = {
                                                                                "8B", "64KiB"};
    struct machine_spec spec = two_nodes();
    for (size_t d = 0; d < G_N_ELEMENTS(designs); d++)
        for (size_t s = 0; s < G_N_ELEMENTS(sizes); s++) {
            g_autofree char *guest = g_strdup_printf(
                "running=kernel kernel_design=%s kernel_bytes=%s gets=50", designs[d], sizes[s]);
            g_autofree char *own =
                g_strdup_printf("design=%s bytes=%s repeats=50", designs[d], sizes[s]);
            struct workload_result a = run(&spec, &guests_workload, guest);
            struct workload_result b = run(&spec, &get_latency_workload, own);
            g_autofree char *text_a = stats_of(&a, "kernel", "get"),
                            *text_b = stats_of(&b, "party0", "get");
            g_assert_cmpstr(text_a, ==, text_b);
            g_assert_cmpint(measure(&a, "events"), ==, measure(&b, "events"));
            g_string_free(a.stats, TRUE);
            g_string_free(b.stats, TRUE);
        }
}

static void test_job_alone(void)
{
    static const char *const designs[] = {"charm-channel", "cp-channel", "openmpi-d", "ampi-h"};
    static const char *const sizes[] = {"8B", "64KiB"};
    struct machine_spec spec = two_nodes();
    for (size_t d = 0; d < G_N_ELEMENTS(designs); d++)
        for (size_t s = 0; s < G_N_ELEMENTS(sizes); s++) {
            g_autofree char *guest =
                g_strdup_printf("running=job job_design=%s job_bytes=%s messages=50 warmup=10",
                                designs[d], sizes[s]);
            g_autofree char *own = g_strdup_printf(
                "design=%s bytes=%s placement=inter-node iterations=50 warmup=10 exact=true",
                designs[d], sizes[s]);
            struct workload_result b = run(&spec, &osu_latency_workload, own);
            g_assert_cmpint(measure_of(guest, "message_latency"), ==, measure(&b, "latency"));
            g_string_free(b.stats, TRUE);
        }
}

/* --- together ------------------------------------------------------------------------------------- */

#define BIG "kernel_bytes=1MiB job_bytes=1MiB work_groups=4 gets=10 messages=10"

/* Neither is helped by the other; large payloads share the wire, so both take longer, and each less than if it had to
 * wait for all of the other's. */
static void test_contention(void)
{
    static const char *const jobs[] = {"charm-channel", "cp-channel", "openmpi-d"};
    int64_t get_ps = measure_of("running=kernel " BIG, "get_latency");
    for (size_t j = 0; j < G_N_ELEMENTS(jobs); j++) {
        g_autofree char *alone = g_strdup_printf("running=job job_design=%s " BIG, jobs[j]);
        g_autofree char *both = g_strdup_printf("job_design=%s " BIG, jobs[j]);
        int64_t message_ps = measure_of(alone, "message_latency");
        g_assert_cmpint(measure_of(both, "get_latency"), >, get_ps + get_ps / 20);
        g_assert_cmpint(measure_of(both, "message_latency"), >, message_ps + message_ps / 5);
        g_assert_cmpint(measure_of(both, "get_latency"), <, get_ps + 10 * message_ps);
    }
}

/* Work-groups that pull triggers are a kernel, too. */
static void test_triggered(void)
{
    int64_t get_ps = measure_of("running=kernel kernel_design=triggered " BIG, "get_latency");
    int64_t message_ps = measure_of("running=job " BIG, "message_latency");
    g_assert_cmpint(measure_of("kernel_design=triggered " BIG, "get_latency"), >,
                    get_ps + get_ps / 20);
    g_assert_cmpint(measure_of("kernel_design=triggered " BIG, "message_latency"), >,
                    message_ps + message_ps / 5);
}

/* Small operations leave a machine nearly to each other, and never gain by company. */
static void test_small(void)
{
    int64_t get_ps = measure_of("running=kernel", "get_latency");
    int64_t message_ps = measure_of("running=job", "message_latency");
    g_assert_cmpint(measure_of("running=both", "get_latency"), >=, get_ps);
    g_assert_cmpint(measure_of("running=both", "message_latency"), >=, message_ps);
    g_assert_cmpint(measure_of("running=both", "get_latency"), <, get_ps + get_ps / 50);
    g_assert_cmpint(measure_of("running=both", "message_latency"), <, message_ps + message_ps / 50);
}

static void test_same_again(void)
{
    struct machine_spec spec = two_nodes();
    struct workload_result a = run(&spec, &guests_workload, BIG),
                           b = run(&spec, &guests_workload, BIG);
    g_assert_cmpstr(a.stats->str, ==, b.stats->str);
    g_string_free(a.stats, TRUE);
    g_string_free(b.stats, TRUE);
}

/* --- cores ---------------------------------------------------------------------------------------- */

static void assert_refused(const struct machine_spec *spec, const char *arguments,
                           const char *sentence)
{
    struct workload_result result = {.count = 0};
    g_autoptr(GError) error = NULL;
    g_assert_false(try_run(spec, &guests_workload, arguments, &result, &error));
    g_assert_cmpstr(error->message, ==, sentence);
}

static void test_cores(void)
{
    struct machine_spec spec = two_nodes();
    g_assert_cmpint(measure_of("kernel_design=comp-net job_design=cp-channel", "cp_cores_left"), ==,
                    0);
    g_assert_cmpint(measure_of("kernel_design=comp-net job_design=cp-channel", "host_cores_left"),
                    ==, 16);
    g_assert_cmpint(
        measure_of("kernel_design=dgpu job_design=openmpi-d service_threads=3", "host_cores_left"),
        ==, 12);
    spec.cp.cores = spec.host.cores = 1;
    assert_refused(&spec, "kernel_design=comp-net job_design=cp-channel",
                   "place 0: all cores of GPU 0 of node 0 are taken (cp.cores is 1)");
    assert_refused(&spec, "kernel_design=dgpu job_design=openmpi-d",
                   "place 0: all cores of socket 0 of node 0 are taken (host.cores is 1)");
    assert_refused(&spec, "kernel_design=comp-net job_design=openmpi-d job_gpu=1",
                   "place 0: node 0 has no GPU 1; it has 1");
}

/* Bulk of ranks and requests of a kernel that polls and posts across PCIe: each makes the other one slower, the more of it
 * there is; bulk of many bytes by no more than the bytes of the requests take. */
static void test_pcie(void)
{
    static const char *const settings =
        "kernel_design=dgpu-host-queue kernel_bytes=8B work_groups=%d gets=100 "
        "job_design=openmpi-d job_bytes=4MiB messages=4 running=%s";
    int64_t lost_ps = 0;
    for (int groups = 1; groups <= 64; groups *= 8) {
        g_autofree char *kernel = g_strdup_printf(settings, groups, "kernel"),
                        *job = g_strdup_printf(settings, groups, "job"),
                        *both = g_strdup_printf(settings, groups, "both");
        int64_t alone_ps = measure_of(job, "message_latency");
        int64_t more_ps = measure_of(both, "message_latency") - alone_ps;
        g_assert_cmpint(more_ps, >, lost_ps);
        g_assert_cmpint(more_ps, <, alone_ps / 4);
        g_assert_cmpint(measure_of(both, "get_latency"), >, measure_of(kernel, "get_latency"));
        lost_ps = more_ps;
    }
}

static void test_refusals(void)
{
    struct machine_spec spec = two_nodes();
    assert_refused(
        &spec, "kernel_design=openmpi-d",
        "kernel_design takes a design of work-groups, initiator = kernel or trigger; openmpi-d is none");
    assert_refused(&spec, "job_design=comp-net",
                   "job_design takes a design of ranks, initiator = host; comp-net is none");
    assert_refused(
        &spec, "kernel_design=apu job_design=openmpi-d",
        "designs of discrete and of coherent nodes do not share a machine; ranks take node = discrete");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    test_designs_load();
    add_test("/guests/kernel_alone", test_kernel_alone);
    add_test("/guests/job_alone", test_job_alone);
    add_test("/guests/contention", test_contention);
    add_test("/guests/triggered", test_triggered);
    add_test("/guests/small", test_small);
    add_test("/guests/same_again", test_same_again);
    add_test("/guests/cores", test_cores);
    add_test("/guests/pcie", test_pcie);
    add_test("/guests/refusals", test_refusals);
    return g_test_run();
}
