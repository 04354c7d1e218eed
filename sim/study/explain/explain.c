/* SPDX-License-Identifier: BSD-3-Clause */
/* Describes designs for views/observed.lua; views/explain.lua finds the words. No kind of agent and no runtime is named here. */
#include "study/explain/explain.h"

#include "models/node.h"
#include "protocols/runtimes/messenger.h"
#include "script/views/views.h"

/* What the axes do not tell: whether a server polls the work-groups' queues, whether these are in its own memory (near), whether
 * it can look at them by calls of the GPU's runtime, whether it moves data between GPUs of its node itself, whether it runs on
 * command processors, and whether threads share a network library. */
static GVariant *facts_of(const struct design *d, const struct agent_kind *kind)
{
    const struct {
        const char *name;
        bool is_so;
    } facts[] = {{"polled", design_has_poller(d)},
                 {"near", kind && kind->memory == d->queue.memory},
                 {"calls", kind && kind->calls_runtime},
                 {"moves", design_server_moves(d)},
                 {"on_cp", kind && kind->pool == CORES_OF_CP},
                 {"shared", design_nic_queue_sharers(d, 2) > 1}};
    GVariantBuilder all;
    g_variant_builder_init(&all, G_VARIANT_TYPE("a{sb}"));
    for (size_t i = 0; i < G_N_ELEMENTS(facts); i++)
        g_variant_builder_add(&all, "{sb}", facts[i].name, facts[i].is_so);
    return g_variant_builder_end(&all);
}

/* The sentences on stages that the server's kind, or the runtime, brings itself. */
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

GVariant *explain_design(const struct design *d)
{
    const struct agent_kind *kind = design_server_kind(d);
    char text[PARAM_TEXT_SIZE];
    GVariantBuilder value;
    g_variant_builder_init(&value, G_VARIANT_TYPE_VARDICT);
    views_add_text(&value, "text", design_text(d, text));
    g_variant_builder_add(&value, "{sv}", "facts", facts_of(d, kind));
    g_variant_builder_add(&value, "{sv}", "own", own_sentences(d, kind));
    g_variant_builder_add(&value, "{sv}", "axes", axes_of(d));
    views_add_text(&value, "servers", !kind ? NULL : kind->threads ? kind->threads : kind->name);
    return g_variant_builder_end(&value);
}
