/* SPDX-License-Identifier: BSD-3-Clause */
/* Places the ranks of a benchmark's pairs: pairs fill a socket (or two sockets, or two nodes) before the next. */
#include <glib.h>

#include "core/error.h"
#include "models/cpu/host_copy.h"
#include "models/topology.h"
#include "protocols/runtimes/messenger.h"
#include "protocols/ucx/ucx_params.h"
#include "workloads/bench/osu.h"

const char *const osu_placement_names[] = {"intra-socket", "cross-socket", "inter-node", NULL};
const char *const osu_reply_names[] = {"small", "full", NULL};
const char *const osu_buffers_names[] = {"device", "host", NULL};

/* --- what they can read ------------------------------------------------------------------------- */

static bool is_library_of(const struct machine_spec *machine, const struct design *design,
                          const struct param_table *table)
{
    const struct runtime_ops *runtime = runtime_of(design);
    return runtime_takes(runtime, table) ||
           (runtime->stands_on != NULL && runtime->stands_on(machine, design, table));
}

/* Whether each message uses only its rank's nearest NIC: the design's library spreads no transfer over several NICs. */
static bool stays_on_rail(const struct machine_spec *machine, const struct design *design)
{
    for (size_t i = 0; i < machine->part_count; i++) {
        const struct param_table *table = machine->parts[i].table;
        if (table->kind != &message_library_params || !is_library_of(machine, design, table))
            continue;
        const struct ucx_spec *library = machine_part(machine, table);
        if (library->rails > 1)
            return false;
    }
    return machine->node.nic_policy == NIC_NEAREST && machine->node.nics_per_socket > 0;
}

void osu_narrow(const struct machine_spec *machine, const void *argument, struct param_use *may)
{
    const struct osu_spec *spec = argument;
    if (design_has_shmem(&spec->design) || runtime_of(&spec->design) == NULL)
        return;
    param_uses_none(may, &gpu_params);
    param_uses_only(may, &gpu_params, "clock", "l2_latency_cycles", "memory_latency", "memory_rate",
                    "idle_power", "memory_energy", "link_energy", NULL);
    if (spec->placement != OSU_INTER_NODE) {
        param_uses_none(may, &network_params);
        param_uses_none(may, &nic_params);
    }
    if (spec->placement == OSU_INTRA_SOCKET ||
        (spec->placement == OSU_INTER_NODE && stays_on_rail(machine, &spec->design)))
        param_uses_none(may, &socket_link_params);
    if (spec->placement == OSU_CROSS_SOCKET)
        return;
    param_uses_none(may, &host_copy_params);
    param_uses_all_but(may, &host_copy_params, "cross_socket_rate", "cross_socket_handoff_rate",
                       spec->placement == OSU_INTER_NODE ? "handoff_rate" : NULL, NULL);
}

/* --- places -------------------------------------------------------------------------------------- */

/* How many pairs fit into one room (a socket, two sockets of a node or two nodes); how many rooms there are. */
struct room {
    int64_t pairs, times;
};

static struct room room_of(int64_t placement, const struct machine_spec *machine)
{
    const struct node_shape *node = &machine->node;
    if (placement == OSU_INTRA_SOCKET)
        return (struct room){node->gpus_per_socket / 2, machine->nodes * node->sockets};
    if (placement == OSU_CROSS_SOCKET)
        return (struct room){node->gpus_per_socket, machine->nodes * (node->sockets / 2)};
    return (struct room){topology_gpu_count(node), machine->nodes / 2};
}

/* Places the two ends of a pair: pair `within` of room `at`. */
static void place_pair(int64_t placement, const struct node_shape *node, int64_t at, int64_t within,
                       struct job_place *first, struct job_place *second)
{
    int64_t per_node = placement == OSU_CROSS_SOCKET ? node->sockets / 2 : node->sockets;
    int64_t gpu = within;
    if (placement == OSU_INTER_NODE) {
        *first = (struct job_place){.node = 2 * at, .gpu = (int32_t)gpu};
        *second = (struct job_place){.node = 2 * at + 1, .gpu = (int32_t)gpu};
        return;
    }
    int64_t socket = at % per_node;
    if (placement == OSU_INTRA_SOCKET)
        gpu = socket * node->gpus_per_socket + 2 * within;
    else
        gpu = 2 * socket * node->gpus_per_socket + within;
    int64_t apart = placement == OSU_INTRA_SOCKET ? 1 : node->gpus_per_socket;
    *first = (struct job_place){.node = at / per_node, .gpu = (int32_t)gpu};
    *second = (struct job_place){.node = at / per_node, .gpu = (int32_t)(gpu + apart)};
}

static bool explain(const struct osu_spec *spec, const struct machine_spec *machine, GError **error)
{
    const struct node_shape *node = &machine->node;
    const char *name = osu_placement_names[spec->placement];
    struct room room = room_of(spec->placement, machine);
    if (room.pairs * room.times > 0)
        return error_set(error,
                         "%lld pairs %s take more GPUs than there are: there is room for %lld",
                         (long long)spec->pairs, name, (long long)(room.pairs * room.times));
    if (spec->placement == OSU_INTER_NODE)
        return error_set(error, "a pair %s takes a machine of at least 2 nodes; it has %lld", name,
                         (long long)machine->nodes);
    if (spec->placement == OSU_CROSS_SOCKET)
        return error_set(error, "a pair %s takes nodes of at least 2 sockets; they have %lld", name,
                         (long long)node->sockets);
    return error_set(
        error,
        "a pair %s takes sockets of at least 2 GPUs; they have %lld (placement = inter-node takes one)",
        name, (long long)node->gpus_per_socket);
}

bool osu_place(const struct osu_spec *spec, const struct machine_spec *machine,
               struct job_place *places, GError **error)
{
    struct room room = room_of(spec->placement, machine);
    if (spec->pairs > room.pairs * room.times)
        return explain(spec, machine, error);
    for (int64_t i = 0; i < spec->pairs; i++)
        place_pair(spec->placement, &machine->node, i / room.pairs, i % room.pairs, &places[i],
                   &places[spec->pairs + i]);
    return true;
}
