/* SPDX-License-Identifier: BSD-3-Clause */
/* Texts of quantities. The first byte says what reads the rest: a kind of unit, GOAL's numbers and costs, or
 * a parameter of a machine or of a workload. What is read is written, and read again as the same. */
#include "core/units.h"
#include "fuzz.h"
#include "study/model/machine.h"
#include "workloads/goal/goal_options.h"
#include "workloads/workloads.h"

#define UNIT_KINDS (UNIT_COUNT + 1)

static void read_unit(enum unit_kind kind, const char *text)
{
    int64_t value, again;
    g_autoptr(GError) error = NULL;
    char written[UNIT_TEXT_SIZE];
    if (!unit_parse(text, kind, &value, &error)) {
        fuzz_expect(*error->message != '\0', "refused without a word");
        return;
    }
    unit_format(value, kind, written);
    fuzz_expect(unit_parse(written, kind, &again, &error), "%s is written as %s: %s", text, written,
                fuzz_message(error));
    fuzz_expect(again == value, "%s is written as %s, which is another quantity", text, written);
}

static void read_param(const struct param_table *table, const struct param *param, const char *text)
{
    g_autoptr(GError) error = NULL;
    char written[PARAM_TEXT_SIZE];
    void *spec = g_malloc0(table->spec_size), *again = g_malloc0(table->spec_size);
    if (param_set_text(table, param, spec, text, &error)) {
        param_format(param, spec, written);
        fuzz_expect(param_set_text(table, param, again, written, &error), "%s is written as %s: %s",
                    text, written, fuzz_message(error));
        fuzz_expect(param_compare(param, spec, again) == 0, "%s is written as %s", text, written);
    } else {
        fuzz_expect(*error->message != '\0', "refused without a word");
    }
    g_free(spec);
    g_free(again);
}

/* Parameter `number` of those of all tables, counted round. */
static void read_any_param(size_t number, const char *text)
{
    size_t parts = machine_section_count(machine_defaults()), tables = parts;
    while (workloads[tables - parts])
        tables++;
    size_t chosen = number % tables;
    const struct param_table *table = chosen < parts
                                          ? machine_section(machine_defaults(), chosen).table
                                          : workloads[chosen - parts]->params;
    read_param(table, &table->params[number / tables % table->count], text);
}

static void read_goal(bool is_costs, const char *text)
{
    GError *error = NULL;
    struct loggp_spec costs;
    uint64_t value;
    const struct goal_option it = {"it", UNIT_TIME, 1, 0};
    g_autofree char *option = g_strconcat("it=", text, NULL);
    bool good = is_costs ? goal_costs_parse(text, &costs, &error)
                         : goal_options_parse((const char *const[]){option, NULL}, &it, 1, &value,
                                              "", " is none", &error);
    fuzz_expect_told(good, error);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    fuzz_expect(fuzz_root() != NULL && workloads_load(NULL), "workloads cannot be read");
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_bytes bytes = {data, size};
    unsigned chosen = fuzz_byte(&bytes);
    size_t number = chosen >= UNIT_KINDS + 2 ? (size_t)fuzz_byte(&bytes) << 8 | chosen : 0;
    char *text = fuzz_text(bytes.data, bytes.left);
    if (chosen < UNIT_KINDS)
        read_unit((enum unit_kind)chosen, text);
    else if (chosen < UNIT_KINDS + 2)
        read_goal(chosen == UNIT_KINDS, text);
    else
        read_any_param(number, text);
    g_free(text);
    return 0;
}
