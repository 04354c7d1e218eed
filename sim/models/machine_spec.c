/* SPDX-License-Identifier: BSD-3-Clause */
#include "models/machine_spec.h"

#include <string.h>

#include "core/error.h"
#include "fabric/cables.h"
#include "fabric/layout.h"

#define NODES_MOST 65536

#define SPEC struct machine_spec
static const struct param params[] = {
    PARAM_COUNT(nodes, SPEC, "2", "1", G_STRINGIFY(NODES_MOST), "Nodes of the machine."),
};
PARAM_TABLE(
    machine_params, "machine", struct machine_spec, params,
    "A machine of nodes, equal but for what its kinds of nodes say (gpunetsim help kinds).");

static const struct machine_component devices[] = {
    {&node_params, offsetof(SPEC, node)},
    {&host_params, offsetof(SPEC, host)},
    {&gpu_params, offsetof(SPEC, gpu)},
    {&cp_params, offsetof(SPEC, cp)},
    {&nic_params, offsetof(SPEC, nic)},
    {&smart_nic_params, offsetof(SPEC, smart_nic)},
    {&bus_params, offsetof(SPEC, bus)},
    {&nvlink_params, offsetof(SPEC, nvlink)},
    {&socket_link_params, offsetof(SPEC, socket_link)},
    {&network_params, offsetof(SPEC, network)},
    {&transport_params, offsetof(SPEC, transport)},
    {&host_copy_params, offsetof(SPEC, host_copy)},
    {&cuda_params, offsetof(SPEC, cuda)},
    {&noise_params, offsetof(SPEC, noise)},
};
#undef SPEC

bool machine_spec_add(struct machine_spec *spec, const struct param_table *table, GError **error)
{
    size_t offset = offsetof(struct machine_spec, part_words);
    if (spec->part_count > 0) {
        const struct machine_component *last = &spec->parts[spec->part_count - 1];
        offset = last->offset + last->table->spec_size;
    }
    if (spec->part_count == MACHINE_PARTS_MOST ||
        offset + table->spec_size >
            offsetof(struct machine_spec, part_words) + sizeof spec->part_words)
        return error_set(error, "a machine has no room left for component %s", table->component);
    spec->parts[spec->part_count++] = (struct machine_component){table, offset};
    param_set_defaults(table, (char *)spec + offset);
    return true;
}

void machine_spec_init(struct machine_spec *spec, const struct param_table *const *tables)
{
    param_set_defaults(&machine_params, spec); /* all other fields become 0 */
    for (size_t i = 0; i < G_N_ELEMENTS(devices); i++)
        param_set_defaults(devices[i].table, (char *)spec + devices[i].offset);
    for (; tables && *tables; tables++)
        check_always(machine_spec_add(spec, *tables, NULL), "no room for component %s",
                     (*tables)->component);
}

size_t machine_component_count(const struct machine_spec *spec)
{
    return G_N_ELEMENTS(devices) + spec->part_count;
}

struct machine_component machine_component(const struct machine_spec *spec, size_t number)
{
    return number < G_N_ELEMENTS(devices) ? devices[number]
                                          : spec->parts[number - G_N_ELEMENTS(devices)];
}

const void *machine_part(const struct machine_spec *spec, const struct param_table *table)
{
    for (size_t i = 0; i < spec->part_count; i++)
        if (spec->parts[i].table == table)
            return (const char *)spec + spec->parts[i].offset;
    check_always(false, "the machine was made without component %s", table->component);
    return NULL;
}

static bool drawn_network_valid(const struct machine_spec *spec, GError **error);

/* --- kinds of nodes ---------------------------------------------------------------------------- */

struct named_nodes {
    int64_t twice, most; /* a node that was already marked; the greatest node; -1: none */
};

