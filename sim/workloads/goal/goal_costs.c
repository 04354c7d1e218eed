/* SPDX-License-Identifier: BSD-3-Clause */
/* LogGOPSim's command line takes whole nanoseconds only; a byte of a 25 GB/s link takes 40 ps. */
#include "workloads/goal/goal_costs.h"

#include <stddef.h>
#include <string.h>

#include "core/error.h"
#include "workloads/goal/goal_quantity.h"

static const struct {
    const char *name;
    enum unit_kind unit;
    size_t offset;
} fields[] = {
    {"L", UNIT_TIME, offsetof(struct loggp_spec, L)},
    {"o", UNIT_TIME, offsetof(struct loggp_spec, o)},
    {"g", UNIT_TIME, offsetof(struct loggp_spec, g)},
    {"G", UNIT_TIME, offsetof(struct loggp_spec, G)},
    {"O", UNIT_TIME, offsetof(struct loggp_spec, O)},
    {"S", UNIT_BYTES, offsetof(struct loggp_spec, S)},
};

static uint64_t *field_of(struct loggp_spec *costs, size_t i)
{
    return (uint64_t *)(void *)((char *)costs + fields[i].offset);
}

static bool parse_field(char *part, struct loggp_spec *costs, GError **error)
{
    char *value = strchr(part, '=');
    if (value)
        *value++ = '\0';
    for (size_t i = 0; value && i < G_N_ELEMENTS(fields); i++) {
        if (strcmp(part, fields[i].name) == 0)
            return goal_quantity(part, value, fields[i].unit, 1, field_of(costs, i), error);
    }
    return error_set(error, "\"%s\" is none of the costs, which are L, o, g, G, O and S, as in %s",
                     part, GOAL_COSTS_DEFAULT);
}

static bool parse_all(const char *text, struct loggp_spec *costs, GError **error)
{
    g_auto(GStrv) parts = g_strsplit(text, ",", -1);
    if (!goal_keys_differ((const char *const *)parts, error))
        return false;
    for (char **part = parts; *part; part++) {
        if (!parse_field(*part, costs, error))
            return false;
    }
    return true;
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
