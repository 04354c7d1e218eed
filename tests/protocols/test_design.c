/* SPDX-License-Identifier: BSD-3-Clause */
/* Designs as text and as records: names, changes to a named design, and for each rule a design that breaks it. */
#include <glib.h>
#include <string.h>

#include "../designs.h"
#include "../last_error.h"
#include "../software_test.h"
#include "../workload_once.h"
#include "protocols/runtimes/messenger.h"
#include "protocols/shmem/service.h"
#include "workloads/transfer/transfer.h"
#include "workloads/workloads.h"

/* --- text ---------------------------------------------------------------------------------------- */

static void test_text(void)
{
    static const char *const cases[][2] = {
        {"comp-net", "comp-net"},
        {"comp-net{}", "comp-net"},
        {"comp-net{ queue.memory = host , server = gpu_warp }",
         "comp-net{server=gpu_warp,queue.memory=host}"},
        {"comp-net{server=gpu_warp,server=command_processor}", "comp-net"},
        {"dgpu{queue.memory=host}", "dgpu-host-queue"}, /* equal to a named one: that is its name */
        {"{server=host_thread}", "dgpu"},
        {"{server=gpu_warp}", "{server=gpu_warp}"},
        {"openmpi-d{payload=staged}", "openmpi-h"},
        {"dgpu{polling_rounds=32}", "dgpu{polling_rounds=32}"},
        {"dgpu{coalesce.count=8,coalesce.timeout=1us}",
         "dgpu{coalesce.count=8,coalesce.timeout=1us}"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        char text[PARAM_TEXT_SIZE], whole[PARAM_TEXT_SIZE];
        struct design design = test_design(cases[i][0]);
        g_assert_cmpstr(design_text(&design, text), ==, cases[i][1]);
        struct design again = test_design(text);
        g_assert_true(param_record_equal(&design_record, &design, &again));
        again = test_design(param_record_format(&design_record, &design, true, whole));
        g_assert_true(param_record_equal(&design_record, &design, &again));
        g_assert_cmpstr(design_text(&again, text), ==,
                        design.base > 0 && !strchr(cases[i][1], '{') ? cases[i][1] : text);
    }
}

/* The text of all axes has room, and is the same for the same point. */
static void test_whole(void)
{
    char one[PARAM_TEXT_SIZE], other[PARAM_TEXT_SIZE];
    struct design a = test_design("dgpu{queue.memory=host}"), b = test_design("dgpu-host-queue");
    param_record_format(&design_record, &a, true, one);
    param_record_format(&design_record, &b, true, other);
    g_assert_cmpstr(one, ==, other);
    g_assert_cmpuint(strlen(one), <, PARAM_TEXT_SIZE - 200);
    for (size_t i = 0; i < design_params.count; i++)
        g_assert_nonnull(strstr(one, design_params.params[i].name));
}

static void test_bad_text(void)
{
    static const char *const cases[][2] = {
        {"comp-nett", "\"comp-nett\" is not known; did you mean \"comp-net\"?"},
        {"", "\"\" is not known"},
        {"comp-net{queue.memory=host", "has no closing brace"},
        {"comp-net{queue}", "\"queue\" has no value"},
        {"comp-net{queu=host}", "unknown axis \"queu\"; did you mean \"queue\"?"},
        {"comp-net{queue.memory=hst}",
         "design.queue.memory: \"hst\" is not known; did you mean \"host\"?"},
        {"comp-net{polling_rounds=0}", "design.polling_rounds: \"0\" is out of range"},
        {"comp-net{,}", "\"\" has no value"},
        {"comp-net{queue.memory=host}x", "has no closing brace"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        struct design design = test_design("apu"), before = design;
        g_autoptr(GError) error = NULL;
        g_assert_false(param_record_set_text(&design_record, &design, cases[i][0], &error));
        if (strstr(error->message, cases[i][1]) == NULL)
            g_error("%s: \"%s\" lacks \"%s\"", cases[i][0], error->message, cases[i][1]);
        g_assert_true(memcmp(&design, &before, sizeof before) == 0);
    }
}

/* --- rules --------------------------------------------------------------------------------------- */

/* What breaks exactly one rule, and the start of its reason. */
static const char *const broken[][2] = {
    {"apu{queue.memory=gpu}", "on a coherent node"},
    {"apu{nic_queue.memory=gpu}", "on a coherent node"},
    {"apu{heap=gpu}", "on a coherent node"},
    {"dgpu{server=none}", "a kernel's requests need a server"},
    {"openmpi-d{server=initiator}", "server = initiator is a work-group"},
    {"dgpu{initiator=trigger}",
     "design.initiator: \"trigger\" is not known; accepted: host, kernel"},
    {"comp-net{server=nic_trigger}", "nic_queue.memory = gpu is for commands that are posted when"},
    {"comp-net{payload=staged}", "a work-group's payload is sent directly"},
    {"{server=nic_trigger,runtime=openmpi}", "work-groups cannot run that runtime"},
    {"openmpi-d{initiator=kernel,server=host_thread}", "work-groups cannot run that runtime"},
    {"dgpu{server=initiator,runtime=channel}", "work-groups cannot run that runtime"},
    {"dgpu{agreement=send_receive}", "unknown axis \"agreement\""},
    {"dgpu{shared_queues=1}", "unknown axis \"shared_queues\"; it is called \"queue.count\" now"},
    {"dgpu{queue=host}", "unknown axis \"queue\"; it is a record of queue.memory, queue.count"},
    {"charm-h{payload=direct}", "entry methods of runtime = charm carry host data"},
    {"charm-channel{payload=staged}", "runtimes messaging and channel are for GPU data"},
    {"charm-messaging{payload=staged}", "runtimes messaging and channel are for GPU data"},
    {"comp-net{queue.polling=runtime_call}",
     "queue.polling = runtime_call is for a CPU thread and queues in GPU memory"},
    {"dgpu-host-queue{queue.polling=runtime_call}",
     "queue.polling = runtime_call is for a CPU thread and queues in GPU memory"},
    {"apu{queue.polling=runtime_call}",
     "queue.polling = runtime_call is for a CPU thread and queues in GPU memory"},
    {"dgpu{fence=by_context}", "fence = by_context is lifted context by context"},
    {"openmpi-d{verb_instructions=100}", "verb_instructions = 100 is for what a kernel asks for"},
    {"gpu-verbs{queue.count=1,queue.wait_on=read_index}",
     "queue.wait_on = read_index is for a server who polls"},
    {"gpu-verbs{quiet_by=each_round}", "quiet_by = each_round takes completions in the rounds"},
    {"gpu-verbs{take_instructions=100}", "take_instructions = 100 is for a server who polls"},
    {"gpu-verbs{queue.room_by=read_index}", "queue.room_by = read_index is for a server who polls"},
    {"dgpu{signal_by=atomic}", "signal_by = atomic is for a signal that is a command of its own"},
    {"openmpi-d{signal_by=atomic}",
     "signal_by = atomic is for a signal that is a command of its own"},
    {"apu{word_set_by=server}", "a server is told to set words of its GPU"},
    {"dgpu{coalesce.timeout=1us}",
     "coalesce.timeout = 1us is for gathered puts; it takes coalesce.count > 0"},
    {"dgpu{coalesce.size=1KiB}", "coalesce.size = 1KiB is for gathered puts"},
    {"dgpu{initiator=host}", "initiator = host with a server is a rank on the server's core"},
    {"openmpi-d{server=gpu_thread}", "threads of a kernel cannot run a rank"},
    {"openmpi-d{server=gpu_warp}", "threads of a kernel cannot run a rank"},
    {"openmpi-d{server=smart_nic}", "ranks on a SmartNIC's cores are not simulated"},
    {"openmpi-h{server=command_processor}",
     "payload = staged takes data through the host's memory"},
    {"cp-channel{service_threads=2}",
     "service_threads = 2 is for a server who polls; there is none"},
    {"cp-channel{nic_queue.sharers=1}", "nic_queue.sharers = 1 is for what a kernel asks for"},
    {"openmpi-d{service_threads=2}",
     "service_threads = 2 is for a server who polls; there is none"},
    {"charm-channel{queue.memory=host}",
     "queue.memory = host is for what a kernel asks for; with initiator = host"},
    {"openmpi-d{signal=quiet}", "signal = quiet is for what a kernel asks for"},
    {"dgpu{server=initiator,queue.locked=false}", "queue.locked = false is for a server who polls"},
    {"dgpu{server=initiator,polling_rounds=1}",
     "polling_rounds = 1 is for a server who polls; there is none"},
    {"dgpu{server=initiator,completion=by_context}",
     "completion = by_context is for a server who polls"},
    {"openmpi-d{nic_queue.sharers=1}", "nic_queue.sharers = 1 is for what a kernel asks for"},
    {"openmpi-d{quiet_by=entries}", "quiet_by = entries is for what a kernel asks for"},
    {"dgpu{server=initiator,coalesce.count=2,coalesce.timeout=1us}",
     "coalesce.count = 2 is for a server"},
    {"dgpu{server=initiator,completion=by_context,fence=by_context}",
     "completion = by_context is for a server"},
};

static void test_rules(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(broken); i++) {
        struct design design;
        g_autoptr(GError) error = NULL;
        g_assert_false(param_record_set_text(&design_record, &design, broken[i][0], &error));
        if (!g_str_has_prefix(error->message, broken[i][1]))
            g_error("%s: \"%s\" does not begin with \"%s\"", broken[i][0], error->message,
                    broken[i][1]);
    }
}

/* The designs of the papers to come, and what the issue composes, are points. */
static void test_points(void)
{
    static const char *const texts[] = {
        "comp-net{server=gpu_warp,queue.memory=host}",
        "comp-net{server=gpu_thread}",
        "comp-net{server=smart_nic,nic_queue.memory=host}",
        "comp-net{server=initiator,nic_queue.sharers=1}",
        "comp-net{server=nic_trigger,nic_queue.memory=host}",
        "comp-net{queue.locked=false}",
        "dgpu{queue.count=1}",
        "nvshmem-libfabric{signal_by=server}",
        "dgpu{quiet_by=each_round}",
        "comp-net{server=gpu_warp,coalesce.count=64,coalesce.timeout=5us}",
        "charm-channel{server=command_processor}",
        "apu{server=command_processor}",
        "dgpu{completion=by_context,fence=by_context}",
    };
    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++)
        test_design(texts[i]);
}