/* Marks the nodes of a text such as "4..7 9" with `mark`, among `nodes` nodes. `marks` NULL: only checks the text. */
static bool mark_nodes(const char *text, uint8_t *marks, int64_t nodes, uint8_t mark,
                       struct named_nodes *named, GError **error)
{
    *named = (struct named_nodes){-1, -1};
    g_auto(GStrv) parts = g_strsplit_set(text, "; ,", -1);
    for (char **part = parts; *part != NULL; part++) {
        guint64 first, last;
        char *dots = strstr(*part, ".."), *end = dots != NULL ? dots + 2 : *part;
        if (**part == '\0')
            continue;
        if (dots != NULL)
            *dots = '\0';
        if (!g_ascii_string_to_unsigned(*part, 10, 0, NODES_MOST - 1, &first, NULL) ||
            !g_ascii_string_to_unsigned(end, 10, first, NODES_MOST - 1, &last, NULL))
            return error_set(
                error,
                "\"%s\" does not name nodes; write numbers and ranges, as in \"4..7 9\", up to %d",
                text, NODES_MOST - 1);
        for (guint64 node = first; node <= last && (int64_t)node < nodes; node++) {
            if (marks[node] != 0)
                named->twice = (int64_t)node;
            marks[node] = mark;
        }
        named->most = MAX(named->most, (int64_t)last);
    }
    return true;
}

static bool nodes_valid(const void *text, GError **error)
{
    struct named_nodes named;
    return mark_nodes(text, NULL, 0, 0, &named, error);
}

static const struct param_record node_words = {.valid = nodes_valid};
static const struct param kind_params[] = {
    PARAM_WORD_LIST(nodes, struct node_kind, &node_words,
                    "Numbers of the nodes that are of this kind, from 0 on, as in \"4..7 9\"."),
};
PARAM_TABLE(
    node_kind_params, "kinds", struct node_kind, kind_params,
    "Kinds of nodes by their names, as in kinds = { older = { nodes = \"4..7\", gpu = { clock = \"1GHz\" } } }: "
    "these nodes are as the machine says, but for these values of host, gpu, cp, nic, smart_nic, bus, nvlink, socket_link, "
    "host_copy, and latency and rate of network, of the cables to their switch. With node.gpus_per_socket only the first "
    "places for GPUs of each socket are taken. -s kinds.older.gpu.clock=1.1GHz sets one.");

int machine_kind_find(const struct machine_spec *spec, const char *name)
{
    for (size_t kind = 0; kind < spec->kind_count; kind++)
        if (strcmp(spec->kinds[kind].name, name) == 0)
            return (int)kind;
    return -1;
}

int machine_kind_add(struct machine_spec *spec, const char *name, GError **error)
{
    if (spec->kind_count == PLATFORM_KINDS_MOST) {
        error_set(error, "a machine has at most %d kinds of nodes", PLATFORM_KINDS_MOST);
        return -1;
    }
    size_t at = spec->kind_count++;
    for (; at > 0 && strcmp(spec->kinds[at - 1].name, name) > 0; at--)
        spec->kinds[at] = spec->kinds[at - 1];
    for (size_t i = 0; i < spec->kind_value_count; i++)
        if (spec->kind_values[i].kind >= at)
            spec->kind_values[i].kind++;
    spec->kinds[at] = (struct node_kind){g_intern_string(name), 0};
    return (int)at;
}

bool machine_kind_may_have(const struct param_table *table, const struct param *param)
{
    static const struct param_table *const tables[] = {
        &host_params, &gpu_params,    &cp_params,          &nic_params,      &smart_nic_params,
        &bus_params,  &nvlink_params, &socket_link_params, &host_copy_params};
    for (size_t i = 0; i < G_N_ELEMENTS(tables); i++)
        if (table == tables[i])
            return true;
    if (table == &node_params)
        return strcmp(param->name, "gpus_per_socket") == 0;
    return table == &network_params &&
           (strcmp(param->name, "rate") == 0 || strcmp(param->name, "latency") == 0);
}

bool machine_kind_may_have_of(const struct param_table *table)
{
    for (size_t i = 0; i < table->count; i++)
        if (machine_kind_may_have(table, &table->params[i]))
            return true;
    return false;
}

/* The offset at which the machine's own value lies. */
static size_t kind_value_place(const struct kind_value *value)
{
    const struct machine_component *component = &devices[value->component];
    return component->offset + component->table->params[value->param].offset;
}

