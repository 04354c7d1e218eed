/* SPDX-License-Identifier: BSD-3-Clause */
/* Tag matching: receives that wait for messages, or messages that wait for receives, found by their tag, as in UCX (M-117).
 * Tags are compared whole: no runtime here receives with a wildcard. */
#pragma once

#include "core/map.h"

/* First member of what is queued. */
struct match_entry {
    uint64_t tag;                    /* any but UINT64_MAX */
    struct match_entry *next, *last; /* with that tag; `last` is known of the first one */
};

/* All zero is an empty queue. */
struct match_queue {
    struct map firsts; /* struct match_entry by tag: the one that was added first */
    uint32_t count;    /* of entries */
};

/* Frees the table. Entries belong to their owners. */
static inline void match_clear(struct match_queue *queue)
{
    map_clear(&queue->firsts);
}

void match_add(struct match_queue *queue, struct match_entry *entry);

/* The entry with that tag that was added first, or NULL. */
static inline struct match_entry *match_find(const struct match_queue *queue, uint64_t tag)
{
    const union map_value *first = map_find(&queue->firsts, tag);
    return first != NULL ? first->pointer : NULL;
}

/* Takes out what match_find has found. */
void match_remove(struct match_queue *queue, struct match_entry *entry);