/* --- what workloads take ------------------------------------------------------------------------- */

static const char *refusal(bool (*accepts)(const struct design *, GError **), const char *text)
{
    struct design design = test_design(text);
    bool is_accepted = accepts(&design, fresh_error());
    g_assert_true(is_accepted == (last_error == NULL));
    return last_words();
}

static void test_worlds(void)
{
    for (const char *const *name = kernel_designs(); *name != NULL; name++) {
        g_assert_cmpstr(refusal(transfer_accepts_kernel, *name), ==, "");
        g_assert_nonnull(strstr(refusal(messenger_accepts, *name), "has puts and gets"));
    }
    for (const char *const *name = host_designs(); *name != NULL; name++) {
        g_assert_cmpstr(refusal(messenger_accepts, *name), ==, "");
        g_assert_nonnull(
            strstr(refusal(transfer_accepts_kernel, *name), "has no runtime for them"));
    }
    g_assert_cmpstr(
        refusal(transfer_accepts_kernel, "openmpi-d"), ==,
        "this workload asks for puts and gets from inside a kernel; design openmpi-d has no "
        "runtime for them; it takes runtime = shmem");
    g_assert_cmpstr(
        refusal(messenger_accepts, "comp-net"), ==,
        "this workload asks processes on the host for sends and receives; design comp-net has "
        "puts and gets; it takes a runtime that passes messages, such as openmpi or channel");
    g_assert_nonnull(strstr(
        refusal(messenger_accepts, "openmpi-d{runtime=none,initiator=kernel,server=host_thread}"),
        "starts them in a kernel"));
    g_assert_cmpstr(refusal(messenger_accepts, "charm-channel{server=command_processor}"), ==, "");
    g_assert_cmpstr(refusal(messenger_accepts, "openmpi-h{server=host_thread}"), ==, "");
    g_assert_nonnull(
        strstr(refusal(messenger_accepts, "cp-channel{node=coherent,queue.memory=host,heap=host}"),
               "is one of coherent nodes"));
    g_assert_nonnull(
        strstr(refusal(transfer_accepts_kernel, "dgpu{runtime=none}"), "has no runtime for them"));
    g_assert_nonnull(strstr(refusal(transfer_accepts_kernel, "apu{server=command_processor}"),
                            "has its server on the GPU or the NIC of a coherent node"));
}

