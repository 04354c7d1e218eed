/* SPDX-License-Identifier: BSD-3-Clause */
/* A record waits in the timing wheel (core/wheel.h). Above level 0 a slot is a list of chunks of keys, so that records of large
 * runs, which are not in the cache, are not touched until they reach level 0, where the records themselves are linked. Both are
 * in the order of pushing, but the order of serials is needed. Records that are pushed once, as most are, come in that order,
 * from a higher level or directly. A postponed record comes with an old serial: a slot of level 0 in which a record came after
 * a greater serial is marked, and sorted before its first record is taken.
 *
 * A record that was postponed to the wheel's present, or lies in its past, would need that slot to be sorted again and again. It
 * waits in a small heap instead; the earlier record of wheel and heap is taken out. */
#include "fabric/loggp/loggp_queue.h"

#include <glib.h>
#include <string.h>

#include "core/check.h"
#include "core/pages.h"
#include "core/pool.h"
#include "core/wheel.h"

/* A record in the heap, with its key. */
struct loggp_record_entry {
    uint64_t time, serial;
    uint32_t record;
};

#define CHUNK_KEYS 15

/* Times and numbers of records that wait in a slot above level 0. */
struct chunk {
    struct {
        uint64_t time;
        uint32_t record;
    } keys[CHUNK_KEYS];
    uint32_t count;
    struct chunk *next;
};

struct loggp_queue {
    struct loggp_records *records;
    struct pool chunks;
    struct {
        struct chunk *first, *last;
    } above[WHEEL_LEVELS * WHEEL_SLOTS]; /* by the wheel's slots; level 0 is not used */
    struct wheel wheel;
    uint64_t unsorted[WHEEL_SLOTS / 64]; /* of level 0 */
    struct loggp_record_entry *heap;
    size_t heap_count, heap_room;
};

struct loggp_queue *loggp_queue_new(struct loggp_records *records)
{
    struct loggp_queue *queue = g_new0(struct loggp_queue, 1);
    queue->records = records;
    pool_init(&queue->chunks, sizeof(struct chunk));
    return queue;
}

void loggp_queue_free(struct loggp_queue *queue)
{
    g_free(queue->heap);
    pool_clear(&queue->chunks);
    g_free(queue);
}

/* --- records: one growing array, in large pages, since a large run touches them at random ------ */

void loggp_records_grow(struct loggp_records *records)
{
    check_always(records->room < LOGGP_NONE, "more than 2^32 - 1 operations are pending at once");
    uint32_t before = records->room, step = MAX(1024, before / 2);
    records->room += MIN(step, LOGGP_NONE - before);
    struct loggp_record *at = pages_new(records->room * sizeof *at);
    if (before > 0)
        memcpy(at, records->at, before * sizeof *at);
    pages_free(records->at, before * sizeof *at);
    records->at = at;
}

void loggp_records_clear(struct loggp_records *records)
{
    pages_free(records->at, records->room * sizeof *records->at);
    *records = (struct loggp_records){.free = LOGGP_NONE};
}

/* --- the heap --------------------------------------------------------------------------------- */

static inline bool earlier(const struct loggp_record_entry *a, const struct loggp_record_entry *b)
{
    return a->time != b->time ? a->time < b->time : a->serial < b->serial;
}

static inline struct loggp_record_entry key_of(const struct loggp_queue *queue, uint32_t record)
{
    const struct loggp_record *at = &queue->records->at[record];
    return (struct loggp_record_entry){at->time, at->serial, record};
}

static void heap_push(struct loggp_queue *queue, struct loggp_record_entry entry)
{
    if (queue->heap_count == queue->heap_room) {
        queue->heap_room += MAX((size_t)256, queue->heap_room / 2);
        queue->heap = g_renew(struct loggp_record_entry, queue->heap, queue->heap_room);
    }
    size_t at = queue->heap_count++;
    for (; at > 0 && earlier(&entry, &queue->heap[(at - 1) / 2]); at = (at - 1) / 2)
        queue->heap[at] = queue->heap[(at - 1) / 2];
    queue->heap[at] = entry;
}

