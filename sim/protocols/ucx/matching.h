/* SPDX-License-Identifier: BSD-3-Clause */
/* Tag matching: receives that wait for messages, or messages that wait for receives, found by a hash of the tag, as in UCX (M-117).
 * Tags are compared whole: no runtime here receives with a wildcard. */
#pragma once

#include "core/list.h"

/* First member of what is queued. */
struct match_entry {
    uint64_t tag;
    struct list_link link; /* in a bucket of the hash */
};

/* All zero is an empty queue; its table is made when it is first needed. */
struct match_queue {
    struct list *buckets;
    uint32_t bucket_count; /* a power of two */
    uint32_t count;        /* of entries */
};

/* Frees the table. Entries belong to their owners. */
void match_clear(struct match_queue *queue);

void match_add(struct match_queue *queue, struct match_entry *entry);

/* The entry with that tag that was added first, or NULL. */
struct match_entry *match_find(const struct match_queue *queue, uint64_t tag);

/* Takes an entry out of its queue. */
void match_remove(struct match_queue *queue, struct match_entry *entry);
