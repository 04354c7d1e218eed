/* SPDX-License-Identifier: BSD-3-Clause */
/* The platform: a layout (fabric/layout.h), its routes (fabric/routes.h), and SimGrid, started when transfers first share
 * links. */
#include "fabric/platform.h"

#include <inttypes.h>
#include <string.h>

#include "core/error.h"
#include "fabric/cables.h"
#include "fabric/layout.h"
#include "fabric/platform_private.h"
#include "fabric/simgrid_adapter.h"

/* The defaults are InfiniBand EDR's data rate, and the latency of a short cable with one switch port. */
PARAM_TABLE_OF_SHARING(network_params, "network", struct network_spec, NETWORK_ROWS,
                       "The network that joins the nodes.");

/* The one platform of this process; see platform_get. */
static struct platform *the_platform;

/* --- telling two descriptions apart ----------------------------------------------------------- */

static void describe_names(GString *text, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        g_string_append_printf(text, "%s ", names[i]);
    g_string_append_c(text, '\n');
}

static void describe_links(GString *text, const struct node_link *links, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct link_spec *link = &links[i].link;
        g_string_append_printf(text, "%s %s %s %" PRId64 " %" PRId64 " %d\n", links[i].from,
                               links[i].to, link->name, link->latency_ps, link->bandwidth_Bps,
                               link->is_payload_rate);
    }
}

/* Describes how the links of each kind of nodes differ, and which nodes are of it. */
static void describe_kinds(GString *text, const struct platform_spec *spec)
{
    for (size_t i = 0; i < spec->kind_count; i++) {
        describe_links(text, spec->kinds[i].links, spec->node.link_count);
        g_string_append_printf(text, "%" PRId64 " %" PRId64 "\n", spec->kinds[i].cable.latency_ps,
                               spec->kinds[i].cable.rate_Bps);
    }
    for (int64_t node = 0; node < spec->nodes && spec->kind_of != NULL; node++)
        g_string_append_printf(text, "%d ", spec->kind_of[node]);
}

/* The whole description as text, equal only for equal descriptions. */
static GString *describe(const struct platform_spec *spec)
{
    const struct node_graph *node = &spec->node;
    struct network_spec network = spec->network;
    GString *text = g_string_new(spec->name);
    g_string_append_printf(text, " %" PRId64 " %zu\n", spec->nodes, node->end_count);
    describe_names(text, node->ports, node->port_count);
    describe_names(text, node->switches, node->switch_count);
    describe_names(text, node->gateways, node->gateway_count);
    describe_links(text, node->links, node->link_count);
    describe_kinds(text, spec);
    network.wire.byte_energy_fJ = network.cables =
        0; /* energy is not the platform's; cables follow below */
    g_string_append_len(text, (const char *)&network, sizeof network);
    if (network.topology == NETWORK_DRAWN)
        describe_links(text, spec->cables, spec->cable_count);
    return text;
}

/* --- building --------------------------------------------------------------------------------- */

struct platform *platform_get(const struct platform_spec *spec, GError **error)
{
    if (!platform_check(spec, error))
        return NULL;
    g_autoptr(GString) description = describe(spec);
    if (the_platform) {
        if (g_string_equal(description, the_platform->description))
            return the_platform;
        error_set_code(error, ERROR_TAKEN,
                       "this process holds the platform \"%s\" already, and SimGrid allows for one",
                       the_platform->name);
        return NULL;
    }
    struct layout *layout = layout_new(spec, error);
    if (layout == NULL)
        return NULL;
    struct platform *platform = g_new0(struct platform, 1);
    platform->name = g_strdup(spec->name ? spec->name : "platform");
    platform->description = g_steal_pointer(&description);
    platform->layout = layout;
    platform->routes = routes_new(platform->layout);
    return the_platform = platform;
}

bool platform_drop(void)
{
    if (platform_has_simgrid())
        return false;
    if (the_platform) {
        routes_free(the_platform->routes);
        layout_free(the_platform->layout);
        g_string_free(the_platform->description, TRUE);
        g_free(the_platform->name);
        g_free(the_platform);
    }
    the_platform = NULL;
    return true;
}

/* --- SimGrid ---------------------------------------------------------------------------------- */

/* Starts SimGrid early. An error is reported only when a flow needs it. */
void platform_prepare_simgrid(void)
{
    if (the_platform)
        adapter_start(the_platform->layout, NULL);
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

int64_t platform_link_node(const struct platform *platform, size_t link)
{
    const struct layout *layout = platform->layout;
    int64_t each = layout->node_link_count;
    return (int64_t)link < each * layout->nodes ? (int64_t)link / each : -1;
}

int platform_cable_port(const struct platform *platform, size_t link)
{
    const struct layout *layout = platform->layout;
    struct link_ends ends = layout_link_ends(layout, link);
    int first_switch = layout->nodes * layout->vertices;
    int vertex = ends.from < first_switch ? ends.from : ends.to;
    if (link < (size_t)layout->nodes * (size_t)layout->node_link_count || vertex >= first_switch)
        return -1;
    return vertex / layout->vertices * layout->ports + vertex % layout->vertices;
}

int platform_cabled_gateway(const struct platform *platform, int64_t node, int gateway)
{
    return layout_cabled_gateway(platform->layout, (int)node, gateway);
}

/* --- routes ----------------------------------------------------------------------------------- */

const struct platform_route *platform_route(struct platform *platform, int from, int to)
{
    return routes_get(platform->routes, from, -1, -1, to);
}

void platform_watch(struct platform *platform, platform_told *told, void *context)
{
    routes_watch(platform->routes, told, context);
}

const struct platform_route *platform_route_via(struct platform *platform, int from, int gateway,
                                                int to_gateway, int to)
{
    return routes_get(platform->routes, from, gateway, to_gateway, to);
}
