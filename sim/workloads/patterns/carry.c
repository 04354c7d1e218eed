/* SPDX-License-Identifier: BSD-3-Clause */
#include "workloads/patterns/carry.h"

#include <glib.h>
#include <string.h>

/* Flows are only looked up, never iterated over: so their hash does not influence any order. */
struct carry {
    GHashTable *flows; /* struct carry_flow to GQueue of GArray of double */
    int64_t left;
};

static guint hash_way(gconstpointer key)
{
    const struct carry_flow *flow = key;
    const int64_t parts[] = {flow->from_place, flow->from_group, flow->to_place, flow->to_group,
                             flow->channel};
    uint64_t hash = 17;
    for (size_t i = 0; i < G_N_ELEMENTS(parts); i++)
        hash = hash * UINT64_C(0x9e3779b97f4a7c15) + (uint64_t)parts[i];
    return (guint)(hash >> 32);
}

static gboolean equal_way(gconstpointer a, gconstpointer b)
{
    return memcmp(a, b, sizeof(struct carry_flow)) == 0;
}

static void free_message(gpointer message)
{
    g_array_unref(message);
}

static void free_queue(gpointer queue)
{
    g_queue_free_full(queue, free_message);
}

struct carry *carry_new(void)
{
    struct carry *carry = g_new0(struct carry, 1);
    carry->flows = g_hash_table_new_full(hash_way, equal_way, g_free, free_queue);
    return carry;
}

void carry_free(struct carry *carry)
{
    if (carry == NULL)
        return;
    g_hash_table_destroy(carry->flows);
    g_free(carry);
}

void carry_send(struct carry *carry, struct carry_flow flow, const double *data, int64_t count)
{
    if (carry == NULL)
        return;
    GQueue *queue = g_hash_table_lookup(carry->flows, &flow);
    if (queue == NULL) {
        queue = g_queue_new();
        g_hash_table_insert(carry->flows, g_memdup2(&flow, sizeof flow), queue);
    }
    GArray *message = g_array_new(FALSE, FALSE, sizeof *data);
    g_array_append_vals(message, data, (guint)count);
    g_queue_push_tail(queue, message);
    carry->left++;
}

bool carry_receive(struct carry *carry, struct carry_flow flow, double *data, int64_t count)
{
    if (carry == NULL)
        return true;
    GQueue *queue = g_hash_table_lookup(carry->flows, &flow);
    GArray *message = queue != NULL ? g_queue_pop_head(queue) : NULL;
    if (message == NULL)
        return false;
    bool fits = message->len == (guint)count;
    if (fits && count > 0) // an empty message has no data
        memcpy(data, message->data, sizeof *data * (size_t)count);
    g_array_unref(message);
    carry->left--;
    return fits;
}

int64_t carry_left(const struct carry *carry)
{
    return carry == NULL ? 0 : carry->left;
}
