/* SPDX-License-Identifier: BSD-3-Clause */
/* The numbering of vertices and links, and the cables of the generated networks. */
#include "fabric/layout.h"

#include <string.h>

#include "core/check.h"
#include "core/error.h"

/* --- one node --------------------------------------------------------------------------------- */

static int find_name(const struct layout *layout, const char *name)
{
    int i = 0;
    while (i < layout->vertices && strcmp(layout->names[i], name) != 0)
        i++;
    check_always(i < layout->vertices, "a node has no \"%s\"", name);
    return i;
}

static struct link_spec own_link(struct layout *layout, const struct link_spec *link)
{
    struct link_spec own = *link;
    own.name = g_string_chunk_insert(layout->strings, link->name);
    return own;
}

static void lay_out_links(struct layout *layout, const struct node_link *links, size_t kind)
{
    struct link_spec *own = layout->node_links + kind * (size_t)layout->node_link_count;
    for (int i = 0; i < layout->node_link_count; i++)
        own[i] = own_link(layout, &links[i].link);
}

/* Lays out the parts in which kinds of nodes differ. */
static void lay_out_kinds(struct layout *layout, const struct platform_spec *spec)
{
    size_t kinds = 1 + spec->kind_count;
    layout->node_links = g_new(struct link_spec, kinds * spec->node.link_count);
    layout->wires = g_new(struct wire_spec, kinds);
    layout->wires[0] = spec->network.wire;
    lay_out_links(layout, spec->node.links, 0);
    for (size_t i = 0; i < spec->kind_count; i++) {
        layout->wires[1 + i] = spec->kinds[i].cable;
        lay_out_links(layout, spec->kinds[i].links, 1 + i);
    }
    layout->kind_of = spec->kind_of ? g_memdup2(spec->kind_of, (gsize)spec->nodes) : NULL;
}

static int kind_of_node(const struct layout *layout, size_t node)
{
    return layout->kind_of ? layout->kind_of[node] : 0;
}

static void lay_out_node(struct layout *layout, const struct node_graph *graph)
{
    layout->ports = (int)graph->port_count;
    layout->vertices = (int)(graph->port_count + graph->switch_count);
    layout->names = g_new(const char *, (size_t)layout->vertices);
    for (int i = 0; i < layout->vertices; i++)
        layout->names[i] = g_string_chunk_insert(
            layout->strings,
            i < layout->ports ? graph->ports[i] : graph->switches[i - layout->ports]);
    layout->first_end = (int)(graph->port_count - graph->end_count);
    layout->gateway_count = (int)graph->gateway_count;
    layout->gateways = g_new(int, graph->gateway_count);
    for (size_t i = 0; i < graph->gateway_count; i++)
        layout->gateways[i] = find_name(layout, graph->gateways[i]);

    layout->node_link_count = (int)graph->link_count;
    layout->node_ends = g_new(struct link_ends, graph->link_count);
    for (size_t i = 0; i < graph->link_count; i++) {
        const struct node_link *drawn = &graph->links[i];
        layout->node_ends[i] =
            (struct link_ends){find_name(layout, drawn->from), find_name(layout, drawn->to)};
    }
}

/* --- the network ------------------------------------------------------------------------------ */

static void add_switch(struct layout *layout, const char *name)
{
    g_ptr_array_add(layout->switch_names, g_string_chunk_insert(layout->strings, name));
}

static void add_switches(struct layout *layout, const char *prefix, int count)
{
    for (int i = 0; i < count; i++) {
        g_autofree char *name = g_strdup_printf("%s%d", prefix, i);
        add_switch(layout, name);
    }
}

static void add_wire(struct layout *layout, int from, int to, struct wire_spec wire,
                     const char *format, ...) G_GNUC_PRINTF(5, 6);
static void add_wire(struct layout *layout, int from, int to, struct wire_spec wire,
                     const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    g_autofree char *name = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    struct link_spec link = {g_string_chunk_insert(layout->strings, name), wire.latency_ps,
                             wire.rate_Bps, false};
    struct link_ends ends = {from, to};
    g_array_append_val(layout->cables, link);
    g_array_append_val(layout->cable_ends, ends);
}

/* Adds a cable between two switches, with the rate and latency that `network` gives to all cables. */
#define ADD_CABLE(layout, from, to, ...)                                                           \
    add_wire(layout, switch_vertex(layout, from), switch_vertex(layout, to),                       \
             (layout)->network.wire, __VA_ARGS__)

