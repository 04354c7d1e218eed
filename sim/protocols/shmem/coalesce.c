/* SPDX-License-Identifier: BSD-3-Clause */
#include "protocols/shmem/coalesce.h"

/* The puts that are held for one node. */
struct bundle {
    GArray *puts;     /* struct shmem_issue */
    GArray *blocking; /* struct unmarked */
    int64_t bytes;    /* in a message */
    sim_time since_ps;
};

struct coalescer {
    const struct design *design;
    int64_t nodes, held; /* held: puts for all nodes */
    struct bundle *bundles;
    struct aggregate *aggregate;
    GArray *unmarked;
};

struct coalescer *coalescer_new(const struct design *design, int64_t nodes,
                                struct aggregate *aggregate, GArray *unmarked)
{
    struct coalescer *coalescer = g_new0(struct coalescer, 1);
    coalescer->design = design;
    coalescer->nodes = nodes;
    coalescer->aggregate = aggregate;
    coalescer->unmarked = unmarked;
    coalescer->bundles = g_new0(struct bundle, (gsize)nodes);
    return coalescer;
}

void coalescer_free(struct coalescer *coalescer)
{
    if (coalescer == NULL)
        return;
    for (int64_t node = 0; node < coalescer->nodes; node++) {
        g_clear_pointer(&coalescer->bundles[node].puts, g_array_unref);
        g_clear_pointer(&coalescer->bundles[node].blocking, g_array_unref);
    }
    g_free(coalescer->bundles);
    g_free(coalescer);
}

bool coalescer_takes(const struct coalescer *coalescer, const struct nic_command *command)
{
    return coalescer != NULL && aggregate_bytes(command) <= aggregate_room(coalescer->design);
}

bool coalescer_has_room(const struct coalescer *coalescer, const struct nic_command *command)
{
    const struct bundle *bundle = &coalescer->bundles[command->remote_node];
    return bundle->bytes + aggregate_bytes(command) <= aggregate_room(coalescer->design);
}

bool coalescer_add(struct coalescer *coalescer, int64_t context, const struct nic_command *command,
                   const struct unmarked *blocking, sim_time now_ps)
{
    struct bundle *bundle = &coalescer->bundles[command->remote_node];
    struct shmem_issue put = {context, *command};
    if (bundle->puts == NULL) {
        bundle->puts = g_array_new(FALSE, FALSE, sizeof put);
        bundle->blocking = g_array_new(FALSE, FALSE, sizeof *blocking);
    }
    if (bundle->puts->len == 0)
        bundle->since_ps = now_ps;
    g_array_append_vals(bundle->puts, &put, 1);
    if (blocking != NULL)
        g_array_append_vals(bundle->blocking, blocking, 1);
    bundle->bytes += aggregate_bytes(command);
    coalescer->held++;
    return bundle->puts->len >= (uint64_t)coalescer->design->coalesce.count;
}

bool coalescer_holds(const struct coalescer *coalescer)
{
    return coalescer != NULL && coalescer->held > 0;
}

void coalescer_flush(struct coalescer *coalescer, int64_t node)
{
    struct bundle *bundle = &coalescer->bundles[node];
    if (bundle->puts == NULL || bundle->puts->len == 0)
        return;
    aggregate_send(coalescer->aggregate, (const void *)bundle->puts->data, bundle->puts->len);
    g_array_append_vals(coalescer->unmarked, bundle->blocking->data, bundle->blocking->len);
    coalescer->held -= bundle->puts->len;
    bundle->bytes = 0;
    g_array_set_size(bundle->puts, 0);
    g_array_set_size(bundle->blocking, 0);
}

void coalescer_flush_due(struct coalescer *coalescer, sim_time now_ps)
{
    for (int64_t node = 0; coalescer_holds(coalescer) && node < coalescer->nodes; node++)
        if (now_ps - coalescer->bundles[node].since_ps >= coalescer->design->coalesce.timeout_ps)
            coalescer_flush(coalescer, node);
}
