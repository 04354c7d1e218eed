/* SPDX-License-Identifier: BSD-3-Clause */
/* Packs with GVariant, whose binary form is checked when it is read. */
#include "study/store/pack.h"

#include "core/kept.h"
#include "core/param_instance.h"
#include "study/model/machine.h"

#define MEASURE_TYPE "(suuxdms)"
#define NUMBER_TYPE "(sbbuxd)"
#define USE_TYPE "(st)"
#define RESULT_TYPE "(a" NUMBER_TYPE "a" USE_TYPE ")"
#define CALL_TYPE "(&s&s&st@ay)"
#define POINT_TYPE "(msmsmsmsms@aytmsd)"

static GBytes *bytes_of(GVariant *packed)
{
    g_autoptr(GVariant) own = g_variant_ref_sink(packed);
    return g_variant_get_data_as_bytes(own);
}

/* Unpacks bytes of this type; NULL if they are not of it. */
static GVariant *variant_of(GBytes *bytes, const char *type)
{
    g_autoptr(GVariant) packed =
        g_variant_ref_sink(g_variant_new_from_bytes(G_VARIANT_TYPE(type), bytes, FALSE));
    bool is_good = g_bytes_get_size(bytes) > 0 && g_variant_is_normal_form(packed);
    return is_good ? g_steal_pointer(&packed) : NULL;
}

static GVariant *bytes_inside(GBytes *bytes)
{
    return g_variant_new_from_bytes(G_VARIANT_TYPE("ay"), bytes, TRUE);
}

/* Bytes may come from a store that another program has written. */
static bool is_unit(guint32 unit)
{
    return unit <= UNIT_COUNT;
}

static bool is_kind(guint32 kind)
{
    return kind == VALUE_QUANTITY || kind == VALUE_NUMBER || kind == VALUE_TEXT;
}

/* --- rows ------------------------------------------------------------------------------------- */

GBytes *pack_row(const struct row *row)
{
    GVariantBuilder measures;
    g_variant_builder_init(&measures, G_VARIANT_TYPE("a" MEASURE_TYPE));
    for (size_t i = 0; i < row->measure_count; i++) {
        const struct measure *measure = &row->measures[i];
        const struct value *value = &measure->value;
        g_variant_builder_add(&measures, MEASURE_TYPE, measure->name, (guint32)value->kind,
                              (guint32)value->unit, (gint64)value->quantity, value->number,
                              value->text);
    }
    return bytes_of(
        g_variant_new(PACKED_ROW_TYPE, row->failure, row->read, row->unread, &measures));
}

bool unpack_row(GBytes *bytes, struct row *row)
{
    g_autoptr(GVariant) packed = variant_of(bytes, PACKED_ROW_TYPE), measures = NULL;
    if (!packed)
        return false;
    GVariantIter iterator;
    g_variant_get(packed, "(msmsms@a" MEASURE_TYPE ")", &row->failure, &row->read, &row->unread,
                  &measures);
    row->measure_count = g_variant_iter_init(&iterator, measures);
    row->measures = g_new0(struct measure, row->measure_count);
    bool is_good = true;
    for (size_t i = 0; i < row->measure_count; i++) {
        struct measure *measure = &row->measures[i];
        guint32 kind, unit;
        gint64 quantity;
        g_variant_iter_next(&iterator, MEASURE_TYPE, &measure->name, &kind, &unit, &quantity,
                            &measure->value.number, &measure->value.text);
        measure->value.kind = (enum value_kind)kind;
        measure->value.unit = (enum unit_kind)unit;
        measure->value.quantity = quantity;
        is_good = is_good && is_kind(kind) && is_unit(unit) &&
                  (kind != VALUE_TEXT || measure->value.text);
    }
    return is_good;
}

/* --- results of workloads --------------------------------------------------------------------- */

GBytes *pack_result(const struct workload_result *result)
{
    GVariantBuilder measures, uses;
    g_variant_builder_init(&measures, G_VARIANT_TYPE("a" NUMBER_TYPE));
    g_variant_builder_init(&uses, G_VARIANT_TYPE("a" USE_TYPE));
    for (size_t i = 0; i < result->count; i++) {
        const struct workload_measure *measure = &result->measures[i];
        g_variant_builder_add(&measures, NUMBER_TYPE, measure->name, measure->is_ratio,
                              measure->is_absent, (guint32)measure->unit, measure->quantity,
                              measure->ratio);
    }
    for (size_t i = 0; i < result->uses.count; i++)
        g_variant_builder_add(&uses, USE_TYPE, result->uses.tables[i].table->component,
                              (guint64)result->uses.tables[i].used);
    return bytes_of(g_variant_new(RESULT_TYPE, &measures, &uses));
}