/* The name of a node's cable: "cable-node3", or "cable-node3-nic1" if a node has several. */
static char *node_cable_name(const struct layout *layout, int node, int gateway)
{
    if (layout->gateway_count == 1)
        return g_strdup_printf("cable-node%d", node);
    return g_strdup_printf("cable-node%d-%s", node, layout->names[layout->gateways[gateway]]);
}

/* The vertex of a node's gateway, from 0. */
static int gateway_vertex(const struct layout *layout, int node, int gateway)
{
    return node * layout->vertices + layout->gateways[gateway];
}

/* The vertex of a switch of the network. */
static int switch_vertex(const struct layout *layout, int network_switch)
{
    return layout->nodes * layout->vertices + network_switch;
}

int layout_leaf(const struct layout *layout, int node, int gateway)
{
    int group = node / (int)layout->network.radix;
    bool has_rails = layout->network.topology == NETWORK_RAIL_TREE;
    return has_rails ? group * layout->gateway_count + gateway : group;
}

/* Adds the cables from each gateway of each node to its switch. */
static void add_node_cables(struct layout *layout)
{
    bool is_star = layout->network.topology == NETWORK_STAR;
    for (int node = 0; node < layout->nodes; node++)
        for (int gateway = 0; gateway < layout->gateway_count; gateway++) {
            g_autofree char *name = node_cable_name(layout, node, gateway);
            add_wire(layout, gateway_vertex(layout, node, gateway),
                     switch_vertex(layout, is_star ? 0 : layout_leaf(layout, node, gateway)),
                     layout->wires[kind_of_node(layout, (size_t)node)], "%s", name);
        }
}

static void lay_out_star(struct layout *layout)
{
    add_switch(layout, "switch0");
    add_node_cables(layout);
}

/* Adds the switches of a tree: with two levels "spine3", with three "pod1-spine3" and "core3-0". */
static void add_tree_switches(struct layout *layout)
{
    int spines = (int)layout->network.uplinks, cores = (int)layout->network.pod_uplinks;
    add_switches(layout, "leaf", layout->leaves);
    if (layout->pods == 1) {
        add_switches(layout, "spine", spines);
        return;
    }
    for (int pod = 0; pod < layout->pods; pod++) {
        g_autofree char *prefix = g_strdup_printf("pod%d-spine", pod);
        add_switches(layout, prefix, spines);
    }
    for (int spine = 0; spine < spines; spine++) {
        g_autofree char *prefix = g_strdup_printf("core%d-", spine);
        add_switches(layout, prefix, cores);
    }
}

/* Adds the cables from each spine of each pod to the cores with its number. */
static void add_core_cables(struct layout *layout)
{
    int spines = (int)layout->network.uplinks, cores = (int)layout->network.pod_uplinks;
    int first_core = layout->leaves + layout->pods * spines;
    for (int pod = 0; pod < layout->pods; pod++)
        for (int spine = 0; spine < spines; spine++)
            for (int core = 0; core < cores; core++)
                ADD_CABLE(layout, layout->leaves + pod * spines + spine,
                          first_core + spine * cores + core, "cable-pod%d-spine%d-core%d", pod,
                          spine, core);
}

static void lay_out_fat_tree(struct layout *layout)
{
    int spines = (int)layout->network.uplinks;
    layout->leaves = layout_leaf(layout, layout->nodes - 1, layout->gateway_count - 1) + 1;
    int pod = layout->network.pod > 0 ? (int)layout->network.pod : layout->leaves;
    layout->pods = (layout->leaves + pod - 1) / pod;
    add_tree_switches(layout);
    add_node_cables(layout);
    layout->leaf_cables = (int)layout->cables->len;
    for (int leaf = 0; leaf < layout->leaves; leaf++)
        for (int spine = 0; spine < spines; spine++)
            ADD_CABLE(layout, leaf, layout->leaves + leaf / pod * spines + spine,
                      "cable-leaf%d-spine%d", leaf, spine);
    if (layout->pods > 1)
        add_core_cables(layout);
}

static void add_local_cables(struct layout *layout, int group)
{
    int routers = layout->dragonfly.routers, first = group * routers;
    for (int from = 0; from < routers; from++)
        for (int to = from + 1; to < routers; to++)
            ADD_CABLE(layout, first + from, first + to, "cable-group%d-router%d-router%d", group,
                      from, to);
}

