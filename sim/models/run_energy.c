/* SPDX-License-Identifier: BSD-3-Clause */
#include "models/run_energy.h"

#include <string.h>

#define J_PER_FJ 1e-15 /* joules in 1 fJ, which is 1 mW for 1 ps */

static double power_J(double power_mW, double time_ps)
{
    return power_mW * time_ps * J_PER_FJ;
}

double run_energy_J(const struct run_energy *energy, enum run_energy_part part)
{
    return energy->drawn_J[part] + power_J(energy->rest_mW[part], energy->time_ps);
}

static void drawn(struct run_energy *energy, enum run_energy_part part, double drawn_J)
{
    energy->drawn_J[part] += drawn_J;
    energy->is_modelled[part] = true;
}

void run_energy_add_state(struct run_energy *energy, enum run_energy_part part,
                          enum agent_state state, sim_time time_ps, double drawn_J)
{
    drawn(energy, part, drawn_J);
    energy->state_J[state] += drawn_J;
    energy->state_ps[state] += (double)time_ps;
}

/* --- links ------------------------------------------------------------------------------------- */

/* Bytes by link, both directions: packets of buses, and bytes that the transport has carried. */
static int64_t *link_bytes(const struct cluster *cluster)
{
    size_t links = platform_link_count(cluster->platform);
    int64_t *bytes = g_new0(int64_t, links);
    for (int64_t node = 0; node < cluster->spec->nodes; node++) {
        const struct bus *bus = cluster_made_bus(cluster, node);
        if (bus != NULL)
            bus_add_link_bytes(bus, bytes);
    }
    for (size_t link = 0; link < links; link++)
        for (int way = 0; way < 2; way++)
            bytes[link] += transport_link_bytes(cluster->transport, (platform_hop)(2 * link) + way);
    return bytes;
}

/* Bytes over the links of a kind of nodes. The network's links count with the links of no kind. */
struct bytes_carried {
    double of_kind[LINK_KINDS], by_gpus; /* by_gpus: bytes that have passed ports of GPUs */
};

static void sum_links(const struct cluster *cluster,
                      struct bytes_carried carried[1 + PLATFORM_KINDS_MOST])
{
    g_autofree int64_t *bytes = link_bytes(cluster);
    for (size_t link = 0; link < platform_link_count(cluster->platform); link++) {
        if (bytes[link] == 0)
            continue;
        const char *name = platform_link(cluster->platform, link)->name;
        int64_t node = platform_link_node(cluster->platform, link);
        struct bytes_carried *sum = &carried[node < 0 ? 0 : cluster_kind(cluster, node)];
        sum->of_kind[topology_link_kind(name)] += (double)bytes[link];
        sum->by_gpus += (double)bytes[link] * topology_link_gpus(name);
    }
}

static void add_links(struct run_energy *energy, struct cluster *cluster,
                      const struct machine_spec *spec, const struct bytes_carried *carried)
{
    /* The part that each kind of link is accounted to, and the component that has its byte_energy. */
    const struct {
        enum run_energy_part part;
        const struct param_table *table;
        const struct wire_spec *wire;
    } kinds[LINK_KINDS] = {
        [LINK_PCIE] = {ENERGY_OF_BUS, &bus_params, &spec->bus.wire},
        [LINK_NVLINK] = {ENERGY_OF_NVLINK, &nvlink_params, &spec->nvlink.wire},
        [LINK_SOCKET] = {ENERGY_OF_SOCKET_LINK, &socket_link_params, &spec->socket_link.wire},
        [LINK_NETWORK] = {ENERGY_OF_NETWORK, &network_params, &spec->network.wire},
    };
    for (enum link_kind kind = 0; kind < LINK_KINDS; kind++) {
        if (carried->of_kind[kind] == 0)
            continue;
        param_uses_only(&cluster->sim->uses, kinds[kind].table, "byte_energy", NULL);
        drawn(energy, kinds[kind].part,
              carried->of_kind[kind] * (double)kinds[kind].wire->byte_energy_fJ * J_PER_FJ);
    }
}

