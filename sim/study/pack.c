/* Packing with GVariant, whose binary form is checked as it is read. What the axes say is not sent:
 * a point's number tells it. */
#include "study/pack.h"

#define MEASURE_TYPE "(suuxdms)"
#define ROW_TYPE "(msa" MEASURE_TYPE ")"

GBytes *pack_row(const struct row *row)
{
    GVariantBuilder measures;
    g_variant_builder_init(&measures, G_VARIANT_TYPE("a" MEASURE_TYPE));
    for (size_t i = 0; i < row->measure_count; i++) {
        const struct measure *measure = &row->measures[i];
        const struct script_value *value = &measure->value;
        g_variant_builder_add(&measures, MEASURE_TYPE, measure->name, (guint32)value->kind,
                              (guint32)value->unit, (gint64)value->quantity, value->number,
                              value->text);
    }
    g_autoptr(GVariant) packed =
        g_variant_ref_sink(g_variant_new(ROW_TYPE, row->failure, &measures));
    return g_variant_get_data_as_bytes(packed);
}

/* Point n counts through the axes with the last one running fastest. */
static struct row *row_of_point(const struct axis *axes, size_t axis_count, size_t point)
{
    struct row *row = g_new0(struct row, 1);
    row->axis_index = g_new0(size_t, axis_count);
    for (size_t i = axis_count; i-- > 0;) {
        row->axis_index[i] = point % axes[i].count;
        point /= axes[i].count;
    }
    return row;
}

static void unpack_measures(GVariant *packed, struct row *row)
{
    GVariantIter iterator;
    row->measure_count = g_variant_iter_init(&iterator, packed);
    row->measures = g_new0(struct measure, row->measure_count);
    for (size_t i = 0; i < row->measure_count; i++) {
        struct measure *measure = &row->measures[i];
        guint32 kind, unit;
        gint64 quantity;
        g_variant_iter_next(&iterator, MEASURE_TYPE, &measure->name, &kind, &unit, &quantity,
                            &measure->value.number, &measure->value.text);
        measure->value.kind = (enum script_value_kind)kind;
        measure->value.unit = (enum unit_kind)unit;
        measure->value.quantity = quantity;
    }
}

struct row *unpack_row(GBytes *bytes, const struct axis *axes, size_t axis_count, size_t point)
{
    g_autoptr(GVariant) packed =
        g_variant_ref_sink(g_variant_new_from_bytes(G_VARIANT_TYPE(ROW_TYPE), bytes, FALSE));
    if (g_bytes_get_size(bytes) == 0 || !g_variant_is_normal_form(packed))
        return NULL;
    struct row *row = row_of_point(axes, axis_count, point);
    g_autoptr(GVariant) measures = NULL;
    g_variant_get(packed, "(ms@a" MEASURE_TYPE ")", &row->failure, &measures);
    unpack_measures(measures, row);
    return row;
}

struct row *row_of_failure(const struct axis *axes, size_t axis_count, size_t point, char *failure)
{
    struct row *row = row_of_point(axes, axis_count, point);
    row->failure = failure;
    return row;
}