size_t machine_kind_value(struct machine_spec *spec, int kind, size_t component, size_t param,
                          GError **error)
{
    const struct kind_value wanted = {0, (uint16_t)kind, (uint16_t)component, (uint16_t)param};
    size_t i = 0;
    while (i < spec->kind_value_count && (spec->kind_values[i].kind != wanted.kind ||
                                          spec->kind_values[i].component != wanted.component ||
                                          spec->kind_values[i].param != wanted.param))
        i++;
    if (i == MACHINE_KIND_VALUES_MOST) {
        error_set(error, "kinds of nodes have at most %d values of their own",
                  MACHINE_KIND_VALUES_MOST);
        return 0;
    }
    if (i == spec->kind_value_count) {
        spec->kind_values[spec->kind_value_count++] = wanted;
        memcpy(&spec->kind_values[i].value, (const char *)spec + kind_value_place(&wanted),
               sizeof(int64_t));
    }
    return offsetof(struct machine_spec, kind_values) + i * sizeof(struct kind_value) +
           offsetof(struct kind_value, value);
}

bool machine_kinds_of_nodes(const struct machine_spec *spec, uint8_t *kind_of, GError **error)
{
    memset(kind_of, 0, (size_t)spec->nodes);
    for (size_t kind = 0; kind < spec->kind_count; kind++) {
        const struct node_kind *own = &spec->kinds[kind];
        struct named_nodes named;
        const char *nodes = param_words(own->nodes);
        if (nodes == NULL)
            return error_set(error,
                             "kinds.%s.nodes: a kind of nodes says which they are, as in \"4..7\"",
                             own->name);
        if (!mark_nodes(nodes, kind_of, spec->nodes, (uint8_t)(1 + kind), &named, error))
            return false;
        if (named.twice >= 0)
            return error_set(error,
                             "kinds.%s.nodes: node %lld is of another kind, too, or named twice",
                             own->name, (long long)named.twice);
        if (named.most >= spec->nodes)
            return error_set(
                error,
                "kinds.%s.nodes: there is no node %lld; the machine has nodes 0 to %lld (nodes = %lld)",
                own->name, (long long)named.most, (long long)spec->nodes - 1,
                (long long)spec->nodes);
    }
    return true;
}

/* Whether the value is the kind's number of GPUs. */
static bool is_of_shape(const struct kind_value *value)
{
    return devices[value->component].table == &node_params;
}

uint8_t *machine_gpus_per_socket(const struct machine_spec *spec)
{
    uint8_t by_kind[1 + PLATFORM_KINDS_MOST];
    memset(by_kind, (int)spec->node.gpus_per_socket, sizeof by_kind);
    for (size_t i = 0; i < spec->kind_value_count; i++)
        if (is_of_shape(&spec->kind_values[i]))
            by_kind[1 + spec->kind_values[i].kind] = (uint8_t)spec->kind_values[i].value;
    uint8_t *gpus = g_new(uint8_t, (gsize)spec->nodes);
    machine_kinds_of_nodes(spec, gpus, NULL);
    for (int64_t node = 0; node < spec->nodes; node++)
        gpus[node] = by_kind[gpus[node]];
    return gpus;
}

void machine_spec_of_kind(const struct machine_spec *spec, size_t kind, struct machine_spec *own)
{
    *own = *spec;
    own->kind_count = own->kind_value_count = 0;
    for (size_t i = 0; i < spec->kind_value_count; i++) {
        const struct kind_value *value = &spec->kind_values[i];
        if (1 + (size_t)value->kind == kind && !is_of_shape(value))
            memcpy((char *)own + kind_value_place(value), &value->value, sizeof value->value);
    }
}

static bool differs(const struct machine_spec *spec, const struct kind_value *value)
{
    return memcmp((const char *)spec + kind_value_place(value), &value->value,
                  sizeof value->value) != 0;
}

bool machine_nodes_alike(const struct machine_spec *spec)
{
    if (spec->has_noise && spec->noise.slow_gpus != 0)
        return false;
    for (size_t i = 0; i < spec->kind_value_count; i++)
        if (differs(spec, &spec->kind_values[i]))
            return false;
    return true;
}

bool machine_kinds_share(const struct machine_spec *spec, const struct param_table *table,
                         const char *name, const char *who, GError **error)
{
    for (size_t i = 0; i < spec->kind_value_count; i++) {
        const struct kind_value *value = &spec->kind_values[i];
        if (differs(spec, value) && devices[value->component].table == table &&
            (name == NULL || strcmp(table->params[value->param].name, name) == 0))
            return error_set(error, "%s reads one %s for all nodes, but kinds.%s.%s.%s differs",
                             who, table->component, spec->kinds[value->kind].name, table->component,
                             table->params[value->param].name);
    }
    return true;
}

