/* SPDX-License-Identifier: BSD-3-Clause */
/* GOAL text on a machine of the project: the first byte chooses machine, transport and placement, the rest is a
 * schedule. It comes to its end or to a sentence. The machine may have a second kind of nodes; or the schedule runs at
 * a derived model's costs, which are as large as a model may have. */
#include <stdio.h>

#include "fuzz.h"
#include "script/machine/designs.h"
#include "script/script.h"
#include "study/model/study.h"
#include "workloads/goal/goal_machine.h"
#include "workloads/goal/goal_model.h"
#include "workloads/goal/goal_reader.h"

#define MOST_RANKS 64

static const char *const machine_names[] = {"gcn3_node", "summit"};
static struct machine *machines[2 * G_N_ELEMENTS(machine_names)]; /* with kinds, and without */
static struct loggp_model *model;

struct call {
    struct machine_spec machine;
    struct goal_placement placement;
    struct goal_schedule *schedule;
};

static void run_model(void *argument)
{
    struct call *call = argument;
    struct loggp_program program = goal_schedule_program(call->schedule);
    const struct goal_source source = {"t.goal", call->schedule};
    GError *error = NULL;
    g_autofree int64_t *ends_ps = g_new0(int64_t, program.ranks);
    bool good = goal_model_run(model, "m.lua", &program, &source, NULL, ends_ps, &error);
    fuzz_expect_told(good, error);
    for (uint32_t rank = 0; good && rank < program.ranks; rank++)
        fuzz_expect(ends_ps[rank] >= 0, "rank %u ends before it began", rank);
}

static void run(void *argument)
{
    struct call *call = argument;
    struct loggp_program program = goal_schedule_program(call->schedule);
    const struct goal_source source = {"t.goal", call->schedule};
    GError *error = NULL;
    g_autofree sim_time *ends_ps = g_new0(sim_time, program.ranks);
    struct goal_machine_result result = {.ends_ps = ends_ps};
    bool good = goal_machine_run(&call->machine, &call->placement, &program, &source, NULL, &result,
                                 &error);
    fuzz_expect_told(good, error);
    for (uint32_t rank = 0; good && rank < program.ranks; rank++)
        fuzz_expect(ends_ps[rank] >= 0, "rank %u ends before it began", rank);
}

/* Eager messages, a rendezvous, and sizes of each at which a cost is as much as can be. */
static void make_model(void)
{
    static const char *const sizes[] = {"0 100 0", "101 65536 1", "65537 1125899906842624 0"};
    const char *lines[2 + G_N_ELEMENTS(sizes)] = {"2 1 1 2 1000"};
    for (size_t i = 0; i < G_N_ELEMENTS(sizes); i++) {
        GString *line = g_string_new(NULL);
        g_string_printf(line, "5 %s", sizes[i]);
        for (int cost = 0; cost < LOGGP_COSTS; cost++)
            g_string_append_printf(line, " %d %" G_GINT64_FORMAT, 1000 - 150 * cost,
                                   (gint64)(i == 2 ? INT64_C(1) << 50 : 20000 * cost));
        lines[1 + i] = g_string_free(line, FALSE);
    }
    model = goal_model_parse(lines, NULL);
    fuzz_expect(model != NULL, "the model is none");
    for (size_t i = 0; i < G_N_ELEMENTS(sizes); i++)
        g_free((char *)(uintptr_t)lines[1 + i]);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    g_autofree char *designs = g_strdup_printf("%s/configs/designs.lua", fuzz_root());
    fuzz_expect(designs_load(designs, NULL), "%s", designs);
    make_model();
    for (size_t i = 0; i < G_N_ELEMENTS(machines); i++) {
        static const char *const kinds[] = {"nodes=4",
                                            "kinds.other.nodes=1 3",
                                            "kinds.other.nic.command_latency=1us",
                                            "kinds.other.bus.latency=3us",
                                            "kinds.other.network.rate=1GB/s",
                                            NULL};
        GError *error = NULL;
        g_autofree char *path =
            g_strdup_printf("%s/configs/%s.lua", fuzz_root(), machine_names[i / 2]);
        machines[i] = machine_load(path, i % 2 ? kinds : NULL, &error);
        fuzz_expect(machines[i] != NULL, "%s", error ? error->message : path);
    }
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2)
        return 0;
    struct call call = {.machine = machines[2 * (data[0] & 1) + (data[0] >> 6 & 1)]->spec};
    param_set_defaults(&goal_placement_params, &call.placement);
    call.placement.device = data[0] & 2 ? GOAL_ON_GPU : GOAL_ON_CORE;
    call.placement.memory = (data[0] >> 3) % 3;
    call.placement.order = data[0] >> 5 & 1;
    call.machine.nodes = 4;
    call.machine.transport.kind = data[0] & 4 ? TRANSPORT_FLOW : TRANSPORT_SEGMENT;
    GError *error = NULL;
    FILE *file = fmemopen((void *)(uintptr_t)(data + 1), size - 1, "r");
    fuzz_expect(file != NULL, "no file in memory");
    call.schedule = goal_read(file, "t.goal", &error);
    fclose(file);
    fuzz_expect_told(call.schedule != NULL, error);
    if (call.schedule && goal_schedule_ranks(call.schedule) <= MOST_RANKS)
        fuzz_in_child(data[0] >> 7 ? run_model : run, &call);
    if (call.schedule)
        goal_schedule_free(call.schedule);
    return 0;
}
