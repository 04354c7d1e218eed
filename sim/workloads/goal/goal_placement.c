/* SPDX-License-Identifier: BSD-3-Clause */
/* Computes places by arithmetic, and the NIC of each from the ranks already on its socket. */
#include "workloads/goal/goal_placement.h"

#include <glib.h>
#include <string.h>

#include "core/error.h"
#include "models/topology.h"

#define SPEC struct goal_placement
static const char *const devices[] = {"core", "gpu", "both", NULL};
static const char *const memories[] = {"own", "host", "gpu", NULL};
static const char *const orders[] = {"block", "round-robin", NULL};
static const struct param parameters[] = {
    PARAM_ENUM(
        device, SPEC, "core", devices,
        "What a rank calculates on: its cores, its GPU, or both: CPU stream 1 on the GPU, the "
        "others on cores."),
    PARAM_ENUM(memory, SPEC, "own", memories,
               "Where messages begin and end: memory of the rank's device (own), of its socket "
               "(host), or of its GPU (gpu)."),
    PARAM_COUNT(ranks_per_node, SPEC, "0", "0", "65536",
                "Ranks of a node, spread evenly over its GPUs or cores. If there are more ranks"
                " than GPUs, they share GPUs. 0: one rank for each GPU, or one core for each "
                "CPU stream."),
    PARAM_ENUM(order, SPEC, "block", orders,
               "block fills one node before the next; round-robin gives each node one rank in "
               "turn."),
    PARAM_DESIGN(SPEC, GOAL_DESIGN, "The design whose runtime carries the messages of the ranks."),
};
#undef SPEC
PARAM_TABLE(goal_placement_params, "placement", struct goal_placement, parameters,
            "Where the ranks of a GOAL schedule are placed on a machine (goal --placement).");
const struct param_record goal_placement_rows = {.table = &goal_placement_params};

/* --- from text ---------------------------------------------------------------------------------- */

static bool set(struct goal_placement *placement, const char *name, const char *text,
                GError **error)
{
    const struct param_table *table = &goal_placement_params;
    const struct param *param = param_find(table, name);
    if (!param)
        return error_set(
            error, "a placement has no \"%s\": it has memory, ranks_per_node, order and design",
            name);
    return param_set_text(table, param, placement, text, error);
}

bool goal_placement_parse(const char *text, const char *design, struct goal_placement *placement,
                          GError **error)
{
    g_auto(GStrv) parts = g_strsplit(text, ",", -1);
    param_set_defaults(&goal_placement_params, placement);
    if (!set(placement, "device", parts[0] ? parts[0] : "", error))
        return false;
    for (char **part = parts + 1; *part; part++) {
        char *value = strchr(*part, '=');
        if (!value)
            return error_set(error, "placement: expected key=value and found \"%s\"", *part);
        *value = '\0';
        if (!set(placement, *part, value + 1, error))
            return false;
    }
    return design == NULL || set(placement, "design", design, error);
}

/* --- onto a machine ----------------------------------------------------------------------------- */

bool goal_placement_in_gpu(const struct goal_placement *placement)
{
    return placement->memory == GOAL_GPU_MEMORY ||
           (placement->memory == GOAL_OWN_MEMORY && placement->device != GOAL_ON_CORE);
}

bool goal_placement_is_kernel(const struct goal_placement *placement, uint32_t cpu)
{
    return placement->device == GOAL_ON_GPU || (placement->device == GOAL_ON_BOTH && cpu == 1);
}

int64_t goal_placement_cores(const struct machine_spec *machine)
{
    return machine->node.sockets * machine->host.cores;
}

/* Numbers from which places are computed. */
struct placing {
    const struct goal_placement *placement;
    const struct machine_spec *machine;
    int64_t per_node; /* ranks of a full node */
    int64_t cores;    /* cores of a rank that has a GPU */
    int32_t *peers;   /* ranks so far, by node and socket */
};

