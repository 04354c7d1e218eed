/* SPDX-License-Identifier: BSD-3-Clause */
#include "protocols/ucx/matching.h"

#include <glib.h>

#define FIRST_BUCKETS 8

static struct list *bucket(const struct match_queue *queue, uint64_t tag)
{
    uint64_t hash = (tag ^ tag >> 32) * UINT64_C(0x9e3779b97f4a7c15);
    return &queue->buckets[hash >> 32 & (queue->bucket_count - 1)];
}

void match_clear(struct match_queue *queue)
{
    g_free(queue->buckets);
    *queue = (struct match_queue){0};
}

/* Entries keep their order within a bucket: all entries of a tag come from one old bucket, in order. */
static void grow(struct match_queue *queue)
{
    struct list *old = queue->buckets;
    uint32_t old_count = queue->bucket_count;
    queue->bucket_count = old_count ? 2 * old_count : FIRST_BUCKETS;
    queue->buckets = g_new0(struct list, queue->bucket_count);
    for (uint32_t i = 0; i < old_count; i++) {
        struct match_entry *entry;
        while ((entry = LIST_TAKE(&old[i], struct match_entry, link)) != NULL)
            list_append(bucket(queue, entry->tag), &entry->link);
    }
    g_free(old);
}

void match_add(struct match_queue *queue, struct match_entry *entry)
{
    if (queue->count == queue->bucket_count)
        grow(queue);
    queue->count++;
    list_append(bucket(queue, entry->tag), &entry->link);
}

struct match_entry *match_find(const struct match_queue *queue, uint64_t tag)
{
    if (!queue->count)
        return NULL;
    LIST_EACH (struct match_entry, entry, bucket(queue, tag), link)
        if (entry->tag == tag)
            return entry;
    return NULL;
}

void match_remove(struct match_queue *queue, struct match_entry *entry)
{
    list_remove(bucket(queue, entry->tag), &entry->link);
    queue->count--;
}
