/* SPDX-License-Identifier: BSD-3-Clause */
#include "protocols/ucx/matching.h"

void match_add(struct match_queue *queue, struct match_entry *entry)
{
    void **place = &map_at(&queue->firsts, entry->tag)->pointer;
    struct match_entry *first = *place;
    queue->count++;
    entry->next = NULL;
    if (first != NULL)
        first->last->next = entry;
    else
        *place = first = entry;
    first->last = entry;
}

void match_remove(struct match_queue *queue, struct match_entry *entry)
{
    queue->count--;
    if (entry->next == NULL) {
        map_remove(&queue->firsts, entry->tag);
        return;
    }
    entry->next->last = entry->last;
    map_at(&queue->firsts, entry->tag)->pointer = entry->next;
}
