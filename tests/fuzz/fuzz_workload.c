/* SPDX-License-Identifier: BSD-3-Clause */
/* Workloads on machines, with any parameters that their tables allow. The bytes choose a workload, one of the
 * project's machines, some of its parameters and all of the workload's. It gives a result or a sentence. */
#include <glib.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "script/machine/designs.h"
#include "script/script.h"
#include "study/model/machine.h"
#include "study/model/study.h"
#include "workloads/workloads.h"

#define MOST_CHANGES 4
#define MOST_NODES 8

/* A workload's own numbers are small, one of them now and then larger: the rest of what is allowed takes
 * too long. */
#define MOST_COUNT 6
#define LARGE_COUNT 2048
#define MOST_PAYLOAD (INT64_C(1) << 24)

static const char *const machine_names[] = {"gcn3_node", "ac922", "lassen", "summit"};
static struct machine *machines[G_N_ELEMENTS(machine_names)];

/* --- values ------------------------------------------------------------------------------------- */

static int64_t bound(const struct param *param, const char *text, int64_t otherwise)
{
    g_autoptr(GError) error = NULL;
    int64_t value;
    return text && unit_parse(text, param->unit, &value, &error) ? value : otherwise;
}

/* As many small values as large ones: a random number of bits is taken away. */
static uint64_t up_to(struct fuzz_bytes *bytes, uint64_t most)
{
    uint64_t number = fuzz_number(bytes) >> fuzz_byte(bytes) % 64;
    return most == UINT64_MAX ? number : number % (most + 1);
}

static char *quantity(const struct param *param, struct fuzz_bytes *bytes, bool is_small)
{
    int64_t low = bound(param, param->low, 0), high = bound(param, param->high, INT64_MAX);
    unsigned kind = fuzz_byte(bytes) % 16;
    if (is_small && param->unit == UNIT_COUNT)
        high = MAX(low, MIN(high, kind >= 14 ? LARGE_COUNT : MOST_COUNT));
    if (is_small && param->unit == UNIT_BYTES)
        high = MAX(low, MIN(high, MOST_PAYLOAD));
    uint64_t range = (uint64_t)high - (uint64_t)low;
    uint64_t above = kind == 0 ? 0 : kind == 1 ? range : up_to(bytes, range);
    char *text = g_malloc(UNIT_TEXT_SIZE);
    return unit_format((int64_t)((uint64_t)low + above), param->unit, text);
}

static char *ratio(const struct param *param, struct fuzz_bytes *bytes)
{
    double low = param->low ? g_ascii_strtod(param->low, NULL) : 0;
    double high = param->high ? g_ascii_strtod(param->high, NULL) : 1e6;
    double part = (double)fuzz_byte(bytes) / 255.0;
    char *text = g_malloc(UNIT_TEXT_SIZE);
    return unit_format_number(CLAMP(low + part * (high - low), low, high), text);
}

static char *value(const struct param *param, struct fuzz_bytes *bytes, bool is_small)
{
    size_t count = 0;
    switch (param->kind) {
    case PARAM_QUANTITY:
        return quantity(param, bytes, is_small);
    case PARAM_RATIO:
        return ratio(param, bytes);
    case PARAM_BOOL:
        return g_strdup(fuzz_byte(bytes) % 2 ? "true" : "false");
    case PARAM_CHOICE:
        while (param->choices[count])
            count++;
        return g_strdup(param->choices[fuzz_byte(bytes) % count]);
    case PARAM_PERCENTILES:
        return g_strdup(fuzz_byte(bytes) % 2 ? "none" : "0.01,50,99.99,100");
    case PARAM_WORDS:
        return g_strdup("none");
    case PARAM_RECORD:
        return g_strdup(param->record->name(fuzz_byte(bytes) % param->record->count()));
    case PARAM_SHARED: /* its rows stand in its place */
        break;
    }
    abort();
}

static void choose(const struct param_table *table, const struct param *param, void *spec,
                   struct fuzz_bytes *bytes, bool is_small)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *text = value(param, bytes, is_small);
    if (getenv("FUZZ_TELL"))
        g_printerr("%s.%s = %s\n", table->component, param->name, text);
    fuzz_expect(param_set_text(table, param, spec, text, &error),
                "a value in its bounds is refused: %s", fuzz_message(error));
}

/* --- machines and workloads ---------------------------------------------------------------------- */

static void change_machine(struct machine_spec *spec, struct fuzz_bytes *bytes)
{
    for (unsigned left = fuzz_byte(bytes) % (MOST_CHANGES + 1); left > 0; left--) {
        struct machine_section part =
            machine_section(spec, fuzz_byte(bytes) % machine_section_count(spec));
        const struct param *param = &part.table->params[fuzz_byte(bytes) % part.table->count];
        choose(part.table, param, machine_section_spec(spec, part), bytes, false);
    }
    spec->nodes = MIN(spec->nodes, MOST_NODES);
}

static void choose_workload(const struct workload *workload, void *spec, struct fuzz_bytes *bytes)
{
    const struct param_table *table = workload->params;
    param_set_defaults(table, spec);
    for (size_t i = 0; i < table->count; i++) {
        const struct param *param = &table->params[i];
        if (!param->default_text || fuzz_byte(bytes) % 2)
            choose(table, param, spec, bytes, true);
    }
}

struct call {
    const struct workload *workload;
    const struct machine_spec *machine;
    const void *spec;
    uint64_t seed;
};

static void run(void *argument)
{
    const struct call *call = argument;
    struct workload_result result = {.count = 0};
    g_autoptr(GError) error = NULL;
    if (!workload_run(call->workload, call->machine, call->spec, call->seed, &result, &error)) {
        fuzz_expect(*error->message != '\0', "a failure without a word");
        return;
    }
    fuzz_expect(result.count > 0, "a result without a measure");
    for (size_t i = 0; i < result.count; i++) {
        const struct workload_measure *measure = &result.measures[i];
        fuzz_expect(measure->is_ratio ? isfinite(measure->ratio) : measure->quantity >= 0,
                    "%s is no number that can be", measure->name);
    }
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    g_autofree char *designs = g_strdup_printf("%s/configs/designs.lua", fuzz_root());
    fuzz_expect(designs_load(designs, NULL) && workloads_load(NULL), "%s", designs);
    for (size_t i = 0; i < G_N_ELEMENTS(machines); i++) {
        GError *error = NULL;
        g_autofree char *path = g_strdup_printf("%s/configs/%s.lua", fuzz_root(), machine_names[i]);
        machines[i] = machine_load(path, NULL, &error);
        fuzz_expect(machines[i] != NULL, "%s", error ? error->message : path);
    }
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_bytes bytes = {data, size};
    size_t count = 0;
    g_autoptr(GError) error = NULL;
    while (workloads[count])
        count++;
    struct call call = {.workload = workloads[fuzz_byte(&bytes) % count]};
    struct machine_spec machine = machines[fuzz_byte(&bytes) % G_N_ELEMENTS(machines)]->spec;
    g_autofree void *spec = g_malloc0(call.workload->params->spec_size);
    call.seed = fuzz_byte(&bytes);
    choose_workload(call.workload, spec, &bytes);
    change_machine(&machine, &bytes);
    if (!machine_spec_valid(&machine, &error)) {
        fuzz_expect(*error->message != '\0', "a machine is refused without a word");
        return 0;
    }
    call.machine = &machine;
    call.spec = spec;
    fuzz_in_child(run, &call);
    return 0;
}