static void add_global_cables(struct layout *layout, int from, int to)
{
    const struct dragonfly *dragonfly = &layout->dragonfly;
    for (int copy = 0; copy < dragonfly->copies; copy++)
        ADD_CABLE(layout, dragonfly_exit(dragonfly, from, to, copy),
                  dragonfly_exit(dragonfly, to, from, copy), "cable-group%d-group%d-%d", from, to,
                  copy);
}

static void lay_out_dragonfly(struct layout *layout)
{
    struct dragonfly *dragonfly = &layout->dragonfly;
    *dragonfly = dragonfly_of(&layout->network, layout->nodes);
    for (int group = 0; group < dragonfly->groups; group++) {
        g_autofree char *prefix = g_strdup_printf("group%d-router", group);
        add_switches(layout, prefix, dragonfly->routers);
    }
    add_node_cables(layout);
    dragonfly->local_cables = (int)layout->cables->len;
    for (int group = 0; group < dragonfly->groups; group++)
        add_local_cables(layout, group);
    dragonfly->global_cables = (int)layout->cables->len;
    for (int from = 0; from < dragonfly->groups; from++)
        for (int to = from + 1; to < dragonfly->groups; to++)
            add_global_cables(layout, from, to);
}

static void lay_out_full(struct layout *layout)
{
    for (int from = 0; from < layout->nodes; from++)
        for (int to = from + 1; to < layout->nodes; to++) {
            struct wire_spec wire = layout->wires[kind_of_node(layout, (size_t)from)],
                             other = layout->wires[kind_of_node(layout, (size_t)to)];
            wire.rate_Bps = MIN(wire.rate_Bps, other.rate_Bps);
            wire.latency_ps = MAX(wire.latency_ps, other.latency_ps);
            add_wire(layout, gateway_vertex(layout, from, 0), gateway_vertex(layout, to, 0), wire,
                     "cable-node%d-node%d", from, to);
        }
}

/* --- a hand-drawn network ---------------------------------------------------------------------- */

/* Names become parts of SimGrid's and of Graphviz's names: a dot would make them ambiguous. */
static bool name_usable(const char *name, GError **error)
{
    if (!name || !*name)
        return error_set(error, "a port, switch or link has no name");
    for (const char *c = name; *c; c++)
        if (!g_ascii_isalnum(*c) && *c != '-' && *c != '_')
            return error_set(
                error, "the name \"%s\" has characters other than letters, digits, - and _", name);
    return true;
}

/* Whether a name is that of a gateway: "node12.nic1", or "node12" for the first, whose *gateway is NULL. */
static bool is_gateway_name(const char *name, int *node, const char **gateway)
{
    guint64 number;
    const char *dot = strchr(name, '.');
    g_autofree char *first = dot ? g_strndup(name, (gsize)(dot - name)) : g_strdup(name);
    if (!g_str_has_prefix(first, "node") ||
        !g_ascii_string_to_unsigned(first + 4, 10, 0, INT32_MAX, &number, NULL))
        return false;
    *node = (int)number;
    *gateway = dot ? dot + 1 : NULL;
    return true;
}

/* The number of a node's gateway called `name` (NULL: the first); the number of gateways if there is none. */
static int gateway_number(const struct layout *layout, const char *name)
{
    int number = 0;
    while (name != NULL && number < layout->gateway_count &&
           strcmp(layout->names[layout->gateways[number]], name) != 0)
        number++;
    return number;
}

/* Finds the vertex that a cable's end names; switches are numbered as they are first named. */
static bool cable_end(struct layout *layout, GHashTable *switches, const char *name, int *vertex,
                      GError **error)
{
    int node;
    const char *gateway;
    gpointer known;
    if (name != NULL && is_gateway_name(name, &node, &gateway)) {
        int number = gateway_number(layout, gateway);
        if (node >= layout->nodes)
            return error_set(error, "a cable leads to \"%s\", but there are %d nodes, from node0",
                             name, layout->nodes);
        if (number == layout->gateway_count)
            return error_set(error,
                             "a cable leads to \"%s\", but a node has no port \"%s\" for cables",
                             name, gateway);
        *vertex = gateway_vertex(layout, node, number);
        return true;
    }
    if (!name_usable(name, error))
        return false;
    if (!g_hash_table_lookup_extended(switches, name, NULL, &known)) {
        known = GINT_TO_POINTER((int)layout->switch_names->len);
        add_switch(layout, name);
        g_hash_table_insert(switches,
                            g_ptr_array_index(layout->switch_names, GPOINTER_TO_INT(known)), known);
    }
    *vertex = switch_vertex(layout, GPOINTER_TO_INT(known));
    return true;
}

