/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs in Lua and GOAL schedules as workloads of a table, so that the walk draws them as any other (test_param_walk.c). */
#pragma once

#include <glib.h>

#include "../designs.h"
#include "core/error.h"
#include "script/sandbox/sandbox.h"
#include "script/script.h"
#include "script/study/point.h"
#include "study/model/machine.h"
#include "study/model/value.h"
#include "workloads/goal/goal_machine.h"
#include "workloads/goal/goal_pattern.h"
#include "workloads/interface/workload.h"

/* --- GOAL ------------------------------------------------------------------------------------- */

struct goal_subject {
    struct design design;
    int64_t pattern, placement;
};

static const char *const goal_subject_patterns[] = {
    "ring:2,bytes=8", "ring:4,bytes=65536,calc=1000", "doubling:4,bytes=1048576",
    "alltoall:3,bytes=4096,calc=500", NULL};
static const char *const goal_subject_placements[] = {
    "core", "gpu", "core,memory=gpu", "gpu,memory=host", "gpu,order=round-robin", NULL};

static const struct param goal_subject_rows[] = {
    PARAM_DESIGN(struct goal_subject, "openmpi-d", "Whose runtime carries messages."),
    PARAM_ENUM(pattern, struct goal_subject, "ring:2,bytes=8", goal_subject_patterns, "What runs."),
    PARAM_ENUM(placement, struct goal_subject, "gpu", goal_subject_placements, "Where ranks are."),
};
static PARAM_TABLE(goal_subject_params, "goal", struct goal_subject, goal_subject_rows,
                   "A pattern of GOAL on a machine.");

static bool run_goal_subject(const struct machine_spec *machine, const void *spec, uint64_t seed,
                             struct workload_result *result, GError **error)
{
    const struct goal_subject *subject = spec;
    struct goal_placement placement;
    struct goal_pattern_spec kind;
    sim_time ends_ps[4] = {0};
    struct goal_machine_result outcome = {.ends_ps = ends_ps};
    const char *text = goal_subject_patterns[subject->pattern];
    g_assert_true(
        goal_placement_parse(goal_subject_placements[subject->placement], NULL, &placement, NULL));
    g_assert_true(goal_pattern_parse(text, &kind, NULL));
    placement.design = subject->design;
    struct goal_pattern *pattern = goal_pattern_new(&kind);
    const struct loggp_program program = goal_pattern_program(pattern);
    const struct goal_source source = {text, NULL};
    (void)seed; /* nothing is drawn */
    bool is_good = goal_machine_run(machine, &placement, &program, &source, NULL, &outcome, error);
    for (uint32_t rank = 0; is_good && rank < program.ranks; rank++) {
        static const char *const names[] = {"end_0", "end_1", "end_2", "end_3"};
        workload_add_quantity(result, names[rank], UNIT_TIME, ends_ps[rank]);
    }
    result->uses = outcome.uses;
    workload_add_run_energy(result, &outcome.energy);
    goal_pattern_free(pattern);
    return is_good;
}

static const struct workload goal_subject = {
    .name = "goal", .params = &goal_subject_params, .run = run_goal_subject};

/* --- programs --------------------------------------------------------------------------------- */

struct program_subject {
    struct design design;
    int64_t body;
};

/* Each made of operations that the others have not; the first two for either kind of party. */
static const char *const program_subject_bodies[] = {"signals", "puts",     "compute", "atomics",
                                                     "stores",  "messages", "kernels", "copies",
                                                     "threads", NULL};
