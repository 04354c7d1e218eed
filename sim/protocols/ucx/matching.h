/* SPDX-License-Identifier: BSD-3-Clause */
/* Tag matching: receives that wait for messages, and messages that wait for receives, each in the order they came. Receives of
 * one exact tag and all messages are found by a hash of the tag, as in UCX (M-117); receives with a wildcard, and messages
 * sought with one, by going through the list. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/list.h"

#define MATCH_EXACT UINT64_MAX /* a mask without wildcard */

/* First member of what is queued. */
struct match_entry {
    uint64_t tag, mask;
    uint64_t order;                   /* number of its arrival, within its queue */
    struct list_link listed, chained; /* in the list, in a bucket of the hash */
    bool is_listed, is_chained;
};

/* All zero is an empty queue; its table is made when it is first needed. */
struct match_queue {
    struct list list;
    struct list *buckets;
    uint32_t bucket_count; /* a power of two */
    uint32_t chained;
    uint64_t next_order;
};

/* Frees the table. Entries belong to their owners. */
void match_clear(struct match_queue *queue);

/* --- receives that were posted: entry->tag and ->mask --- */

void match_post(struct match_queue *queue, struct match_entry *entry);

/* The receive posted first that a message with `tag` matches, or NULL. Adds to `looks` how many entries a library looks at: the one
 * with exactly that tag, and wildcards up to the one that matches. */
struct match_entry *match_posted(const struct match_queue *queue, uint64_t tag, int64_t *looks);

/* --- messages without a receive: entry->tag --- */

void match_arrive(struct match_queue *queue, struct match_entry *entry);

/* The message that came first and matches `tag` in the bits of `mask`, or NULL. */
struct match_entry *match_unexpected(const struct match_queue *queue, uint64_t tag, uint64_t mask,
                                     int64_t *looks);

/* Takes an entry out of its queue. */
void match_remove(struct match_queue *queue, struct match_entry *entry);
