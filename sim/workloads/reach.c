/* SPDX-License-Identifier: BSD-3-Clause */
#include "workloads/reach.h"

#include "fabric/platform.h"
#include "models/cp/cp.h"
#include "models/smart_nic/smart_nic.h"
#include "models/topology.h"
#include "protocols/runtimes/messenger.h"
#include "protocols/runtimes/software_tables.h"
#include "protocols/shmem/software.h"

#define MOST_DESIGNS 4

static bool is_of_runtimes(const struct param_table *table)
{
    bool found = false;
    for (const struct param_table *const *of = software_tables(); *of != NULL; of++)
        found |= *of == table && table != &software_params;
    return found;
}

static bool has_link(const struct node_shape *shape, const struct param_table *table)
{
    if (table == &nvlink_params)
        return shape->gpu_link == GPU_LINK_NVLINK || shape->peer_link != PEER_LINK_AS_GPU_LINK;
    return table != &socket_link_params || shape->sockets > 1;
}

/* Whether some run with the design may read something of the table. */
static bool may_read(const struct machine_spec *machine, const struct design *design,
                     const struct param_table *table, bool has_servers)
{
    const struct agent_kind *server = design_server_kind(design);
    if (table == &smart_nic_params || table == &cp_params)
        return has_servers || (server != NULL && server->table == table);
    return !is_of_runtimes(table) || runtime_reads(machine, design, table);
}

static void add(const struct machine_spec *machine, const struct param_table *table,
                struct param_use *may)
{
    if (table == &network_params && machine->network.topology != NETWORK_FAT_TREE)
        param_uses_all_but(may, table, "radix", "uplinks", "pod", "pod_uplinks", "routing", NULL);
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