static uint32_t heap_pop(struct loggp_queue *queue)
{
    struct loggp_record_entry *heap = queue->heap, last = heap[--queue->heap_count];
    uint32_t top = heap[0].record;
    size_t at = 0, child;
    while ((child = 2 * at + 1) < queue->heap_count) {
        child += child + 1 < queue->heap_count && earlier(&heap[child + 1], &heap[child]);
        if (!earlier(&heap[child], &last))
            break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = last;
    return top;
}

/* --- sorting a slot --------------------------------------------------------------------------- */

/* Merges two lists, both sorted by serial. */
static uint32_t merge(struct loggp_record *records, uint32_t a, uint32_t b)
{
    uint32_t first, *end = &first;
    while (a != LOGGP_NONE && b != LOGGP_NONE) {
        uint32_t *lesser = records[a].serial < records[b].serial ? &a : &b;
        *end = *lesser;
        end = &records[*lesser].next;
        *lesser = *end;
    }
    *end = a != LOGGP_NONE ? a : b;
    return first;
}

/* Cuts off the sorted records at the start of the list, and moves `rest` behind them. */
static uint32_t cut_run(struct loggp_record *records, uint32_t *rest)
{
    uint32_t run = *rest, last = run;
    while (records[last].next != LOGGP_NONE &&
           records[records[last].next].serial > records[last].serial)
        last = records[last].next;
    *rest = records[last].next;
    records[last].next = LOGGP_NONE;
    return run;
}

/* A natural merge sort; sorted[i] is the merger of 2^i runs. */
static uint32_t sort_list(struct loggp_record *records, uint32_t list)
{
    uint32_t sorted[32], count = 0;
    for (uint32_t runs = 0; list != LOGGP_NONE; runs++) {
        uint32_t run = cut_run(records, &list);
        for (uint32_t i = 0; runs >> i & 1; i++)
            run = merge(records, sorted[--count], run);
        sorted[count++] = run;
    }
    uint32_t all = sorted[--count];
    while (count > 0)
        all = merge(records, sorted[--count], all);
    return all;
}

static void sort_slot(struct loggp_queue *queue, struct wheel_slot *slot)
{
    struct loggp_record *records = queue->records->at;
    slot->first = sort_list(records, slot->first);
    for (slot->last = slot->first; records[slot->last].next != LOGGP_NONE;)
        slot->last = records[slot->last].next;
}

/* --- the wheel -------------------------------------------------------------------------------- */

/* Puts the record at the end of a slot of level 0. */
static inline void link_record(struct loggp_queue *queue, unsigned number, uint32_t record)
{
    struct loggp_record *records = queue->records->at;
    struct wheel_slot *slot = &queue->wheel.slots[number];
    records[record].next = LOGGP_NONE;
    if (!wheel_is_marked(&queue->wheel, number)) {
        slot->first = record;
        wheel_mark(&queue->wheel, number);
    } else {
        records[slot->last].next = record;
        if (records[slot->last].serial > records[record].serial)
            queue->unsorted[number / 64] |= UINT64_C(1) << number % 64;
    }
    slot->last = record;
}

/* Makes a new chunk the last one of a slot above level 0. */
static struct chunk *add_chunk(struct loggp_queue *queue, unsigned number)
{
    struct chunk *chunk = pool_take_unset(&queue->chunks);
    chunk->count = 0;
    chunk->next = NULL;
    if (wheel_is_marked(&queue->wheel, number))
        queue->above[number].last->next = chunk;
    else
        queue->above[number].first = chunk;
    queue->above[number].last = chunk;
    wheel_mark(&queue->wheel, number);
    return chunk;
}

/* Puts the record at the end of the slot for its time. */
static inline void append(struct loggp_queue *queue, uint64_t time, uint32_t record)
{
    unsigned number = wheel_place(&queue->wheel, (int64_t)time);
    struct chunk *last = queue->above[number].last;
    if (number < WHEEL_SLOTS) {
        link_record(queue, number, record);
        return;
    }
    if (!wheel_is_marked(&queue->wheel, number) || last->count == CHUNK_KEYS)
        last = add_chunk(queue, number);
    last->keys[last->count].time = time;
    last->keys[last->count++].record = record;
}

void loggp_queue_push(struct loggp_queue *queue, uint32_t record, bool fresh)
{
    int64_t time = (int64_t)queue->records->at[record].time;
    if (time > queue->wheel.now || (fresh && time == queue->wheel.now))
        append(queue, (uint64_t)time, record);
    else
        heap_push(queue, key_of(queue, record));
}

/* Turns the wheel to the beginning of a slot and moves its records to lower levels. */
static void hand_down(struct loggp_queue *queue, unsigned number)
{
    struct chunk *chunk = queue->above[number].first;
    queue->wheel.now = wheel_base(&queue->wheel, number);
    wheel_unmark(&queue->wheel, number);
    while (chunk) {
        struct chunk *next = chunk->next;
        for (uint32_t i = 0; number < 2 * WHEEL_SLOTS && i < chunk->count; i++)
            __builtin_prefetch(&queue->records->at[chunk->keys[i].record], 1);
        for (uint32_t i = 0; i < chunk->count; i++)
            append(queue, chunk->keys[i].time, chunk->keys[i].record);
        pool_give(&queue->chunks, chunk);
        chunk = next;
    }
}

/* The first record of a slot of level 0. */
static inline uint32_t first_record(struct loggp_queue *queue, unsigned number)
{
    uint64_t bit = UINT64_C(1) << number % 64;
    if (G_UNLIKELY(queue->unsorted[number / 64] & bit)) {
        sort_slot(queue, &queue->wheel.slots[number]);
        queue->unsorted[number / 64] &= ~bit;
    }
    return queue->wheel.slots[number].first;
}

/* Takes the first record out of a slot of level 0. */
static inline uint32_t take_first(struct loggp_queue *queue, unsigned number)
{
    struct wheel_slot *slot = &queue->wheel.slots[number];
    uint32_t record = slot->first;
    const struct loggp_record *first = &queue->records->at[record];
    queue->wheel.now = (int64_t)first->time;
    slot->first = first->next;
    if (first->next == LOGGP_NONE)
        wheel_unmark(&queue->wheel, number);
    return record;
}

uint32_t loggp_queue_pop(struct loggp_queue *queue)
{
    const struct loggp_record_entry *top = queue->heap_count > 0 ? queue->heap : NULL;
    while (!wheel_is_empty(&queue->wheel)) {
        unsigned number = wheel_lowest(&queue->wheel);
        if (number < WHEEL_SLOTS) {
            struct loggp_record_entry key = key_of(queue, first_record(queue, number));
            return top && earlier(top, &key) ? heap_pop(queue) : take_first(queue, number);
        }
        if (top && (int64_t)top->time < wheel_base(&queue->wheel, number))
            return heap_pop(queue);
        hand_down(queue, number);
    }
    return top ? heap_pop(queue) : LOGGP_NONE;
}
