/* SPDX-License-Identifier: BSD-3-Clause */
#include "workloads/interface/workload.h"

#include <string.h>

#include "core/check.h"
#include "core/percentiles.h"
#include "core/stat.h"

#define FJ_PER_J 1e15

/* Whether the parameter is at its default, and its value as text. */
static bool is_default(const struct workload *workload, const char *name, const void *spec,
                       const void *defaults, char *text)
{
    char usual[PARAM_TEXT_SIZE];
    const struct param *param = param_find(workload->params, name);
    return g_str_equal(param_format(param, spec, text), param_format(param, defaults, usual));
}

static bool allows(const struct workload *workload, const struct workload_rule *rule,
                   const void *spec, const void *defaults)
{
    char text[PARAM_TEXT_SIZE];
    bool is_usual = is_default(workload, rule->of, spec, defaults, text);
    g_autofree char *value = g_strconcat("|", text, "|", NULL);
    return rule->values ? strstr(rule->values, value) != NULL : !is_usual;
}

void workload_note_arguments(const struct workload *workload, const void *spec,
                             void (*note)(const char *name, bool is_read, void *argument),
                             void *argument)
{
    g_autofree void *defaults = g_malloc0(workload->params->spec_size);
    param_set_defaults(workload->params, defaults);
    const struct workload_rule *rule = workload->rules;
    while (rule && rule->name) {
        const char *name = rule->name;
        char text[PARAM_TEXT_SIZE];
        bool is_read = true;
        for (; rule->name && g_str_equal(rule->name, name); rule++)
            is_read = is_read && allows(workload, rule, spec, defaults);
        if (!is_default(workload, name, spec, defaults, text))
            note(name, is_read, argument);
    }
}

static void append_stat(const char *path, const struct stat_info *info, const char *field,
                        double value, void *lines)
{
    char text[UNIT_TEXT_SIZE];
    g_string_append_printf(lines, "%s\t%s\t%s\t%s\t%s\t%s\n", path, info->name, info->unit,
                           info->description, field ? field : "", unit_format_number(value, text));
}

/* For nodes with several NICs, the load of each NIC's cable: the share of the run's time that the cable's rate needs for the
 * bytes of the busier direction. */
static void append_ports(GString *lines, const struct cluster *cluster)
{
    static const struct stat_info info = {
        "port_use", "1", "share of the time that the busier direction of its cable carries bytes"};
    const struct platform *platform = cluster->platform;
    double time_ps = (double)sim_now(cluster->sim);
    if (topology_nic_count(&cluster->spec->node) == 1 || time_ps <= 0)
        return;
    for (size_t link = 0; link < platform_link_count(platform); link++) {
        int port = platform_cable_port(platform, link);
        platform_hop out = (platform_hop)(2 * link);
        if (port < 0)
            continue;
        int64_t bytes = MAX(transport_link_bytes(cluster->transport, out),
                            transport_link_bytes(cluster->transport, out + 1));
        double rate_Bps = (double)platform_link(platform, link)->bandwidth_Bps;
        append_stat(platform_port_name(platform, port), &info, NULL,
                    (double)bytes / rate_Bps / time_ps * (double)PS_PER_S, lines);
    }
}

void workload_observe(struct workload_result *result, struct cluster *cluster, double units)
{
    const struct sim *sim = cluster->sim;
    result->energy = run_energy_measured(cluster, units);
    workload_add_run_energy(result, &result->energy);
    param_use_join(&result->uses, &sim->uses);
    result->phases += process_system_phases(sim->processes) + cluster->drawn_parts;
    result->events += event_executed(sim->events);
    if (result->stats) {
        stat_visit(sim->stats, sim_now(sim), append_stat, result->stats);
        append_ports(result->stats, cluster);
    }
}

static struct workload_measure *add(struct workload_result *result, const char *name)
{
    check_always(result->count < WORKLOAD_MAX_MEASURES, "a workload gives at most %d measures",
                 WORKLOAD_MAX_MEASURES);
    struct workload_measure *measure = &result->measures[result->count++];
    *measure = (struct workload_measure){.name = name};
    return measure;
}

void workload_add_quantity(struct workload_result *result, const char *name, enum unit_kind unit,
                           int64_t value)
{
    struct workload_measure *measure = add(result, name);
    measure->unit = unit;
    measure->quantity = value;
}

static void add_energy(struct workload_result *result, const char *name, double energy_J,
                       bool is_modelled)
{
    double energy_fJ = energy_J * FJ_PER_J + 0.5;
    bool has_value = is_modelled && energy_fJ < (double)INT64_MAX;
    workload_add_quantity(result, name, UNIT_ENERGY, has_value ? (int64_t)energy_fJ : 0);
    result->measures[result->count - 1].is_absent = !has_value;
}

