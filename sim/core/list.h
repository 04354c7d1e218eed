/* SPDX-License-Identifier: BSD-3-Clause */
/* The one list of the simulator: doubly linked through a field of the items themselves, so that nothing is allocated, and an
 * item in the middle is taken out at once. An item may have several links, one for each list that it can be in at a time.
 *
 * The event queue and the LogGOPS machine link records by their 32-bit numbers instead: they have millions. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct list_link {
    struct list_link *next, *previous;
};

/* A list; all zero: empty. It does not own its items. */
struct list {
    struct list_link *first, *last;
};

static inline bool list_is_empty(const struct list *list)
{
    return list->first == NULL;
}

/* Inserts a link in front of `next`, which is in the list; NULL: at the end. */
static inline void list_insert(struct list *list, struct list_link *link, struct list_link *next)
{
    struct list_link *previous = next != NULL ? next->previous : list->last;
    link->next = next;
    link->previous = previous;
    *(previous != NULL ? &previous->next : &list->first) = link;
    *(next != NULL ? &next->previous : &list->last) = link;
}

static inline void list_append(struct list *list, struct list_link *link)
{
    struct list_link *last = list->last;
    link->next = NULL;
    link->previous = last;
    *(last != NULL ? &last->next : &list->first) = link;
    list->last = link;
}

static inline void list_prepend(struct list *list, struct list_link *link)
{
    list_insert(list, link, list->first);
}

/* Takes out an item that is in the list. Its link keeps its pointers, so that a walk may go on from it. */
static inline void list_remove(struct list *list, const struct list_link *link)
{
    *(link->previous != NULL ? &link->previous->next : &list->first) = link->next;
    *(link->next != NULL ? &link->next->previous : &list->last) = link->previous;
}

/* Takes out all items before `first`, which is in the list; NULL: all items. */
static inline void list_begin_with(struct list *list, struct list_link *first)
{
    list->first = first;
    *(first != NULL ? &first->previous : &list->last) = NULL;
}

/* Takes the first out; NULL if there is none. */
static inline struct list_link *list_take(struct list *list)
{
    struct list_link *first = list->first;
    if (first != NULL)
        list_remove(list, first);
    return first;
}

/* The item whose link lies `offset` bytes behind the item's beginning; NULL for NULL. */
static inline void *list_item(const struct list_link *link, size_t offset)
{
    return link != NULL ? (void *)((uintptr_t)link - offset) : NULL;
}

/* The same by the type of the item and the name of its link. The macros below use it for the first and the last item of a list,
 * the item behind and before another one, and for taking out the first item. NULL if there is none. */
#define LIST_ITEM(link, type, member) ((type *)list_item((link), offsetof(type, member)))
#define LIST_FIRST(list, type, member) LIST_ITEM((list)->first, type, member)
#define LIST_LAST(list, type, member) LIST_ITEM((list)->last, type, member)
#define LIST_NEXT(item, type, member) LIST_ITEM((item)->member.next, type, member)
#define LIST_PREVIOUS(item, type, member) LIST_ITEM((item)->member.previous, type, member)
#define LIST_TAKE(list, type, member) LIST_ITEM(list_take(list), type, member)

/* Walks over the items from the first to the last. The body may take out `item` if it then ends the walk or leaves
 * the item's memory as it is. */
#define LIST_EACH(type, item, list, member)                                                        \
    for (type *item = LIST_FIRST(list, type, member); item != NULL;                                \
         item = LIST_NEXT(item, type, member))
