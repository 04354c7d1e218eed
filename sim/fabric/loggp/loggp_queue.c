/* SPDX-License-Identifier: BSD-3-Clause */
/* A timing wheel of 8 levels x 256 slots on the bytes of the time, as in core/event.c: a record waits
 * at the level of the highest byte in which its time differs from the wheel's, in the slot of that
 * byte. Slots are lists in the order of pushing, and a slot of level 0 holds one single time.
 *
 * There the order of serials is wanted. Records that are pushed once, as most are, come in that
 * order, from above and directly. One that was put off comes with an old serial: a slot in which a
 * record came behind a greater serial is marked, and sorted before the first is taken out of it.
 *
 * A record that was put off to the wheel's present, or lies in its past, cannot wait in the wheel
 * without that slot being sorted again and again. It waits in a small heap, and what is taken out is
 * the earlier of the two. */
#include "fabric/loggp/loggp_queue.h"

#include <glib.h>

#define LEVELS 8
#define SLOTS 256
#define WORDS (SLOTS / 64)

struct loggp_slot {
    uint32_t first, last;
};

/* A record in the heap, with its key. */
struct loggp_record_entry {
    uint64_t time, serial;
    uint32_t record;
};

struct loggp_queue {
    struct loggp_records *records;
    uint64_t wheel_time; /* no record in the wheel is earlier */
    uint64_t occupied[LEVELS][WORDS];
    uint64_t unsorted[WORDS]; /* of level 0 */
    struct loggp_slot slots[LEVELS][SLOTS];
    struct loggp_record_entry *heap;
    size_t heap_count, heap_room;
};

struct loggp_queue *loggp_queue_new(struct loggp_records *records)
{
    struct loggp_queue *queue = g_new0(struct loggp_queue, 1);
    queue->records = records;
    return queue;
}

void loggp_queue_free(struct loggp_queue *queue)
{
    g_free(queue->heap);
    g_free(queue);
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

/* One list of two, both sorted by serial. */
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

/* Cuts off the list's first records as far as they are sorted, and moves `rest` behind them. */
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

static void sort_slot(struct loggp_queue *queue, struct loggp_slot *slot)
{
    struct loggp_record *records = queue->records->at;
    slot->first = sort_list(records, slot->first);
    for (slot->last = slot->first; records[slot->last].next != LOGGP_NONE;)
        slot->last = records[slot->last].next;
}

/* --- the wheel -------------------------------------------------------------------------------- */

static inline void append(struct loggp_queue *queue, uint32_t record)
{
    struct loggp_record *records = queue->records->at, *at = &records[record];
    uint64_t differs = at->time ^ queue->wheel_time;
    unsigned level = differs ? (63u - (unsigned)__builtin_clzll(differs)) / 8 : 0;
    unsigned index = (at->time >> (8 * level)) & (SLOTS - 1);
    struct loggp_slot *slot = &queue->slots[level][index];
    uint64_t *word = &queue->occupied[level][index / 64], bit = UINT64_C(1) << (index % 64);
    at->next = LOGGP_NONE;
    if (*word & bit) {
        records[slot->last].next = record;
        if (level == 0 && records[slot->last].serial > at->serial)
            queue->unsorted[index / 64] |= bit;
    } else {
        slot->first = record;
    }
    slot->last = record;
    *word |= bit;
}

void loggp_queue_push(struct loggp_queue *queue, uint32_t record, bool fresh)
{
    uint64_t time = queue->records->at[record].time;
    if (time > queue->wheel_time || (fresh && time == queue->wheel_time))
        append(queue, record);
    else
        heap_push(queue, key_of(queue, record));
}

/* The first occupied slot of a level, or -1. The slots before the wheel's time are empty, so that
 * the search may begin there. */
static inline int first_slot(const struct loggp_queue *queue, unsigned level)
{
    unsigned from = (queue->wheel_time >> (8 * level)) & (SLOTS - 1);
    for (unsigned word = from / 64; word < WORDS; word++) {
        if (queue->occupied[level][word])
            return (int)(64 * word) + __builtin_ctzll(queue->occupied[level][word]);
    }
    return -1;
}

/* The first slot of the lowest occupied level, or -1. */
static inline int lowest_slot(const struct loggp_queue *queue, unsigned *level)
{
    for (*level = 0; *level < LEVELS; ++*level) {
        int slot = first_slot(queue, *level);
        if (slot >= 0)
            return slot;
    }
    return -1;
}

static inline void vacate(struct loggp_queue *queue, unsigned level, int slot)
{
    queue->occupied[level][slot / 64] &= ~(UINT64_C(1) << (slot % 64));
}

/* The time at which a slot begins. */
static inline uint64_t slot_time(const struct loggp_queue *queue, unsigned level, int slot)
{
    uint64_t above = level == LEVELS - 1 ? 0 : ~UINT64_C(0) << (8 * level + 8);
    return (queue->wheel_time & above) | (uint64_t)slot << (8 * level);
}

/* Turns the wheel to the beginning of a slot and hands its records down. */
static void hand_down(struct loggp_queue *queue, unsigned level, int slot)
{
    uint32_t record = queue->slots[level][slot].first;
    queue->wheel_time = slot_time(queue, level, slot);
    vacate(queue, level, slot);
    while (record != LOGGP_NONE) {
        uint32_t next = queue->records->at[record].next;
        append(queue, record);
        record = next;
    }
}

/* The first record of a slot of level 0. */
static inline uint32_t first_record(struct loggp_queue *queue, int slot)
{
    uint64_t bit = UINT64_C(1) << (slot % 64);
    if (G_UNLIKELY(queue->unsorted[slot / 64] & bit)) {
        sort_slot(queue, &queue->slots[0][slot]);
        queue->unsorted[slot / 64] &= ~bit;
    }
    return queue->slots[0][slot].first;
}

static inline void take_first(struct loggp_queue *queue, int slot)
{
    struct loggp_slot *list = &queue->slots[0][slot];
    const struct loggp_record *first = &queue->records->at[list->first];
    queue->wheel_time = first->time;
    if (first->next == LOGGP_NONE)
        vacate(queue, 0, slot);
    else
        list->first = first->next;
}

uint32_t loggp_queue_pop(struct loggp_queue *queue)
{
    for (;;) {
        unsigned level;
        int slot = lowest_slot(queue, &level);
        if (slot < 0)
            return queue->heap_count > 0 ? heap_pop(queue) : LOGGP_NONE;
        if (level > 0) {
            if (queue->heap_count > 0 && queue->heap[0].time < slot_time(queue, level, slot))
                return heap_pop(queue);
            hand_down(queue, level, slot);
            continue;
        }
        uint32_t first = first_record(queue, slot);
        struct loggp_record_entry key = key_of(queue, first);
        if (queue->heap_count > 0 && earlier(&queue->heap[0], &key))
            return heap_pop(queue);
        take_first(queue, slot);
        return first;
    }
}
