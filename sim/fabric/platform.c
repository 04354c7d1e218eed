/* The platform: a layout (fabric/layout.h) that is also built in SimGrid, and the routes read back.
 *
 * SimGrid says which links a route has; in which direction each is passed follows from the links'
 * ends, walking from the port on. Latencies are ours alone: SimGrid's links have none. */
#include "fabric/platform.h"

#include <inttypes.h>
#include <string.h>

#include "core/check.h"
#include "fabric/layout.h"
#include "fabric/platform_check.h"
#include "fabric/platform_private.h"
#include "fabric/simgrid_adapter.h"

static const char *const topologies[] = {"star", "fat-tree", "full", "drawn", NULL};
static const char *const sharings[] = {"split-duplex", "shared", "fat-pipe", NULL};

/* By default InfiniBand EDR's data rate, and a short cable with one switch's port. */
static const struct param parameters[] = {
    PARAM_ENUM(
        topology, struct network_spec, "star", topologies,
        "How the nodes are joined: star (one switch), fat-tree (leaf switches under spines), "
        "full (a cable between every two nodes) or drawn (cable by cable)."),
    PARAM_TIME(latency, struct network_spec, "150ns", "0", "1s",
               "Latency of one cable, with the switch's port at its end."),
    PARAM_RATE(rate, struct network_spec, "12.5GB/s", "1B/s", "1000TB/s",
               "Bandwidth of one cable, per direction."),
    PARAM_COUNT(radix, struct network_spec, "18", "1", "65536",
                "Nodes at a leaf switch of a fat tree."),
    PARAM_COUNT(uplinks, struct network_spec, "18", "1", "65536",
                "Cables from a leaf switch of a fat tree upwards, each to a spine of its own."),
    PARAM_ENUM(sharing, struct network_spec, "split-duplex", sharings,
               "How a cable is shared: split-duplex (full rate each way), shared (both ways share "
               "it) or fat-pipe (full rate for every transfer)."),
};
PARAM_TABLE(network_params, "network", struct network_spec, parameters,
            "The network that joins the nodes.");

G_DEFINE_QUARK(gpunetsim - platform - error, platform_error)

/* The one platform of this process; see platform_get. */
static struct platform *the_platform;

/* --- telling two descriptions apart ----------------------------------------------------------- */

static void describe_link(GString *text, const char *from, const char *to,
                          const struct link_spec *link)
{
    g_string_append_printf(text, "%s %s %s %" PRId64 " %" PRId64 " %d\n", from, to, link->name,
                           link->latency_ps, link->bandwidth_Bps, (int)link->sharing);
}

/* The whole description as text: equal for equal descriptions only. */
static char *describe(const struct platform_spec *spec)
{
    const struct node_graph *node = &spec->node;
    const struct network_spec *network = &spec->network;
    GString *text = g_string_new(NULL);
    g_string_append_printf(text, "%s %" PRId64 " %zu %zu %s\n", spec->name ? spec->name : "",
                           spec->nodes, node->port_count, node->link_count,
                           node->gateway ? node->gateway : "");
    for (size_t i = 0; i < node->port_count; i++)
        g_string_append_printf(text, "%s\n", node->ports[i]);
    for (size_t i = 0; i < node->switch_count; i++)
        g_string_append_printf(text, "%s\n", node->switches[i]);
    for (size_t i = 0; i < node->link_count; i++)
        describe_link(text, node->links[i].from, node->links[i].to, &node->links[i].link);
    g_string_append_printf(
        text, "%" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 "\n",
        network->topology, network->latency_ps, network->rate_Bps, network->radix, network->uplinks,
        network->sharing);
    if (network->topology == NETWORK_DRAWN)
        for (size_t i = 0; i < spec->cable_count; i++)
            describe_link(text, spec->cables[i].from, spec->cables[i].to, &spec->cables[i].link);
    return g_string_free(text, FALSE);
}

/* --- building --------------------------------------------------------------------------------- */

static void route_free(gpointer data)
{
    struct platform_route *route = data;
    g_free((gpointer)(uintptr_t)route->hops);
    g_free(route);
}

/* Whatever comes of it, SimGrid's engine is used up: `the_platform` is set either way, and keeps
 * the layout that the engine refers to. */