/* Lays out a cable with a name of its own and two different ends. */
static bool lay_out_cable(struct layout *layout, const struct node_link *cable, GHashTable *names,
                          GHashTable *switches, GError **error)
{
    struct link_ends ends = {0, 0};
    if (!name_usable(cable->link.name, error))
        return false;
    struct link_spec link = own_link(layout, &cable->link);
    if (!g_hash_table_add(names, (gpointer)(uintptr_t)link.name))
        return error_set(error, "the name \"%s\" is used twice", link.name);
    if (!cable_end(layout, switches, cable->from, &ends.from, error) ||
        !cable_end(layout, switches, cable->to, &ends.to, error))
        return false;
    if (ends.from == ends.to)
        return error_set(error, "cable \"%s\" leads from \"%s\" to itself", link.name, cable->from);
    g_array_append_val(layout->cables, link);
    g_array_append_val(layout->cable_ends, ends);
    return true;
}

/* Joined vertices have the same root. */
static int root_of(int *parents, int vertex)
{
    while (parents[vertex] != vertex)
        vertex = parents[vertex] = parents[parents[vertex]];
    return vertex;
}

/* Notes the gateways that cables lead to, unless these are all, and joins what cables join. */
static void note_cabled(struct layout *layout, int *parents)
{
    int all = layout->nodes * layout->gateway_count, count = 0;
    g_autofree bool *is_end = g_new0(bool, (gsize)layout_vertex_count(layout));
    g_autofree bool *cabled = g_new(bool, (gsize)all);
    for (int i = 0; i < layout_vertex_count(layout); i++)
        parents[i] = i;
    for (guint i = 0; i < layout->cable_ends->len; i++) {
        struct link_ends ends = g_array_index(layout->cable_ends, struct link_ends, i);
        is_end[ends.from] = is_end[ends.to] = true;
        parents[root_of(parents, ends.from)] = root_of(parents, ends.to);
    }
    for (int i = 0; i < all; i++) {
        cabled[i] =
            is_end[gateway_vertex(layout, i / layout->gateway_count, i % layout->gateway_count)];
        count += cabled[i];
    }
    if (count < all)
        layout->cabled = g_steal_pointer(&cabled);
}

/* Whether a gateway has to have cables: one without any is out of use, unless its node has no other with some. */
static bool needs_cable(const struct layout *layout, int gateway)
{
    const bool *cabled = layout->cabled;
    int count = layout->gateway_count, first = gateway / count * count;
    if (cabled == NULL || cabled[gateway])
        return true;
    for (int other = first; other < first + count; other++)
        if (cabled[other])
            return false;
    return gateway == first;
}

/* Reports that no cables lead from the first gateway in use to this one. */
static bool refuse_apart(const struct layout *layout, int first, int gateway, GError **error)
{
    int count = layout->gateway_count;
    if (count == 1)
        return error_set(error, "no cables join node0 to node%d", gateway);
    return error_set(error, "no cables join node%d.%s to node%d.%s", first / count,
                     layout->names[layout->gateways[first % count]], gateway / count,
                     layout->names[layout->gateways[gateway % count]]);
}

/* Whether cables join all gateways in use and all switches. */
static bool are_joined(const struct layout *layout, int *parents, GError **error)
{
    int count = layout->gateway_count, first = 0;
    while (!needs_cable(layout, first))
        first++;
    int root = root_of(parents, gateway_vertex(layout, first / count, first % count));
    for (int i = first + 1; i < layout->nodes * count; i++)
        if (needs_cable(layout, i) &&
            root_of(parents, gateway_vertex(layout, i / count, i % count)) != root)
            return refuse_apart(layout, first, i, error);
    for (int i = 0; i < (int)layout->switch_names->len; i++)
        if (root_of(parents, switch_vertex(layout, i)) != root)
            return error_set(error, "some switches of the network lead to no node");
    return true;
}

static bool lay_out_drawn(struct layout *layout, const struct platform_spec *spec, GError **error)
{
    g_autoptr(GHashTable) names = g_hash_table_new(g_str_hash, g_str_equal);
    g_autoptr(GHashTable) switches = g_hash_table_new(g_str_hash, g_str_equal);
    for (size_t i = 0; i < spec->cable_count; i++)
        if (!lay_out_cable(layout, &spec->cables[i], names, switches, error))
            return false;
    g_autofree int *parents = g_new(int, (gsize)layout_vertex_count(layout));
    note_cabled(layout, parents);
    return are_joined(layout, parents, error);
}

