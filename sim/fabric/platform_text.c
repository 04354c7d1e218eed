/* SPDX-License-Identifier: BSD-3-Clause */
/* The platform as text: for Graphviz, and for SimGrid's own programs (smpirun).
 *
 * The XML does not describe the topology again: it lists the routes between all ports, by their default gateways, so that a
 * program which loads it uses the same links as this simulator. Its links have their latencies, which are this simulator's
 * events here and SimGrid's there. */
#include <inttypes.h>

#include "core/units.h"
#include "fabric/layout.h"
#include "fabric/platform_private.h"

/* --- Graphviz --------------------------------------------------------------------------------- */

static void dot_vertex(GString *dot, const struct layout *layout, int vertex, const char *shape)
{
    g_autofree char *name = layout_vertex_name(layout, vertex);
    g_string_append_printf(dot, "  \"%s\" [shape=%s];\n", name, shape);
}

static void dot_node(GString *dot, const struct layout *layout, int node)
{
    g_string_append_printf(dot, "  subgraph cluster_node%d {\n  label=\"node%d\";\n", node, node);
    for (int i = 0; i < layout->vertices; i++)
        dot_vertex(dot, layout, node * layout->vertices + i, i < layout->ports ? "box" : "circle");
    g_string_append(dot, "  }\n");
}

static void dot_link(GString *dot, const struct layout *layout, size_t link)
{
    const struct link_spec *spec = layout_link(layout, link);
    struct link_ends ends = layout_link_ends(layout, link);
    g_autofree char *from = layout_vertex_name(layout, ends.from);
    g_autofree char *to = layout_vertex_name(layout, ends.to);
    char latency[UNIT_TEXT_SIZE], bandwidth[UNIT_TEXT_SIZE];
    unit_format(spec->latency_ps, UNIT_TIME, latency);
    unit_format(spec->bandwidth_Bps, UNIT_RATE, bandwidth);
    g_string_append_printf(dot, "  \"%s\" -- \"%s\" [label=\"%s\\n%s\\n%s\", style=solid];\n", from,
                           to, spec->name, latency, bandwidth);
}

char *platform_to_dot(const struct platform *platform, bool first_node_only)
{
    const struct layout *layout = platform->layout;
    int nodes = first_node_only ? 1 : layout->nodes, first = layout->nodes * layout->vertices;
    size_t links = first_node_only ? (size_t)layout->node_link_count : layout_link_count(layout);
    GString *dot = g_string_new(NULL);
    g_string_append_printf(dot, "graph \"%s\" {\n", platform->name);
    for (int node = 0; node < nodes; node++)
        dot_node(dot, layout, node);
    for (int i = first; i < layout_vertex_count(layout) && !first_node_only; i++)
        dot_vertex(dot, layout, i, "circle");
    for (size_t link = 0; link < links; link++)
        dot_link(dot, layout, link);
    g_string_append(dot, "}\n");
    return g_string_free(dot, FALSE);
}

/* --- SimGrid ---------------------------------------------------------------------------------- */

static void xml_link(GString *xml, const struct layout *layout, size_t link)
{
    const struct link_spec *spec = layout_link(layout, link);
    g_autofree char *name = layout_link_name(layout, link);
    g_string_append_printf(xml,
                           "<link id=\"%s\" bandwidth=\"%" PRId64 "Bps\" latency=\"%" PRId64
                           "ps\" sharing_policy=\"SPLITDUPLEX\"/>\n",
                           name, spec->bandwidth_Bps, spec->latency_ps);
}

/* The use of a link in a route, in the direction of `hop`. */
static void xml_hop(GString *xml, const struct layout *layout, platform_hop hop)
{
    size_t link = (size_t)hop / 2;
    g_autofree char *name = layout_link_name(layout, link);
    const char *direction = hop % 2 ? "DOWN" : "UP";
    g_string_append_printf(xml, "<link_ctn id=\"%s\" direction=\"%s\"/>", name, direction);
}

static void xml_route(GString *xml, struct platform *platform, int from, int to)
{
    const struct platform_route *route = platform_route(platform, from, to);
    g_string_append_printf(xml, "<route src=\"%s\" dst=\"%s\" symmetrical=\"NO\">",
                           platform_port_name(platform, from), platform_port_name(platform, to));
    for (size_t i = 0; i < route->count; i++)
        xml_hop(xml, platform->layout, route->hops[i]);
    g_string_append(xml, "</route>\n");
}

char *platform_to_simgrid_xml(struct platform *platform)
{
    GString *xml = g_string_new("<?xml version=\"1.0\"?>\n"
                                "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
                                "<platform version=\"4.1\">\n"
                                "<zone id=\"network\" routing=\"Full\">\n");
    int ports = platform_port_count(platform);
    for (int port = 0; port < ports; port++)
        g_string_append_printf(xml, "<host id=\"%s\" speed=\"1Gf\"/>\n",
                               platform_port_name(platform, port));
    for (size_t link = 0; link < platform_link_count(platform); link++)
        xml_link(xml, platform->layout, link);
    for (int from = 0; from < ports; from++)
        for (int to = 0; to < ports; to++)
            if (from != to)
                xml_route(xml, platform, from, to);
    g_string_append(xml, "</zone>\n</platform>\n");
    return g_string_free(xml, FALSE);
}
