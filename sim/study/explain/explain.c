/* SPDX-License-Identifier: BSD-3-Clause */
/* What views/observed.lua is told of designs; views/explain.lua finds the words. No kind of agent and no runtime is named here. */
#include "study/explain/explain.h"

#include "models/node.h"
#include "protocols/runtimes/messenger.h"
#include "script/views/views.h"

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

GVariant *explain_design(const struct design *d)
{
    const struct agent_kind *kind = design_server_kind(d);
    char text[PARAM_TEXT_SIZE];
    GVariantBuilder value;
    g_variant_builder_init(&value, G_VARIANT_TYPE_VARDICT);
    views_add_text(&value, "text", design_text(d, text));
    g_variant_builder_add(&value, "{sv}", "traits", traits_of(d));
    g_variant_builder_add(&value, "{sv}", "own", own_sentences(d, kind));
    g_variant_builder_add(&value, "{sv}", "axes", axes_of(d));
    views_add_text(&value, "servers", !kind ? NULL : kind->threads ? kind->threads : kind->name);
    return g_variant_builder_end(&value);
}
