/* SPDX-License-Identifier: BSD-3-Clause */
/* LogGOPSim's command line takes whole nanoseconds only; a byte of a 25 GB/s link takes 40 ps. */
#include "workloads/goal/goal_costs.h"

#include <stddef.h>

#include "workloads/goal/goal_quantity.h"

#define COST(name, unit)                                                                           \
    {                                                                                              \
#name, unit, 1, offsetof(struct loggp_spec, name)                                          \
    }

static const struct goal_option fields[] = {
    COST(L, UNIT_TIME), COST(o, UNIT_TIME), COST(g, UNIT_TIME),
    COST(G, UNIT_TIME), COST(O, UNIT_TIME), COST(S, UNIT_BYTES),
};

static uint64_t *field_of(struct loggp_spec *costs, size_t i)
{
    return (uint64_t *)(void *)((char *)costs + fields[i].offset);
}

static bool parse_all(const char *text, struct loggp_spec *costs, GError **error)
{
    g_auto(GStrv) parts = g_strsplit(text, ",", -1);
    return goal_options_parse(
        (const char *const *)parts, fields, G_N_ELEMENTS(fields), costs, "",
        " is none of the costs, which are L, o, g, G, O and S, as in " GOAL_COSTS_DEFAULT, error);
}

/* Chooses the ticks, given all times in picoseconds. */
static void choose_ticks(struct loggp_spec *costs)
{
    bool whole = true;
    for (size_t i = 0; i < G_N_ELEMENTS(fields); i++)
        whole &= fields[i].unit != UNIT_TIME || *field_of(costs, i) % PS_PER_NS == 0;
    for (size_t i = 0; whole && i < G_N_ELEMENTS(fields); i++)
        *field_of(costs, i) /= fields[i].unit == UNIT_TIME ? PS_PER_NS : 1;
    costs->ticks_per_ns = whole ? 1 : PS_PER_NS;
}

bool goal_costs_parse(const char *text, struct loggp_spec *costs, GError **error)
{
    if (!parse_all(GOAL_COSTS_DEFAULT, costs, error) || !parse_all(text, costs, error))
        return false;
    choose_ticks(costs);
    return true;
}
