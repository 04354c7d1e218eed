/* SPDX-License-Identifier: BSD-3-Clause */
#include "workloads/reach.h"

#include "fabric/platform.h"
#include "models/cp/cp.h"
#include "models/smart_nic/smart_nic.h"
#include "models/topology.h"
#include "protocols/runtimes/messenger.h"
#include "protocols/shmem/software.h"

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
        return true; /* the run says what is missing */
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
    if (table == &software_params) /* of queues, which a runtime of ranks does not have */
        return has_servers || runtime_of(design) == NULL;
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
    else
        param_uses(may, table);
}

void reach_of_designs(const struct machine_spec *machine, const struct design *const *designs,
                      size_t count, bool has_servers, struct param_use *may)
{
    param_uses(may, &machine_params);
    for (size_t i = 0; i < machine_component_count(machine); i++) {
        const struct param_table *table = machine_component(machine, i).table;
        bool is_read = count == 0;
        for (size_t k = 0; k < count; k++)
            is_read |= may_read(machine, designs[k], table, has_servers);
        if (is_read && has_link(&machine->node, table))
            add(machine, table, may);
    }
}

void reach_of_workload(const struct machine_spec *machine, const struct workload *workload,
                       const void *spec, struct param_use *may)
{
    const struct design *designs[MOST_DESIGNS];
    size_t count = 0;
    for (size_t i = 0; i < workload->params->count && count < MOST_DESIGNS; i++) {
        const struct param *param = &workload->params->params[i];
        if (param->kind == PARAM_RECORD && param->record == &design_record)
            designs[count++] =
                (const struct design *)(const void *)((const char *)spec + param->offset);
    }
    reach_of_designs(machine, designs, count, false, may);
}

void reach_of_unknown(const struct machine_spec *machine, struct param_use *may)
{
    reach_of_designs(machine, NULL, 0, true, may);
}