/* Adds the energy of all cores by activity. */
static void add_states(struct workload_result *result, const struct run_energy *energy)
{
    static const char *const names[AGENT_STATES] = {"energy_active", "energy_polling",
                                                    "energy_stalled", "energy_idle"};
    bool has_cores = energy->is_modelled[ENERGY_OF_SERVICE] || energy->is_modelled[ENERGY_OF_RANK];
    for (int state = 0; state < AGENT_STATES; state++)
        add_energy(result, names[state], energy->state_J[state], has_cores);
}

void workload_add_run_energy(struct workload_result *result, const struct run_energy *energy)
{
#define NAME_OF_PART(capitals, name) #name "_energy",
    static const char *const names[] = {RUN_ENERGY_PARTS(NAME_OF_PART)};
#undef NAME_OF_PART
    double sum_J = 0;
    bool has_parts = false;
    for (enum run_energy_part part = 0; part < RUN_ENERGY_PART_COUNT; part++) {
        sum_J += run_energy_J(energy, part);
        has_parts = has_parts || energy->is_modelled[part];
        add_energy(result, names[part], run_energy_J(energy, part), energy->is_modelled[part]);
    }
    add_energy(result, "energy", sum_J, has_parts);
    add_states(result, energy);
    workload_add_quantity(result, "energy_time", UNIT_TIME, (int64_t)(energy->time_ps + 0.5));
    result->measures[result->count - 1].is_absent = !has_parts;
}

static struct workload_measure *mean_of(struct workload_result *result)
{
    struct workload_measure *mean = &result->measures[result->count - 1];
    mean->is_mean = true;
    return mean;
}

static double relative_spread(const struct stat_units *units)
{
    return units != NULL && stat_spread(units) >= 0 ? stat_relative_spread(units) : -1;
}

void workload_add_mean_quantity(struct workload_result *result, const char *name,
                                enum unit_kind unit, int64_t value, const struct stat_units *units)
{
    workload_add_quantity(result, name, unit, value);
    mean_of(result)->spread = units != NULL ? stat_spread(units) : -1;
}

void workload_add_mean_rate(struct workload_result *result, const char *name, int64_t rate_Bps,
                            const struct stat_units *units)
{
    workload_add_quantity(result, name, UNIT_RATE, rate_Bps);
    mean_of(result)->spread = relative_spread(units) * (double)rate_Bps;
}

void workload_add_mean_ratio(struct workload_result *result, const char *name, double ratio,
                             const struct stat_units *units)
{
    workload_add_ratio(result, name, ratio);
    mean_of(result)->spread = relative_spread(units) * ratio;
}

void workload_add_histogram(struct workload_result *result, const char *name, enum unit_kind unit,
                            const struct stat_histogram *values)
{
    static const char *const endings[] = {"_min", "_p50", "_p99", "_max"};
    const int64_t quantities[] = {values->minimum, stat_quantile(values, 0.5),
                                  stat_quantile(values, 0.99), values->maximum};
    int64_t mean = values->count == 0 ? 0 : (int64_t)(values->sum / values->count);
    workload_add_mean_quantity(result, g_intern_string(name), unit, mean, &values->units);
    mean_of(result)->is_of_values = true;
    struct stat_groups kinds;
    if (stat_two_kinds(values, &kinds))
        mean_of(result)->kinds = kinds;
    for (size_t i = 0; i < G_N_ELEMENTS(endings); i++) {
        g_autofree char *full = g_strconcat(name, endings[i], NULL);
        workload_add_quantity(result, g_intern_string(full), unit, quantities[i]);
    }
}

static bool has_measure(const struct workload_result *result, const char *name)
{
    for (size_t i = 0; i < result->count; i++)
        if (strcmp(result->measures[i].name, name) == 0)
            return true;
    return false;
}

void workload_add_percentiles(struct workload_result *result, const char *name,
                              const struct stat_histogram *times, int64_t percentiles)
{
    for (int i = 0; percentiles_at(percentiles, i) > 0; i++) {
        char number[PERCENTILES_TEXT_SIZE];
        percentiles_format(percentiles_at(percentiles, i), number);
        g_autofree char *full = g_strdelimit(g_strconcat(name, "_p", number, NULL), ".", '_');
        if (!has_measure(result, full))
            workload_add_quantity(result, g_intern_string(full), UNIT_TIME,
                                  stat_quantile(times, percentiles_at(percentiles, i) / 1e4));
    }
}

void workload_add_ratio(struct workload_result *result, const char *name, double value)
{
    struct workload_measure *measure = add(result, name);
    measure->is_ratio = true;
    measure->ratio = value;
}
