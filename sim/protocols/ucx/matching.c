#include "protocols/ucx/matching.h"

#include <glib.h>
#include <stddef.h>

#define FIRST_BUCKETS 8

/* The two kinds of chain differ in the links they go by. */
static struct match_link *link_of(struct match_entry *entry, size_t offset)
{
    return (struct match_link *)(void *)((char *)entry + offset);
}

static void chain_append(struct match_chain *chain, struct match_entry *entry, size_t offset)
{
    *link_of(entry, offset) = (struct match_link){.before = chain->last};
    if (chain->last)
        link_of(chain->last, offset)->after = entry;
    else
        chain->first = entry;
    chain->last = entry;
}

static void chain_remove(struct match_chain *chain, struct match_entry *entry, size_t offset)
{
    const struct match_link *link = link_of(entry, offset);
    if (link->before)
        link_of(link->before, offset)->after = link->after;
    else
        chain->first = link->after;
    if (link->after)
        link_of(link->after, offset)->before = link->before;
    else
        chain->last = link->before;
}

#define LISTED offsetof(struct match_entry, listed)
#define CHAINED offsetof(struct match_entry, chained)

static struct match_chain *bucket(const struct match_queue *queue, uint64_t tag)
{
    uint64_t hash = (tag ^ tag >> 32) * UINT64_C(0x9e3779b97f4a7c15);
    return &queue->buckets[hash >> 32 & (queue->bucket_count - 1)];
}

void match_clear(struct match_queue *queue)
{
    g_free(queue->buckets);
    *queue = (struct match_queue){0};
}

/* Entries keep their order within a bucket: those of one tag come from one old bucket, in order. */
static void grow(struct match_queue *queue)
{
    struct match_chain *old = queue->buckets;
    uint32_t old_count = queue->bucket_count;
    queue->bucket_count = old_count ? 2 * old_count : FIRST_BUCKETS;
    queue->buckets = g_new0(struct match_chain, queue->bucket_count);
    for (uint32_t i = 0; i < old_count; i++) {
        struct match_entry *next;
        for (struct match_entry *entry = old[i].first; entry; entry = next) {
            next = entry->chained.after;
            chain_append(bucket(queue, entry->tag), entry, CHAINED);
        }
    }
    g_free(old);
}

static void chain_in(struct match_queue *queue, struct match_entry *entry)
{
    if (queue->chained == queue->bucket_count)
        grow(queue);
    queue->chained++;
    entry->is_chained = true;
    chain_append(bucket(queue, entry->tag), entry, CHAINED);
}

static void list_in(struct match_queue *queue, struct match_entry *entry)
{
    entry->is_listed = true;
    chain_append(&queue->list, entry, LISTED);
}

static struct match_entry *find_exact(const struct match_queue *queue, uint64_t tag)
{
    if (!queue->chained)
        return NULL;
    struct match_entry *entry = bucket(queue, tag)->first;
    while (entry && entry->tag != tag)
        entry = entry->chained.after;
    return entry;
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
    for (struct match_entry *entry = queue->list.first; entry; entry = entry->listed.after) {
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
    for (struct match_entry *entry = queue->list.first; entry; entry = entry->listed.after) {
        ++*looks;
        if (!((entry->tag ^ tag) & mask))
            return entry;
    }
    return NULL;
}

void match_remove(struct match_queue *queue, struct match_entry *entry)
{
    if (entry->is_chained) {
        chain_remove(bucket(queue, entry->tag), entry, CHAINED);
        queue->chained--;
    }
    if (entry->is_listed)
        chain_remove(&queue->list, entry, LISTED);
    entry->is_chained = entry->is_listed = false;
}
