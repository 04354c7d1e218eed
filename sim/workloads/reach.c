/* SPDX-License-Identifier: BSD-3-Clause */
#include "workloads/reach.h"

#include "fabric/platform.h"
#include "fabric/transport.h"
#include "models/cp/cp.h"
#include "models/gpu/gpu.h"
#include "models/host/host.h"
#include "models/nic/nic.h"
#include "models/smart_nic/smart_nic.h"
#include "models/topology.h"
#include "protocols/runtimes/messenger.h"
#include "protocols/shmem/software.h"
#include "workloads/transfer/transfer.h"

#define MOST_DESIGNS 4

static bool is_of_runtimes(const struct param_table *table)
{
    for (size_t i = 0; i < RUNTIMES; i++)
        if (runtime_kinds[i] != NULL && runtime_takes(runtime_kinds[i], table))
            return true;
    return table->kind != NULL;
}

static bool has_table(const struct machine_spec *machine, const struct design *design,
                      const struct param_table *table)
{
    const struct runtime_ops *runtime = runtime_of(design);
    if (runtime != NULL && runtime->is_there && !runtime->is_there(machine, design, NULL))
        return true; /* the run itself reports what is missing */
    return runtime != NULL && (runtime_takes(runtime, table) ||
                               (runtime->stands_on && runtime->stands_on(machine, design, table)));
}

static bool has_link(const struct node_shape *shape, const struct param_table *table)
{
    if (table == &nvlink_params)
        return shape->gpu_link == GPU_LINK_NVLINK || shape->peer_link != PEER_LINK_AS_GPU_LINK;
    return table != &socket_link_params || shape->sockets > 1;
}

static bool serves_on(const struct design *design, enum core_pool pool)
{
    const struct agent_kind *kind = design_server_kind(design);
    return kind != NULL && kind->pool == pool;
}

/* Whether some run with the design may read something of the table. */
static bool may_read(const struct machine_spec *machine, const struct design *design,
                     const struct param_table *table, bool has_servers)
{
    if (table == &smart_nic_params)
        return has_servers || serves_on(design, CORES_OF_SMART_NIC);
    if (table == &cp_params)
        return has_servers || serves_on(design, CORES_OF_CP);
    return !is_of_runtimes(table) || has_table(machine, design, table);
}

static void add(const struct machine_spec *machine, const struct param_table *table,
                struct param_use *may)
{
    int64_t topology = machine->network.topology;
    if (table == &network_params && topology == NETWORK_DRAWN)
        param_uses_all_but(may, table, "radix", "uplinks", "pod", "pod_uplinks", NULL);
    else if (table == &network_params && !network_has_leaves(topology))
        param_uses_all_but(may, table, "radix", "uplinks", "pod", "pod_uplinks", "routing",
                           "cables", NULL);
    else if (table == &network_params)
        param_uses_all_but(may, table, "cables", NULL);
    else if (table == &transport_params && machine->transport.kind != TRANSPORT_SEGMENT)
        param_uses_all_but(may, table, "segment", "segments", NULL);
    else
        param_uses(may, table);
}

/* Adds the parameters of ranks, without work-groups that post and servers that poll: cores pass time, kernels are counted,
 * commands come with the doorbell. */
static void add_of_ranks(const struct machine_spec *machine, const struct param_table *table,
                         bool has_loops_on_cores, struct param_use *may)
{
    if (table == &nic_params)
        param_uses_all_but(may, table, "fetch_depth", NULL);
    else if (table == &gpu_params)
        param_uses_only(may, table, "clock", "compute_units", "simds_per_cu", "lanes",
                        "waves_per_cu", "work_groups_per_cu", "dispatch_gap", "wave_in_flight",
                        "instruction_cycles", "l1_latency_cycles", "l2_size", "l2_latency_cycles",
                        "memory_latency", "memory_rate", "idle_power", "memory_energy",
                        "link_energy", NULL);
    else if (table == &software_params) /* the other parameters are for queues, which ranks lack */
        param_uses_only(may, table, "exact", NULL);
    else if (table == &host_params)
        param_uses_only(may, table, "cores", "clock", "instructions_per_cycle", "software_rate",
                        "active_power", "stalled_power", "polling_power", "idle_power", NULL);
    else
        add(machine, table, may);
    if (table == &host_params && has_loops_on_cores)
        param_uses_only(may, table, "l1_size", "l2_size", "l2_latency_cycles", "l3_size",
                        "l3_latency_cycles", "memory_latency", "memory_rate", "loads_in_flight",
                        "flops_per_cycle", "bytes_per_cycle", "parallel_region", NULL);
}

/* Whether all designs pass messages between ranks, and whether the ranks of some design run loops on cores. */
static bool are_of_ranks(const struct design *const *designs, size_t count,
                         bool *have_loops_on_cores)
{
    bool are = count > 0;
    *have_loops_on_cores = false;
    for (size_t i = 0; i < count; i++) {
        are &= runtime_of(designs[i]) != NULL && designs[i]->initiator == INITIATOR_HOST;
        *have_loops_on_cores |= designs[i]->heap == MEMORY_HOST;
    }
    return are;
}

void reach_of_designs(const struct machine_spec *machine, const struct design *const *designs,
                      size_t count, bool has_servers, struct param_use *may)
{
    bool have_loops_on_cores;
    bool are_ranks = are_of_ranks(designs, count, &have_loops_on_cores) && !has_servers;
    param_uses(may, &machine_params);
    param_use_add_bits(may, &node_kind_params, UINT64_MAX);
    for (size_t i = 0; i < machine_component_count(machine); i++) {
        const struct param_table *table = machine_component(machine, i).table;
        bool is_read = count == 0;
        for (size_t k = 0; k < count; k++)
            is_read |= may_read(machine, designs[k], table, has_servers);
        if (!is_read || !has_link(&machine->node, table))
            continue;
        if (are_ranks)
            add_of_ranks(machine, table, have_loops_on_cores, may);
        else
            add(machine, table, may);
    }
}

void reach_of_workload(const struct machine_spec *machine, const struct workload *workload,
                       const void *spec, struct param_use *may)
{
    const struct design *designs[MOST_DESIGNS];
    size_t count = 0;
    bool has_servers = false; /* servers other than those of the designs */
    for (size_t i = 0; i < workload->params->count && count < MOST_DESIGNS; i++) {
        const struct param *param = &workload->params->params[i];
        if (param->choices == transfer_server_names)
            has_servers |=
                *(const int64_t *)(const void *)((const char *)spec + param->offset) != NO_SERVER;
        if (param->kind == PARAM_RECORD && param->record == &design_record)
            designs[count++] =
                (const struct design *)(const void *)((const char *)spec + param->offset);
    }
    reach_of_designs(machine, designs, count, has_servers, may);
    if (workload->narrow != NULL)
        workload->narrow(machine, spec, may);
}

void reach_of_unknown(const struct machine_spec *machine, struct param_use *may)
{
    reach_of_designs(machine, NULL, 0, true, may);
}