/* --- devices ----------------------------------------------------------------------------------- */

static void rests(struct run_energy *energy, enum run_energy_part part, int64_t devices,
                  int64_t power_mW)
{
    energy->rest_mW[part] += (double)devices * (double)power_mW;
    energy->is_modelled[part] = true;
}

/* The work that all GPUs of a kind of nodes have done. */
struct gpu_totals {
    int64_t gpus, simulated;
    double work_group_ps, lines;
};

static struct gpu_totals gpu_totals(const struct cluster *cluster, size_t kind, sim_time now_ps)
{
    struct gpu_totals totals = {0, 0, 0, 0};
    for (int64_t node = 0; node < cluster->spec->nodes; node++)
        for (int number = 0; cluster_kind(cluster, node) == kind &&
                             number < topology_gpu_count(&cluster->spec->node);
             number++) {
            const struct gpu *gpu = cluster_made_gpu(cluster, node, number);
            totals.gpus += cluster_gpu_takes_part(cluster, node, number);
            if (gpu == NULL)
                continue;
            const struct gpu_activity activity = gpu_activity(gpu, now_ps);
            totals.simulated++;
            totals.work_group_ps += (double)activity.work_group_ps;
            totals.lines += (double)activity.lines;
        }
    return totals;
}

static void add_gpus(struct run_energy *energy, struct cluster *cluster, size_t kind,
                     const struct gpu_spec *spec, sim_time now_ps, double gpu_bytes)
{
    const struct gpu_totals totals = gpu_totals(cluster, kind, now_ps);
    double lines_fJ = totals.lines * CACHE_LINE_BYTES * (double)spec->memory_energy_fJ;
    double port_fJ = gpu_bytes * (double)(spec->memory_energy_fJ + spec->link_energy_fJ);
    if (totals.gpus == 0)
        return;
    param_uses_only(&cluster->sim->uses, &gpu_params, "idle_power", NULL);
    if (totals.lines > 0 || gpu_bytes > 0)
        param_uses_only(&cluster->sim->uses, &gpu_params, "memory_energy", NULL);
    if (gpu_bytes > 0)
        param_uses_only(&cluster->sim->uses, &gpu_params, "link_energy", NULL);
    rests(energy, ENERGY_OF_GPU_IDLE, totals.gpus, spec->idle_power_mW);
    if (totals.simulated > 0 || gpu_bytes > 0) /* else what a core does there is not counted */
        drawn(energy, ENERGY_OF_GPU_MEMORY, (lines_fJ + port_fJ) * J_PER_FJ);
    if (totals.work_group_ps == 0)
        return;
    param_uses_only(&cluster->sim->uses, &gpu_params, "spin_power", NULL);
    drawn(energy, ENERGY_OF_WORK_GROUP, power_J((double)spec->spin_power_mW, totals.work_group_ps));
}

/* Whether the NICs have taken part. */
static bool have_commands(const struct cluster *cluster)
{
    int64_t commands = 0;
    for (size_t kind = 0; kind <= cluster->spec->kind_count; kind++)
        commands += nic_network_totals(cluster->nics, kind).commands;
    return commands > 0;
}

static void add_nics(struct run_energy *energy, struct cluster *cluster, size_t kind,
                     const struct machine_spec *machine)
{
    const struct nic_spec *spec = &machine->nic;
    const struct nic_totals totals = nic_network_totals(cluster->nics, kind);
    if (totals.nics == 0)
        return;
    double busy_ps = (double)totals.commands * (double)spec->command_gap_ps +
                     (double)totals.payload_bytes / (double)machine->network.wire.rate_Bps * 1e12;
    param_uses_only(&cluster->sim->uses, &nic_params, "idle_power", "active_power", "command_gap",
                    NULL);
    param_uses_only(&cluster->sim->uses, &network_params, "rate", NULL);
    rests(energy, ENERGY_OF_NIC, totals.nics, spec->idle_power_mW);
    drawn(energy, ENERGY_OF_NIC, power_J((double)spec->active_power_mW, 2 * busy_ps));
}

