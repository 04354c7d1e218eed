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
        while ((entry = LIST_TAKE(&old[i], struct match_entry, chained)) != NULL)
            list_append(bucket(queue, entry->tag), &entry->chained);
    }
    g_free(old);
}

static void chain_in(struct match_queue *queue, struct match_entry *entry)
{
    if (queue->chained == queue->bucket_count)
        grow(queue);
    queue->chained++;
    entry->is_chained = true;
    list_append(bucket(queue, entry->tag), &entry->chained);
}

static void list_in(struct match_queue *queue, struct match_entry *entry)
{
    entry->is_listed = true;
    list_append(&queue->list, &entry->listed);
}

static struct match_entry *find_exact(const struct match_queue *queue, uint64_t tag)
{
    if (!queue->chained)
        return NULL;
    LIST_EACH (struct match_entry, entry, bucket(queue, tag), chained)
        if (entry->tag == tag)
            return entry;
    return NULL;
}

void match_post(struct match_queue *queue, struct match_entry *entry)
{
    entry->order = queue->next_order++;
    if (entry->mask == MATCH_EXACT)
        chain_in(queue, entry);
    else
        list_in(queue, entry);
}

struct match_entry *match_posted(const struct match_queue *queue, uint64_t tag, int64_t *looks)
{
    struct match_entry *exact = find_exact(queue, tag);
    *looks += exact != NULL;
    LIST_EACH (struct match_entry, entry, &queue->list, listed) {
        if (exact && exact->order < entry->order)
            break;
        ++*looks;
        if (!((entry->tag ^ tag) & entry->mask))
            return entry;
    }
    return exact;
}

void match_arrive(struct match_queue *queue, struct match_entry *entry)
{
    entry->order = queue->next_order++;
    chain_in(queue, entry);
    list_in(queue, entry);
}

struct match_entry *match_unexpected(const struct match_queue *queue, uint64_t tag, uint64_t mask,
                                     int64_t *looks)
{
    if (mask == MATCH_EXACT) {
        struct match_entry *exact = find_exact(queue, tag);
        *looks += exact != NULL;
        return exact;
    }
    LIST_EACH (struct match_entry, entry, &queue->list, listed) {
        ++*looks;
        if (!((entry->tag ^ tag) & mask))
            return entry;
    }
    return NULL;
}

void match_remove(struct match_queue *queue, struct match_entry *entry)
{
    if (entry->is_chained) {
        list_remove(bucket(queue, entry->tag), &entry->chained);
        queue->chained--;
    }
    if (entry->is_listed)
        list_remove(&queue->list, &entry->listed);
    entry->is_chained = entry->is_listed = false;
}
