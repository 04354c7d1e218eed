/* SPDX-License-Identifier: BSD-3-Clause */
/* What was observed, as views/explain.lua has it, which finds the words. No kind of agent and no runtime is named here. */
#include <string.h>

#include "models/node.h"
#include "protocols/runtimes/messenger.h"
#include "script/views/views.h"
#include "study/explain/explain.h"

/* --- a design ------------------------------------------------------------------------------------ */

static void add_trait(GVariantBuilder *traits, const char *name, bool is_so)
{
    if (is_so)
        g_variant_builder_add(traits, "{sb}", name, TRUE);
}

/* A server polls queues: no bus divides it from the work-groups (coherent), or one does (across); the queues are in memory of the host
 * or of the GPU, in the server's own (near) or not (far); it looks at them by calls of the GPU's runtime; it gathers puts into one
 * message, and completes those of all work-groups together. */
static void add_polling(GVariantBuilder *traits, const struct design *d)
{
    const struct agent_kind *kind = design_server_kind(d);
    bool is_coherent = d->node == NODE_APU, in_gpu = d->queue.memory == MEMORY_GPU;
    bool calls = kind->calls_runtime && d->queue.polling == POLLING_RUNTIME_CALL;
    add_trait(traits, "polled", true);
    add_trait(traits, is_coherent ? "coherent" : "across", true);
    add_trait(traits, "in_host", d->queue.memory == MEMORY_HOST);
    add_trait(traits, "in_gpu", in_gpu);
    add_trait(traits, kind->memory == d->queue.memory ? "near" : "far", true);
    add_trait(traits, "calls", calls && in_gpu && !is_coherent);
    add_trait(traits, "gathers", d->coalesce.count > 0);
    add_trait(traits, "together", d->completion == COMPLETION_TOGETHER);
}

/* Traits by which reasons hold. Processes transfer messages, of which the program may copy (stage) those of the GPU itself; or
 * work-groups of a kernel start transfers, which they serve themselves (by_self) or a server that polls, and that may move data between
 * GPUs of its node itself (moves); servers may be command processors; threads may share one network
 * library, and the NIC's queues may be in its own memory. */
static GVariant *traits_of(const struct design *d)
{
    const struct agent_kind *kind = design_server_kind(d);
    GVariantBuilder traits;
    g_variant_builder_init(&traits, G_VARIANT_TYPE("a{sb}"));
    bool is_message = d->initiator == INITIATOR_HOST;
    add_trait(&traits, is_message ? "message" : "kernel", true);
    add_trait(&traits, "staged", is_message && d->payload == PAYLOAD_STAGED);
    add_trait(&traits, "by_self", !is_message && !design_has_poller(d));
    if (!is_message && design_has_poller(d))
        add_polling(&traits, d);
    add_trait(&traits, "moves", design_server_moves(d));
    add_trait(&traits, "on_cp", kind && kind->pool == CORES_OF_CP);
    add_trait(&traits, "shared", !is_message && design_nic_queue_sharers(d, 2) > 1);
    add_trait(&traits, "on_nic", !is_message && d->nic_queue.memory == MEMORY_NIC);
    return g_variant_builder_end(&traits);
}

/* What the kind of the server, or the runtime, says of stages itself. */
static GVariant *own_sentences(const struct design *d, const struct agent_kind *kind)
{
    const struct runtime_ops *runtime = runtime_of(d);
    const char *const *of_runtime = runtime ? runtime->reasons : NULL;
    const char *const *reasons = d->initiator == INITIATOR_HOST ? of_runtime
                                 : kind                         ? kind->reasons
                                                                : NULL;
    GVariantBuilder own;
    g_variant_builder_init(&own, G_VARIANT_TYPE_VARDICT);
    for (int stage = 0; reasons && stage < STAGES; stage++)
        views_add_text(&own, stage_infos[stage].name, reasons[stage]);
    return g_variant_builder_end(&own);
}

static GVariant *axes_of(const struct design *d)
{
    struct design defaults;
    GVariantBuilder axes;
    param_set_defaults(&design_params, &defaults);
    g_variant_builder_init(&axes, G_VARIANT_TYPE("aa{sv}"));
    for (size_t i = 0; i < design_params.count; i++) {
        const struct param *axis = &design_params.params[i];
        char value[PARAM_TEXT_SIZE];
        param_format_whole(axis, d, value);
        g_variant_builder_open(&axes, G_VARIANT_TYPE_VARDICT);
        views_add_text(&axes, "name", axis->name);
        views_add_text(&axes, "value", value);
        g_variant_builder_add(&axes, "{sv}", "is_default",
                              g_variant_new_boolean(param_compare(axis, d, &defaults) == 0));
        g_variant_builder_close(&axes);
    }
    return g_variant_builder_end(&axes);
}

/* Operations of one design have the same number. */
static gint64 design_number(const GPtrArray *origins, const struct design *d)
{
    guint number = 0;
    const struct explained *first = g_ptr_array_index(origins, number);
    while (!first->design || memcmp(first->design, d, sizeof *d) != 0)
        first = g_ptr_array_index(origins, ++number);
    return number;
}