static bool caches_valid(const struct machine_spec *spec, GError **error)
{
    const struct {
        const char *name;
        int64_t bytes, ways;
    } caches[] = {
        {"host.l1", spec->host.l1.size_bytes, spec->host.l1.ways},
        {"host.l2", spec->host.l2.size_bytes, spec->host.l2.ways},
        {"host.l3", spec->host.l3.size_bytes, spec->host.l3.ways},
        {"gpu.l1", spec->gpu.l1.size_bytes, spec->gpu.l1.ways},
        {"gpu.l2", spec->gpu.l2.size_bytes, spec->gpu.l2.ways},
        {"cp.dcache", spec->cp.dcache.size_bytes, spec->cp.dcache.ways},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(caches); i++)
        if (!cache_shape_valid(caches[i].bytes, caches[i].ways))
            return error_set(
                error,
                "%s_size of %lld bytes is not a whole number of sets of %lld ways of %d bytes",
                caches[i].name, (long long)caches[i].bytes, (long long)caches[i].ways,
                CACHE_LINE_BYTES);
    return true;
}

/* Whether the parameters of each kind of nodes make a valid machine. */
static bool kinds_valid(const struct machine_spec *spec, GError **error)
{
    g_autofree struct machine_spec *own = g_new(struct machine_spec, 1);
    g_autofree uint8_t *kind_of = g_new0(uint8_t, (gsize)spec->nodes);
    for (size_t kind = 0; kind < spec->kind_count; kind++) {
        machine_spec_of_kind(spec, 1 + kind, own);
        if (!caches_valid(own, error)) {
            g_prefix_error(error, "kinds.%s: ", spec->kinds[kind].name);
            return false;
        }
    }
    for (size_t i = 0; i < spec->kind_value_count; i++) {
        const struct kind_value *value = &spec->kind_values[i];
        const char *name = spec->kinds[value->kind].name;
        if (is_of_shape(value) && value->value > spec->node.gpus_per_socket)
            return error_set(
                error,
                "kinds.%s.node.gpus_per_socket is %lld, but sockets of this machine have room for %lld GPUs (node.gpus_per_socket)",
                name, (long long)value->value, (long long)spec->node.gpus_per_socket);
        if (spec->network.topology == NETWORK_DRAWN &&
            devices[value->component].table == &network_params)
            return error_set(
                error,
                "kinds.%s: a drawn network says of each cable what its rate and latency are, not of a kind of nodes",
                name);
    }
    return machine_kinds_of_nodes(spec, kind_of, error);
}

bool machine_spec_valid(const struct machine_spec *spec, GError **error)
{
    if (!caches_valid(spec, error) || !kinds_valid(spec, error))
        return false;
    if (!noise_spec_valid(&spec->noise, error))
        return false;
    return spec->nodes == 1 || spec->network.topology != NETWORK_DRAWN ||
           drawn_network_valid(spec, error);
}

#define MOST_DAYS 10

static bool can_carry(const struct machine_spec *spec, double bytes, GError **error)
{
    for (size_t i = 0; i < machine_component_count(spec); i++) {
        const struct param_table *table = machine_component(spec, i).table;
        const char *component = (const char *)spec + machine_component(spec, i).offset;
        for (size_t k = 0; k < table->count; k++) {
            const struct param *param = &table->params[k];
            char rate[UNIT_TEXT_SIZE];
            if (param->kind != PARAM_QUANTITY || param->unit != UNIT_RATE)
                continue;
            int64_t rate_Bps = *(const int64_t *)(component + param->offset);
            if (rate_Bps == 0 || /* a rate of 0 switches the link off */
                bytes / (double)rate_Bps <= MOST_DAYS * 86400.0)
                continue;
            return error_set(
                error,
                "%.3g bytes in all would take %.3g days at %s.%s = %s; a run simulates at most "
                "%d days of transfers",
                bytes, bytes / (double)rate_Bps / 86400, table->component, param->name,
                param_format(param, component, rate), MOST_DAYS);
        }
    }
    return true;
}