static int64_t ranks_per_node(const struct goal_placement *placement,
                              const struct machine_spec *machine, uint32_t cpus)
{
    if (placement->ranks_per_node > 0)
        return placement->ranks_per_node;
    if (placement->device != GOAL_ON_CORE)
        return topology_gpu_count(&machine->node);
    return MAX(1, goal_placement_cores(machine) / cpus);
}

static bool check_room(const struct placing *placing, uint32_t ranks, uint32_t cpus, GError **error)
{
    const struct machine_spec *machine = placing->machine;
    bool on_gpu = placing->placement->device != GOAL_ON_CORE;
    int64_t cores = goal_placement_cores(machine), room = placing->per_node * machine->nodes;
    if (!on_gpu && placing->per_node > cores)
        return error_set(error,
                         "ranks_per_node=%lld: a node has %lld cores, room for as many ranks",
                         (long long)placing->per_node, (long long)cores);
    if (ranks <= room)
        return true;
    g_autofree char *each = placing->placement->ranks_per_node > 0
                                ? g_strdup("as ranks_per_node says")
                            : on_gpu    ? g_strdup("one a GPU")
                            : cpus == 1 ? g_strdup("one a core")
                                        : g_strdup_printf("with %u cores each", cpus);
    return error_set(
        error,
        "%u ranks do not fit on the machine: %lld nodes of %lld ranks, %s, have room for %lld",
        ranks, (long long)machine->nodes, (long long)placing->per_node, each, (long long)room);
}

/* Places a rank by its number within its node: on the GPU, and the next cores of the GPU's socket. */
static void place_on_gpu(const struct placing *placing, int64_t number, struct goal_place *place)
{
    const struct node_shape *shape = &placing->machine->node;
    int64_t cores = placing->machine->host.cores;
    place->at.gpu = (int32_t)(number * topology_gpu_count(shape) / placing->per_node);
    int64_t socket = topology_gpu_socket(shape, place->at.gpu);
    int64_t peers = placing->peers[place->at.node * shape->sockets + socket]++;
    place->core = (int32_t)(socket * cores + peers * placing->cores % cores);
}

static void place_on_core(const struct placing *placing, int64_t number, struct goal_place *place)
{
    int64_t cores = placing->machine->host.cores;
    place->core = (int32_t)(number * goal_placement_cores(placing->machine) / placing->per_node);
    place->at.gpu = (int32_t)(place->core * placing->machine->node.gpus_per_socket / cores);
}

static void place_rank(const struct placing *placing, uint32_t rank, struct goal_place *place)
{
    bool by_block = placing->placement->order == GOAL_BLOCK;
    int64_t nodes = placing->machine->nodes;
    place->at.node = by_block ? rank / placing->per_node : rank % nodes;
    int64_t number = by_block ? rank % placing->per_node : rank / nodes;
    if (placing->placement->device != GOAL_ON_CORE)
        place_on_gpu(placing, number, place);
    else
        place_on_core(placing, number, place);
}

struct goal_place *goal_placement_apply(const struct goal_placement *placement,
                                        const struct machine_spec *machine, uint32_t ranks,
                                        uint32_t cpus, GError **error)
{
    struct placing placing = {.placement = placement,
                              .machine = machine,
                              .per_node = ranks_per_node(placement, machine, cpus),
                              .cores = placement->device == GOAL_ON_BOTH ? cpus : 1};
    if (!machine_kinds_share(machine, &host_params, "cores", "the placement of a schedule",
                             error) ||
        !check_room(&placing, ranks, cpus, error))
        return NULL;
    struct goal_place *places = g_new0(struct goal_place, ranks);
    placing.peers = g_new0(int32_t, (gsize)(machine->nodes * machine->node.sockets));
    for (uint32_t rank = 0; rank < ranks; rank++)
        place_rank(&placing, rank, &places[rank]);
    g_free(placing.peers);
    return places;
}