static GVariant *design_value(const GPtrArray *origins, const struct design *d)
{
    const struct agent_kind *kind = design_server_kind(d);
    GVariantBuilder value;
    g_variant_builder_init(&value, G_VARIANT_TYPE_VARDICT);
    g_variant_builder_add(&value, "{sv}", "number", g_variant_new_int64(design_number(origins, d)));
    g_variant_builder_add(&value, "{sv}", "traits", traits_of(d));
    g_variant_builder_add(&value, "{sv}", "own", own_sentences(d, kind));
    g_variant_builder_add(&value, "{sv}", "axes", axes_of(d));
    views_add_text(&value, "servers", !kind ? NULL : kind->threads ? kind->threads : kind->name);
    return g_variant_builder_end(&value);
}

/* --- times --------------------------------------------------------------------------------------- */

static GVariant *times_value(const struct stat_histogram *times, const struct stage_info *info)
{
    GVariantBuilder value;
    g_variant_builder_init(&value, G_VARIANT_TYPE_VARDICT);
    g_variant_builder_add(&value, "{sv}", "mean_ps", g_variant_new_double(stat_mean(times)));
    g_variant_builder_add(&value, "{sv}", "p50_ps", g_variant_new_int64(stat_quantile(times, 0.5)));
    g_variant_builder_add(&value, "{sv}", "p99_ps",
                          g_variant_new_int64(stat_quantile(times, 0.99)));
    views_add_text(&value, "name", info->name);
    views_add_text(&value, "component", info->component);
    views_add_text(&value, "description", info->description);
    return g_variant_builder_end(&value);
}

static GVariant *stages_value(const struct explained *of)
{
    GVariantBuilder stages;
    g_variant_builder_init(&stages, G_VARIANT_TYPE("aa{sv}"));
    for (int stage = 0; stage < STAGES; stage++)
        g_variant_builder_add_value(&stages, times_value(&of->stages[stage], &stage_infos[stage]));
    return g_variant_builder_end(&stages);
}

static GVariant *sums_value(const struct explained *of)
{
    gint64 sums_ps[STAGES];
    for (int stage = 0; stage < STAGES; stage++)
        sums_ps[stage] = (gint64)of->stages[stage].sum;
    return g_variant_new_fixed_array(G_VARIANT_TYPE_INT64, sums_ps, STAGES, sizeof *sums_ps);
}

static GVariant *parts_value(const GPtrArray *parts)
{
    GVariantBuilder all;
    g_variant_builder_init(&all, G_VARIANT_TYPE("aa{sv}"));
    for (guint i = 0; parts && i < parts->len; i++) {
        const struct explained_part *part = g_ptr_array_index(parts, i);
        g_variant_builder_open(&all, G_VARIANT_TYPE_VARDICT);
        g_variant_builder_add(&all, "{sv}", "number", g_variant_new_int64(part->number));
        g_variant_builder_add(&all, "{sv}", "count", g_variant_new_int64((gint64)part->count));
        g_variant_builder_add(&all, "{sv}", "latency_ps", g_variant_new_int64(part->latency_ps));
        g_variant_builder_add(&all, "{sv}", "stages_ps",
                              g_variant_new_fixed_array(G_VARIANT_TYPE_INT64, part->stages_ps,
                                                        STAGES, sizeof *part->stages_ps));
        g_variant_builder_close(&all);
    }
    return g_variant_builder_end(&all);
}

static GVariant *explained_value(const GPtrArray *origins, const struct explained *of)
{
    const struct {
        const char *name;
        gint64 number;
    } numbers[] = {{"count", (gint64)of->latency.count},
                   {"latency_ps", (gint64)of->latency.sum},
                   {"left", of->repeat.left},
                   {"like", of->repeat.like}};
    GVariantBuilder value;
    g_variant_builder_init(&value, G_VARIANT_TYPE_VARDICT);
    views_add_text(&value, "path", of->path);
    views_add_text(&value, "callers", of->callers);
    for (size_t i = 0; i < G_N_ELEMENTS(numbers); i++)
        g_variant_builder_add(&value, "{sv}", numbers[i].name,
                              g_variant_new_int64(numbers[i].number));
    g_variant_builder_add(&value, "{sv}", "latency",
                          times_value(&of->latency, &(struct stage_info){0}));
    g_variant_builder_add(&value, "{sv}", "stages", stages_value(of));
    g_variant_builder_add(&value, "{sv}", "stages_ps", sums_value(of));
    g_variant_builder_add(&value, "{sv}", "places", parts_value(of->places));
    g_variant_builder_add(&value, "{sv}", "iterations", parts_value(of->iterations));
    if (of->design)
        g_variant_builder_add(&value, "{sv}", "design", design_value(origins, of->design));
    return g_variant_builder_end(&value);
}

GVariant *explanation_value(const struct explanation *explanation)
{
    GVariantBuilder all;
    g_variant_builder_init(&all, G_VARIANT_TYPE("aa{sv}"));
    for (guint i = 0; i < explanation->origins->len; i++)
        g_variant_builder_add_value(
            &all,
            explained_value(explanation->origins, g_ptr_array_index(explanation->origins, i)));
    return g_variant_builder_end(&all);
}