/* Adds the uses of the component with this name, whether all machines have it or only some. */
static void unpack_use(const char *component, uint64_t bits, struct param_use *uses)
{
    const struct machine_spec *all = machine_defaults();
    if (g_str_equal(node_kind_params.component, component))
        param_use_add_bits(uses, &node_kind_params, bits);
    for (size_t i = 0; i < machine_section_count(all); i++)
        if (g_str_equal(machine_section(all, i).table->component, component))
            param_use_add_bits(uses, machine_section(all, i).table, bits);
    for (size_t i = 0; i < param_instance_count(); i++)
        if (g_str_equal(param_instance_at(i)->component, component))
            param_use_add_bits(uses, param_instance_at(i), bits);
}

static void unpack_uses(GVariant *packed, struct param_use *uses)
{
    GVariantIter iterator;
    const char *component;
    guint64 bits;
    *uses = (struct param_use){.count = 0};
    g_variant_iter_init(&iterator, packed);
    while (g_variant_iter_next(&iterator, "(&st)", &component, &bits))
        unpack_use(component, bits, uses);
}

bool unpack_result(GBytes *bytes, struct workload_result *result)
{
    g_autoptr(GVariant) packed = variant_of(bytes, RESULT_TYPE), measures = NULL, uses = NULL;
    GVariantIter iterator;
    if (!packed)
        return false;
    g_variant_get(packed, "(@a" NUMBER_TYPE "@a" USE_TYPE ")", &measures, &uses);
    if (g_variant_iter_init(&iterator, measures) > WORKLOAD_MAX_MEASURES)
        return false;
    unpack_uses(uses, &result->uses);
    const char *name;
    gboolean is_ratio, is_absent;
    guint32 unit;
    gint64 quantity;
    double ratio;
    result->count = 0;
    while (g_variant_iter_next(&iterator, "(&sbbuxd)", &name, &is_ratio, &is_absent, &unit,
                               &quantity, &ratio)) {
        if (!is_unit(unit))
            return false;
        /* names must outlive results */
        result->measures[result->count++] = (struct workload_measure){.name = text_kept(name),
                                                                      .is_ratio = is_ratio,
                                                                      .is_absent = is_absent,
                                                                      .unit = (enum unit_kind)unit,
                                                                      .quantity = quantity,
                                                                      .ratio = ratio};
    }
    return true;
}

/* --- messages --------------------------------------------------------------------------------- */

GBytes *pack_call(const struct workload_call *call, GBytes *result)
{
    return bytes_of(g_variant_new("(ssst@ay)", call->workload, call->machine, call->arguments,
                                  (guint64)call->seed, bytes_inside(result)));
}

bool unpack_call(GBytes *bytes, struct workload_call *call, GBytes **result, GVariant **holder)
{
    g_autoptr(GVariant) packed = variant_of(bytes, "(ssstay)"), inside = NULL;
    guint64 seed;
    if (!packed)
        return false;
    g_variant_get(packed, CALL_TYPE, &call->workload, &call->machine, &call->arguments, &seed,
                  &inside);
    call->seed = seed;
    *result = g_variant_get_data_as_bytes(inside);
    *holder = g_steal_pointer(&packed);
    return true;
}

GBytes *pack_point(const struct row *row, const char *machine_name, const char *machine)
{
    g_autoptr(GBytes) packed = pack_row(row);
    return bytes_of(g_variant_new(POINT_TYPE, machine_name, machine, row->stats, row->read_defaults,
                                  row->read_given, bytes_inside(packed), row->memory_bytes,
                                  row->patient, row->saving));
}

bool unpack_point(GBytes *bytes, GBytes **packed_row, char **machine_name, char **machine,
                  struct row *row)
{
    g_autoptr(GVariant) packed = variant_of(bytes, "(msmsmsmsmsaytmsd)"), inside = NULL;
    const char *defaults, *given, *patient;
    if (!packed)
        return false;
    g_variant_get(packed, "(msmsmsm&sm&s@aytm&sd)", machine_name, machine, &row->stats, &defaults,
                  &given, &inside, &row->memory_bytes, &patient, &row->saving);
    row->read_defaults = text_kept(defaults); /* most points have the same text */
    row->read_given = text_kept(given);
    row->patient = text_kept(patient);
    *packed_row = g_variant_get_data_as_bytes(inside);
    return true;
}