bool machine_can_carry(const struct machine_spec *spec, double bytes, GError **error)
{
    g_autofree struct machine_spec *own = g_new(struct machine_spec, 1);
    for (size_t kind = 0; kind < spec->kind_count; kind++) {
        machine_spec_of_kind(spec, 1 + kind, own);
        if (!can_carry(own, bytes, error)) {
            g_prefix_error(error, "nodes of kinds.%s: ", spec->kinds[kind].name);
            return false;
        }
    }
    return can_carry(spec, bytes, error);
}

/* --- the platform ------------------------------------------------------------------------------ */

/* A machine described as a platform, and the memory that the description borrows. */
struct platform_drawing {
    struct topology *topology, *of_kinds[PLATFORM_KINDS_MOST];
    struct platform_kind kinds[PLATFORM_KINDS_MOST];
    uint8_t *kind_of;
    GArray *cables; /* struct node_link */
    GStringChunk *names;
    struct platform_spec platform;
};

static void platform_drawing_clear(struct platform_drawing *drawing)
{
    topology_free(drawing->topology);
    for (size_t kind = 0; kind < drawing->platform.kind_count; kind++)
        topology_free(drawing->of_kinds[kind]);
    g_free(drawing->kind_of);
    g_array_free(drawing->cables, TRUE);
    g_string_chunk_free(drawing->names);
}

static struct topology *draw_node(const struct machine_spec *spec)
{
    return topology_draw(&spec->node, &spec->bus, &spec->nvlink, &spec->socket_link);
}

/* Draws the links of each kind of nodes, and says which nodes are of it. */
static bool draw_kinds(const struct machine_spec *spec, struct platform_drawing *drawing,
                       GError **error)
{
    g_autofree struct machine_spec *own = g_new(struct machine_spec, 1);
    for (size_t kind = 0; kind < spec->kind_count; kind++) {
        machine_spec_of_kind(spec, 1 + kind, own);
        drawing->of_kinds[kind] = draw_node(own);
        drawing->kinds[kind] =
            (struct platform_kind){drawing->of_kinds[kind]->graph.links, own->network.wire};
    }
    drawing->platform.kinds = drawing->kinds;
    drawing->platform.kind_count = spec->kind_count;
    if (spec->kind_count == 0)
        return true;
    drawing->kind_of = g_new0(uint8_t, (gsize)spec->nodes);
    drawing->platform.kind_of = drawing->kind_of;
    return machine_kinds_of_nodes(spec, drawing->kind_of, error);
}

/* Draws the platform. Returns false and one sentence if cables cannot be drawn; the drawing has to be cleared in either case. */
static bool draw(const struct machine_spec *spec, struct platform_drawing *drawing, GError **error)
{
    const char *text = param_words(spec->network.cables);
    *drawing = (struct platform_drawing){
        .topology = draw_node(spec),
        .cables = g_array_new(FALSE, FALSE, sizeof(struct node_link)),
        .names = g_string_chunk_new(64),
        .platform = {.name = "machine", .nodes = spec->nodes, .network = spec->network}};
    drawing->platform.node = drawing->topology->graph;
    if (!draw_kinds(spec, drawing, error))
        return false;
    if (spec->nodes == 1 || spec->network.topology != NETWORK_DRAWN)
        return true;
    if (text == NULL)
        return error_set(error, "a drawn network needs them, as in { \"node0..3 leaf0\", ... }");
    if (!cables_parse(text, &spec->network.wire, drawing->cables, drawing->names, error))
        return false;
    drawing->platform.cables = (const struct node_link *)drawing->cables->data;
    drawing->platform.cable_count = drawing->cables->len;
    return true;
}

static bool drawn_network_valid(const struct machine_spec *spec, GError **error)
{
    struct platform_drawing drawing;
    struct layout *layout = draw(spec, &drawing, error) && platform_check(&drawing.platform, error)
                                ? layout_new(&drawing.platform, error)
                                : NULL;
    platform_drawing_clear(&drawing);
    layout_free(layout);
    if (layout == NULL)
        g_prefix_error(error, "network.cables: ");
    return layout != NULL;
}

struct platform *machine_platform(const struct machine_spec *spec, GError **error)
{
    struct platform_drawing drawing;
    struct platform *platform =
        draw(spec, &drawing, error) ? platform_get(&drawing.platform, error) : NULL;
    platform_drawing_clear(&drawing);
    return platform;
}