static bool lay_out_network(struct layout *layout, const struct platform_spec *spec, GError **error)
{
    layout->network = spec->network;
    layout->switch_names = g_ptr_array_new();
    layout->cables = g_array_new(FALSE, FALSE, sizeof(struct link_spec));
    layout->cable_ends = g_array_new(FALSE, FALSE, sizeof(struct link_ends));
    if (layout->nodes == 1)
        return true;
    switch ((enum network_topology)spec->network.topology) {
    case NETWORK_STAR:
        lay_out_star(layout);
        break;
    case NETWORK_FAT_TREE:
    case NETWORK_RAIL_TREE:
        lay_out_fat_tree(layout);
        break;
    case NETWORK_DRAGONFLY:
        lay_out_dragonfly(layout);
        break;
    case NETWORK_FULL:
        lay_out_full(layout);
        break;
    case NETWORK_DRAWN:
        return lay_out_drawn(layout, spec, error);
    }
    return true;
}

/* --- making and asking ------------------------------------------------------------------------ */

struct layout *layout_new(const struct platform_spec *spec, GError **error)
{
    struct layout *layout = g_new0(struct layout, 1);
    layout->strings = g_string_chunk_new(4096);
    layout->nodes = (int)spec->nodes;
    lay_out_node(layout, &spec->node);
    lay_out_kinds(layout, spec);
    if (lay_out_network(layout, spec, error))
        return layout;
    layout_free(layout);
    return NULL;
}

int layout_cabled_gateway(const struct layout *layout, int node, int gateway)
{
    const bool *cabled = layout->cabled ? &layout->cabled[node * layout->gateway_count] : NULL;
    while (cabled != NULL && !cabled[gateway])
        gateway = (gateway + 1) % layout->gateway_count;
    return gateway;
}

void layout_free(struct layout *layout)
{
    if (!layout)
        return;
    g_free(layout->names);
    g_free(layout->gateways);
    g_free(layout->node_links);
    g_free(layout->kind_of);
    g_free(layout->wires);
    g_free(layout->node_ends);
    g_free(layout->cabled);
    g_ptr_array_free(layout->switch_names, TRUE);
    g_array_free(layout->cables, TRUE);
    g_array_free(layout->cable_ends, TRUE);
    g_string_chunk_free(layout->strings);
    g_free(layout);
}

char *layout_vertex_name(const struct layout *layout, int vertex)
{
    int node = vertex / layout->vertices;
    if (node >= layout->nodes)
        return g_strdup(
            g_ptr_array_index(layout->switch_names, vertex - layout->nodes * layout->vertices));
    return g_strdup_printf("node%d.%s", node, layout->names[vertex % layout->vertices]);
}

/* Returns whether `link` belongs to a node. Sets its node, and its number there or, else, among the cables. */
static bool link_place(const struct layout *layout, size_t link, size_t *node, size_t *number)
{
    size_t each = (size_t)layout->node_link_count, inside = (size_t)layout->nodes * each;
    if (link >= inside) {
        *number = link - inside;
        return false;
    }
    *node = link / each;
    *number = link % each;
    return true;
}

char *layout_link_name(const struct layout *layout, size_t link)
{
    size_t node, number;
    if (link_place(layout, link, &node, &number))
        return g_strdup_printf("node%zu.%s", node, layout->node_links[number].name);
    return g_strdup(g_array_index(layout->cables, struct link_spec, number).name);
}

const struct link_spec *layout_link(const struct layout *layout, size_t link)
{
    size_t node, number;
    if (link_place(layout, link, &node, &number))
        return &layout->node_links[(size_t)kind_of_node(layout, node) *
                                       (size_t)layout->node_link_count +
                                   number];
    return &g_array_index(layout->cables, struct link_spec, number);
}

struct link_ends layout_link_ends(const struct layout *layout, size_t link)
{
    size_t node, number;
    if (!link_place(layout, link, &node, &number))
        return g_array_index(layout->cable_ends, struct link_ends, number);
    int first = (int)node * layout->vertices;
    struct link_ends ends = layout->node_ends[number];
    return (struct link_ends){first + ends.from, first + ends.to};
}
