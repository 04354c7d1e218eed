/* SPDX-License-Identifier: BSD-3-Clause */
#include "models/machine_spec.h"

#include "core/check.h"
#include "core/error.h"
#include "fabric/cables.h"
#include "fabric/platform_check.h"

#define SPEC struct machine_spec
static const struct param params[] = {
    PARAM_COUNT(nodes, SPEC, "2", "1", "65536", "Nodes of the machine."),
};
PARAM_TABLE(machine_params, "machine", struct machine_spec, params, "A machine of equal nodes.");

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
    param_set_defaults(&machine_params, spec); /* all else becomes 0 */
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

bool machine_spec_valid(const struct machine_spec *spec, GError **error)
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
        if (!cache_shape_valid(caches[i].bytes, caches[i].ways)) {
            return error_set(
                error,
                "%s_size of %lld bytes is not a whole number of sets of %lld ways of %d bytes",
                caches[i].name, (long long)caches[i].bytes, (long long)caches[i].ways,
                CACHE_LINE_BYTES);
        }
    if (!noise_spec_valid(&spec->noise, error))
        return false;
    return spec->nodes == 1 || spec->network.topology != NETWORK_DRAWN ||
           drawn_network_valid(spec, error);
}

#define MOST_DAYS 10

bool machine_can_carry(const struct machine_spec *spec, double bytes, GError **error)
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
            if (rate_Bps == 0 || /* nothing passes there: switched off */
                bytes / (double)rate_Bps <= MOST_DAYS * 86400.0)
                continue;
            error_set(
                error,
                "%.3g bytes in all would take %.3g days at %s.%s = %s; a run simulates at most "
                "%d days of transfers",
                bytes, bytes / (double)rate_Bps / 86400, table->component, param->name,
                param_format(param, component, rate), MOST_DAYS);
            return false;
        }
    }
    return true;
}

/* --- the platform ------------------------------------------------------------------------------ */

/* A machine as a platform, and what its description borrows. */
struct platform_drawing {
    struct topology *topology;
    GArray *cables; /* struct network_cable */
    GStringChunk *names;
    struct platform_spec platform;
};

static void platform_drawing_clear(struct platform_drawing *drawing)
{
    topology_free(drawing->topology);
    g_array_free(drawing->cables, TRUE);
    g_string_chunk_free(drawing->names);
}

/* False and one sentence if cables cannot be drawn; the drawing is to be cleared all the same. */
static bool draw(const struct machine_spec *spec, struct platform_drawing *drawing, GError **error)
{
    const char *text = param_words(spec->network.cables);
    *drawing = (struct platform_drawing){
        topology_draw(&spec->node, &spec->bus, &spec->nvlink, &spec->socket_link),
        g_array_new(FALSE, FALSE, sizeof(struct network_cable)),
        g_string_chunk_new(64),
        {.name = "machine", .nodes = spec->nodes, .network = spec->network}};
    drawing->platform.node = drawing->topology->graph;
    if (spec->nodes == 1 || spec->network.topology != NETWORK_DRAWN)
        return true;
    if (text == NULL)
        return error_set(error, "a drawn network needs them, as in { \"node0..3 leaf0\", ... }");
    if (!cables_parse(text, &spec->network.wire, drawing->cables, drawing->names, error))
        return false;
    drawing->platform.cables = (const struct network_cable *)drawing->cables->data;
    drawing->platform.cable_count = drawing->cables->len;
    return true;
}

static bool drawn_network_valid(const struct machine_spec *spec, GError **error)
{
    struct platform_drawing drawing;
    bool is_valid = draw(spec, &drawing, error) && platform_check(&drawing.platform, error);
    platform_drawing_clear(&drawing);
    if (!is_valid)
        g_prefix_error(error, "network.cables: ");
    return is_valid;
}

struct platform *machine_platform(const struct machine_spec *spec, GError **error)
{
    struct platform_drawing drawing;
    struct platform *platform =
        draw(spec, &drawing, error) ? platform_get(&drawing.platform, error) : NULL;
    platform_drawing_clear(&drawing);
    return platform;
}
