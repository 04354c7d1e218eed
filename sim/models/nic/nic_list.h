/* Lists of what waits in a NIC, through a field in the thing itself: in the order of coming, or of keys.
 *
 * Keys count upwards and may wrap: of two keys the lesser is the one from which the other is fewer than
 * 2^31 steps ahead. */
#ifndef GPUNETSIM_MODELS_NIC_NIC_LIST_H
#define GPUNETSIM_MODELS_NIC_NIC_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The first field of what can be in a list; in one list at a time. */
struct nic_item {
    struct nic_item *next;
    uint32_t key;
};

/* All zero: empty. */
struct nic_list {
    struct nic_item *first, *last;
};

static inline bool nic_key_exceeds(uint32_t key, uint32_t limit)
{
    return (int32_t)(key - limit) > 0;
}

/* Behind all others, whatever their keys. */
static inline void nic_list_append(struct nic_list *list, struct nic_item *item)
{
    item->next = NULL;
    *(list->first != NULL ? &list->last->next : &list->first) = item;
    list->last = item;
}

/* Behind those whose keys do not exceed its own, in a list that is in the order of keys. */
static inline void nic_list_insert(struct nic_list *list, struct nic_item *item)
{
    if (list->first == NULL || !nic_key_exceeds(list->last->key, item->key)) {
        nic_list_append(list, item);
        return;
    }
    struct nic_item **place = &list->first;
    while (!nic_key_exceeds((*place)->key, item->key))
        place = &(*place)->next;
    item->next = *place;
    *place = item;
}

/* Takes the first out of a list that has one. */
static inline struct nic_item *nic_list_take(struct nic_list *list)
{
    struct nic_item *item = list->first;
    list->first = item->next;
    return item;
}

/* Takes the first out whose key does not exceed `limit`; NULL if there is none. */
static inline struct nic_item *nic_list_take_up_to(struct nic_list *list, uint32_t limit)
{
    if (list->first == NULL || nic_key_exceeds(list->first->key, limit))
        return NULL;
    return nic_list_take(list);
}

#endif