/* --- the measured part -------------------------------------------------------------------------- */

struct source {
    run_energy_source *add;
    const void *cores;
};

struct run_energy_meter {
    GArray *sources; /* struct source */
    struct run_energy before, after, again;
    bool has_ended;
};

static struct run_energy_meter *meter_of(struct cluster *cluster)
{
    if (cluster->energy == NULL) {
        cluster->energy = g_new0(struct run_energy_meter, 1);
        cluster->energy->sources = g_array_new(FALSE, FALSE, sizeof(struct source));
    }
    return cluster->energy;
}

void run_energy_meter_free(struct run_energy_meter *meter)
{
    if (meter == NULL)
        return;
    g_array_unref(meter->sources);
    g_free(meter);
}

void run_energy_add_source(struct cluster *cluster, run_energy_source *add, const void *cores)
{
    const struct source source = {add, cores};
    g_array_append_val(meter_of(cluster)->sources, source);
}

/* The energy drawn since the start of the simulation. */
static struct run_energy reading(struct cluster *cluster, sim_time now_ps)
{
    struct run_energy energy = {.time_ps = (double)now_ps};
    const GArray *sources = meter_of(cluster)->sources;
    struct bytes_carried carried[1 + PLATFORM_KINDS_MOST] = {0};
    bool has_nics = have_commands(cluster);
    sum_links(cluster, carried);
    for (size_t kind = 0; kind <= cluster->spec->kind_count; kind++) {
        const struct machine_spec *spec = kind > 0 ? &cluster->kinds[kind - 1] : cluster->spec;
        add_links(&energy, cluster, spec, &carried[kind]);
        add_gpus(&energy, cluster, kind, &spec->gpu, now_ps, carried[kind].by_gpus);
        if (has_nics)
            add_nics(&energy, cluster, kind, spec);
    }
    for (guint i = 0; i < sources->len; i++) {
        const struct source *source = &g_array_index(sources, struct source, i);
        source->add(source->cores, now_ps, &energy);
    }
    return energy;
}

void run_energy_begins(struct cluster *cluster, sim_time now_ps)
{
    meter_of(cluster)->before = reading(cluster, now_ps);
}

const struct run_energy *run_energy_ends(struct cluster *cluster, sim_time now_ps)
{
    meter_of(cluster)->after = reading(cluster, now_ps);
    cluster->energy->has_ended = true;
    return &cluster->energy->after;
}

/* Adds the energy drawn between two readings, multiplied by `times`. */
static void add_between(struct run_energy *energy, const struct run_energy *from,
                        const struct run_energy *to, double times)
{
    energy->time_ps += (to->time_ps - from->time_ps) * times;
    for (int part = 0; part < RUN_ENERGY_PART_COUNT; part++)
        energy->drawn_J[part] += (to->drawn_J[part] - from->drawn_J[part]) * times;
    for (int state = 0; state < AGENT_STATES; state++) {
        energy->state_J[state] += (to->state_J[state] - from->state_J[state]) * times;
        energy->state_ps[state] += (to->state_ps[state] - from->state_ps[state]) * times;
    }
}

void run_energy_again(struct cluster *cluster, const struct run_energy *from,
                      const struct run_energy *to, int64_t times)
{
    add_between(&meter_of(cluster)->again, from, to, (double)times);
}

struct run_energy run_energy_measured(struct cluster *cluster, double units)
{
    const struct run_energy_meter *meter = meter_of(cluster);
    if (!meter->has_ended)
        run_energy_ends(cluster, sim_now(cluster->sim));
    const struct run_energy nothing = {0};
    struct run_energy energy = {0};
    memcpy(energy.rest_mW, meter->after.rest_mW, sizeof energy.rest_mW);
    memcpy(energy.is_modelled, meter->after.is_modelled, sizeof energy.is_modelled);
    add_between(&energy, &meter->before, &meter->after, 1 / units);
    add_between(&energy, &nothing, &meter->again, 1 / units);
    return energy;
}