static const char program_subject_text[] =
    "local function body(name, me, small, large, bell, pinned)\n"
    "  local other, start = 1 - me.rank, me:now()\n"
    "  if name == 'signals' then\n"
    "    for turn = 1, 4 do\n"
    "      local hit = { to = other, buffer = small, signal = bell, index = turn % 2, value = turn }\n"
    "      if me.rank == 0 then me:put_signal(hit) end\n"
    "      me:wait_until { from = other, buffer = small, signal = bell, index = turn % 2, value = turn }\n"
    "      if me.rank == 1 then me:put_signal(hit) end\n"
    "    end\n"
    "  elseif name == 'puts' then\n"
    "    if me.rank == 1 then me:serve { from = 0 }\n"
    "    else\n"
    "      me:put { to = 1, buffer = large } me:fence() me:get { from = 1, buffer = small } me:quiet()\n"
    "      me:leave { to = 1 }\n"
    "    end\n"
    "  elseif name == 'compute' then\n"
    "    me:compute { elements = 4096, flops = 8, bytes = '16B' } me:finish(0)\n"
    "  elseif name == 'atomics' then\n"
    "    for i = 1, 3 do me:atomic { to = other, signal = bell, op = 'add', value = i } end\n"
    "  elseif name == 'stores' then\n"
    "    for i = 1, 3 do me:store { signal = bell, value = i } me:load { signal = bell } end\n"
    "  elseif name == 'messages' then\n"
    "    for turn = 1, 3 do\n"
    "      local come, go = me:receive { from = other, buffer = large }, me:send { to = other, buffer = large }\n"
    "      me:wait(come, go)\n"
    "    end\n"
    "  elseif name == 'kernels' then\n"
    "    local g = me:graph(function() for i = 1, 3 do me:launch { work_groups = 20, threads = 256, flops = 1000000 } end end)\n"
    "    me:launch { graph = g } me:launch { work_groups = 90, threads = 128, bytes = '64KiB' } me:synchronise()\n"
    "  elseif name == 'copies' then\n"
    "    local side = me:stream()\n"
    "    me:copy { to = large, from = pinned } me:wait_event(me:event(), side)\n"
    "    me:copy { to = pinned, from = large, stream = side } me:synchronise(side)\n"
    "  else\n"
    "    if me.rank == 0 then me:tell(1) me:wait_told(1) else me:wait_told(0) me:tell(0) end\n"
    "  end\n"
    "  me:record('took', me:now() - start)\n"
    "end\n"
    "return study { title = 'programs', machine = machine { nodes = 2 },\n"
    "  vary = { { 'body', { 'signals', 'puts', 'compute', 'atomics', 'stores', 'messages', 'kernels', 'copies', 'threads' } },\n"
    "           { 'design', { %s } } },\n"
    "  run = function(p)\n"
    "    local near = p.body == 'threads'\n"
    "    local w = program { design = p.design, channels = true, barrier = true, once = true,\n"
    "                        nodes = near and 1 or 2, gpus_per_node = near and 2 or 1 }\n"
    "    local small, large, bell = w:buffer('8B'), w:buffer('64KiB'), w:signals(2)\n"
    "    local pinned = p.body == 'copies' and w:buffer('64KiB', 'pinned')\n"
    "    w:parties { program = function(me) body(p.body, me, small, large, bell, pinned) end }\n"
    "    return w:run()\n"
    "  end }\n";

/* Of all designs, read once; a point is a body and a design. */
static struct study *program_subject_study(void)
{
    static struct study *study;
    if (study != NULL)
        return study;
    g_autoptr(GError) error = NULL;
    GString *names = g_string_new(NULL);
    for (size_t i = 0; i < designs_count(); i++)
        g_string_append_printf(names, "'%s', ", designs_at(i)->name);
    GString *text = g_string_new(program_subject_text);
    g_string_replace(text, "%s", names->str, 1);
    struct script_file file = {
        .path = (char *)"programs.lua", .names = (char *)"", .text = text->str};
    g_autoptr(GPtrArray) files = g_ptr_array_new();
    g_ptr_array_add(files, &file);
    study = study_load_files(files, NULL, &error);
    if (study == NULL)
        g_error("%s", error->message);
    g_string_free(names, TRUE);
    g_string_free(text, TRUE);
    return study;
}

static size_t design_number(const struct design *design)
{
    size_t number = 0;
    while (memcmp(&designs_at(number)->design, design, sizeof *design) != 0)
        number++;
    return number;
}

static bool run_program_subject(const struct machine_spec *machine_spec, const void *spec,
                                uint64_t seed, struct workload_result *result, GError **error)
{
    const struct program_subject *subject = spec;
    struct study *study = program_subject_study();
    struct machine *machine = machine_new(machine_spec);
    size_t n = (size_t)subject->body * designs_count() + design_number(&subject->design);
    struct row *row = study_run_point(study, n, machine, seed);
    for (size_t i = 0; i < row->measure_count; i++) {
        const struct measure *measure = &row->measures[i];
        const char *name = g_intern_string(measure->name);
        if (measure->value.kind == VALUE_NUMBER)
            workload_add_ratio(result, name, measure->value.number);
        else
            workload_add_quantity(result, name, measure->value.unit, measure->value.quantity);
    }
    result->uses = study->state->uses;
    bool is_good = row->failure == NULL || error_set(error, "%s", row->failure);
    row_free(row);
    machine_free(machine);
    return is_good;
}

static const struct param program_subject_rows[] = {
    PARAM_DESIGN(struct program_subject, NULL, "Who starts and serves transfers."),
    PARAM_ENUM(body, struct program_subject, "signals", program_subject_bodies,
               "What its parties do."),
};
static PARAM_TABLE(program_subject_params, "program", struct program_subject, program_subject_rows,
                   "A program in Lua.");
static const struct workload program_subject = {
    .name = "program", .params = &program_subject_params, .run = run_program_subject};