static void test_scopes(void)
{
    static const struct {
        const char *text;
        enum memory_scope scope;
    } cases[] = {{"dgpu", SCOPE_SYSTEM},
                 {"apu", SCOPE_SYSTEM},
                 {"comp-net", SCOPE_DEVICE},
                 {"comp-net{queue.memory=host}", SCOPE_SYSTEM},
                 {"apu{server=command_processor}", SCOPE_SYSTEM},
                 {"comp-net{server=gpu_warp}", SCOPE_DEVICE},
                 {"comp-net{server=smart_nic}", SCOPE_SYSTEM}};
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        struct design design = test_design(cases[i].text);
        g_assert_cmpint(design_scope(&design), ==, cases[i].scope);
    }
}

/* --- composed designs at work -------------------------------------------------------------------- */

static bool run_get(const char *design, bool locks, struct workload_result *result, GError **error)
{
    const struct workload *workload = &get_latency_workload;
    g_autofree void *spec = g_malloc0(workload->params->spec_size);
    struct machine_spec machine;
    machine_spec_init(&machine, software_tables());
    machine.gpu.l2_locking = locks;
    param_set_defaults(workload->params, spec);
    const char *const values[][2] = {{"design", design}, {"bytes", "64B"}, {"repeats", "20"}};
    for (size_t i = 0; i < G_N_ELEMENTS(values); i++)
        if (!param_set_text(workload->params, param_find(workload->params, values[i][0]), spec,
                            values[i][1], error))
            g_error("%s", (*error)->message);
    *result = (struct workload_result){.count = 0};
    return run_or_once(workload, &machine, spec, 1, result, error);
}