static bool build(struct platform *platform, GError **error)
{
    char why[256];
    the_platform = platform;
    platform->usable = adapter_build(platform->layout, why, sizeof why);
    if (!platform->usable)
        g_set_error(error, PLATFORM_ERROR, PLATFORM_ERROR_SIMGRID,
                    "SimGrid does not build the platform \"%s\": %s", platform->name, why);
    return platform->usable;
}

struct platform *platform_get(const struct platform_spec *spec, GError **error)
{
    if (!platform_check(spec, error))
        return NULL;
    char *description = describe(spec);
    if (the_platform) {
        bool same = the_platform->usable && strcmp(description, the_platform->description) == 0;
        g_free(description);
        if (same)
            return the_platform;
        g_set_error(error, PLATFORM_ERROR, PLATFORM_ERROR_TAKEN,
                    "this process holds the platform \"%s\" already, and SimGrid allows for one",
                    the_platform->name);
        return NULL;
    }
    struct platform *platform = g_new0(struct platform, 1);
    platform->name = g_strdup(spec->name ? spec->name : "platform");
    platform->description = description;
    platform->layout = layout_new(spec);
    platform->routes = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, route_free);
    return build(platform, error) ? platform : NULL;
}

const char *platform_simgrid_version(void)
{
    return adapter_simgrid_version();
}

/* --- ports and links -------------------------------------------------------------------------- */

int platform_port(const struct platform *platform, int64_t node, const char *name)
{
    const struct layout *layout = platform->layout;
    if (node < 0 || node >= layout->nodes)
        return -1;
    for (int slot = 0; slot < layout->ports; slot++)
        if (strcmp(layout->names[slot], name) == 0)
            return (int)node * layout->ports + slot;
    return -1;
}

int platform_port_count(const struct platform *platform)
{
    return platform->layout->nodes * platform->layout->ports;
}

int platform_slot_count(const struct platform *platform)
{
    return platform->layout->ports;
}

const char *platform_port_name(const struct platform *platform, int port)
{
    g_autofree char *name =
        layout_vertex_name(platform->layout, layout_port_vertex(platform->layout, port));
    return g_string_chunk_insert_const(platform->layout->strings, name);
}

size_t platform_link_count(const struct platform *platform)
{
    return layout_link_count(platform->layout);
}

const struct link_spec *platform_link(const struct platform *platform, size_t link)
{
    return layout_link(platform->layout, link);
}

/* --- routes ----------------------------------------------------------------------------------- */

/* Directions, latency and bandwidth of a route whose hops are bare link numbers so far. */
static void walk_route(const struct layout *layout, struct platform_route *route,
                       platform_hop *hops, int vertex)
{
    for (size_t i = 0; i < route->count; i++) {
        size_t link = (size_t)hops[i];
        struct link_ends ends = layout_link_ends(layout, link);
        check_always(ends.from == vertex || ends.to == vertex, "link %zu does not continue a route",
                     link);
        bool backwards = ends.from != vertex;
        hops[i] = (platform_hop)(2 * link + backwards);
        vertex = backwards ? ends.from : ends.to;
        const struct link_spec *spec = layout_link(layout, link);
        route->latency_ps += spec->latency_ps;
        route->bandwidth_Bps = MIN(route->bandwidth_Bps, spec->bandwidth_Bps);
    }
}

static struct platform_route *read_route(const struct platform *platform, int from, int to)
{
    struct platform_route *route = g_new0(struct platform_route, 1);
    route->bandwidth_Bps = INT64_MAX;
    if (from == to)
        return route;
    int32_t few[64];
    route->count = adapter_route(from, to, few, G_N_ELEMENTS(few));
    platform_hop *hops = g_new(platform_hop, route->count);
    if (route->count <= G_N_ELEMENTS(few))
        memcpy(hops, few, route->count * sizeof *hops);
    else
        adapter_route(from, to, hops, route->count);
    walk_route(platform->layout, route, hops, layout_port_vertex(platform->layout, from));
    route->hops = hops;
    return route;
}

const struct platform_route *platform_route(struct platform *platform, int from, int to)
{
    int ports = platform_port_count(platform);
    check_always(from >= 0 && from < ports && to >= 0 && to < ports,
                 "no route from port %d to port %d of %d", from, to, ports);
    int64_t key = (int64_t)from * ports + to;
    struct platform_route *route = g_hash_table_lookup(platform->routes, &key);
    if (!route) {
        route = read_route(platform, from, to);
        g_hash_table_insert(platform->routes, g_memdup2(&key, sizeof key), route);
    }
    return route;
}
