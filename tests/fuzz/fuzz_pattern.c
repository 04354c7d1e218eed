/* SPDX-License-Identifier: BSD-3-Clause */
/* GOAL's patterns and the costs of the machine they run on: PATTERN, a line break, COSTS. Small ones run. */
#include <string.h>

#include "fuzz.h"
#include "workloads/goal/goal_options.h"
#include "workloads/goal/goal_pattern.h"

#define MOST_RANKS 4096
#define MOST_STEPS 100000

static void run(const struct goal_pattern_spec *spec, const struct loggp_spec *costs)
{
    struct goal_pattern *pattern = goal_pattern_new(spec);
    struct loggp_program program = goal_pattern_program(pattern);
    struct loggp *machine = loggp_new(costs, &program);
    if (!loggp_run(machine, MOST_STEPS))
        loggp_unmatched(machine, NULL, NULL);
    loggp_free(machine);
    goal_pattern_free(pattern);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size), *line = strchr(text, '\n');
    struct goal_pattern_spec spec;
    struct loggp_spec costs;
    GError *error = NULL;
    if (line)
        *line++ = '\0';
    bool good = goal_costs_parse(line ? line : GOAL_COSTS_DEFAULT, &costs, &error);
    fuzz_expect_told(good, error);
    error = NULL;
    bool is_pattern = goal_pattern_parse(text, &spec, &error);
    fuzz_expect_told(is_pattern, error);
    if (good && is_pattern && spec.ranks <= MOST_RANKS)
        run(&spec, &costs);
    g_free(text);
    return 0;
}