/* Every place of queue, commands and heap with each server, on both kinds of nodes. */
static void test_composed(void)
{
    static const char *const servers[] = {"host_thread", "command_processor"};
    int64_t latencies[16];
    size_t count = 0;
    for (size_t i = 0; i < 16; i++) {
        g_autoptr(GError) error = NULL;
        struct workload_result result;
        g_autofree char *text = g_strdup_printf(
            "{server=%s,queue.memory=%s,nic_queue.memory=%s,heap=%s}", servers[i / 8],
            i & 4 ? "host" : "gpu", i & 2 ? "host" : "gpu", i & 1 ? "host" : "gpu");
        if (!run_get(text, false, &result, &error))
            g_error("%s: %s", text, error->message);
        latencies[count++] = result.measures[0].quantity;
        g_assert_cmpint(result.measures[0].quantity, >, PS_PER_US / 2);
        g_test_message("%s: %.2f us", text, (double)result.measures[0].quantity / 1e6);
    }
    g_assert_cmpint(latencies[8], <,
                    latencies[12]); /* a command processor's queue across the bus */
}

/* The axis says whether lines are locked where the machine's GPU can do that. */
static void test_locked(void)
{
    struct workload_result locked, plain, without;
    g_autoptr(GError) error = NULL;
    g_assert_true(run_get("comp-net", true, &locked, &error));
    g_assert_true(run_get("comp-net{queue.locked=false}", true, &plain, &error));
    g_assert_true(run_get("comp-net", false, &without, &error));
    g_assert_cmpint(plain.measures[0].quantity, ==, without.measures[0].quantity);
}

/* A design's threads are those of a workload that does not say how many. */
static void test_service_threads(void)
{
    struct workload_result result;
    g_autoptr(GError) error = NULL;
    g_assert_false(run_get("comp-net{service_threads=64}", false, &result, &error));
    g_assert_true(g_str_has_prefix(
        error->message,
        "64 service threads need as many cores, design comp-net{service_threads=64}"));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    test_designs_load();
    g_test_add_func("/design/text", test_text);
    g_test_add_func("/design/whole", test_whole);
    g_test_add_func("/design/bad-text", test_bad_text);
    g_test_add_func("/design/rules", test_rules);
    g_test_add_func("/design/points", test_points);
    g_test_add_func("/design/worlds", test_worlds);
    g_test_add_func("/design/scopes", test_scopes);
    g_test_add_func("/design/composed", test_composed);
    g_test_add_func("/design/locked", test_locked);
    g_test_add_func("/design/service-threads", test_service_threads);
    return g_test_run();
}
