/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists (core/list.h) of items that wait in a NIC, in the order of their keys.
 *
 * Keys count upwards and may wrap: of two keys the lesser is the one from which the other is fewer than
 * 2^31 steps ahead. */
#pragma once

#include "core/list.h"

/* The first field of a struct that can be in a list, in one list at a time. */
struct nic_item {
    struct list_link link;
    uint32_t key;
};

static inline bool nic_key_exceeds(uint32_t key, uint32_t limit)
{
    return (int32_t)(key - limit) > 0;
}

static inline struct nic_item *nic_list_first(const struct list *list)
{
    return LIST_FIRST(list, struct nic_item, link);
}

/* Inserts the item behind those whose keys do not exceed its own, in a list in the order of keys. */
static inline void nic_list_insert(struct list *list, struct nic_item *item)
{
    struct nic_item *before = LIST_LAST(list, struct nic_item, link), *next = NULL;
    while (before != NULL && nic_key_exceeds(before->key, item->key)) {
        next = before;
        before = LIST_PREVIOUS(before, struct nic_item, link);
    }
    list_insert(list, &item->link, next != NULL ? &next->link : NULL);
}

/* Removes and returns the first item whose key does not exceed `limit`; NULL if there is none. */
static inline struct nic_item *nic_list_take_up_to(struct list *list, uint32_t limit)
{
    struct nic_item *first = nic_list_first(list);
    if (first == NULL || nic_key_exceeds(first->key, limit))
        return NULL;
    list_remove(list, &first->link);
    return first;
}
