/* SPDX-License-Identifier: BSD-3-Clause */
/* Plain lists, searched from the front: the lists of a rank are short in all but unusual programs, and LOGGP_ANY on either side
 * is only one more comparison. */
#include "fabric/loggp/loggp_match.h"

#include <glib.h>

#include "core/check.h"

void loggp_entries_clear(struct loggp_entries *entries)
{
    g_free(entries->entries);
    *entries = (struct loggp_entries){0};
}

static uint32_t take_entry(struct loggp_entries *entries)
{
    uint32_t entry = entries->free;
    if (entry != 0) {
        entries->free = entries->entries[entry].next;
        return entry;
    }
    if (entries->count + 1 >= entries->room) {
        check_always(entries->room < UINT32_MAX / 2, "more than 2^31 messages wait at once");
        entries->room += MAX(1024, entries->room / 4);
        entries->entries = g_renew(struct loggp_entry, entries->entries, entries->room);
    }
    return ++entries->count;
}

void loggp_list_append(struct loggp_list *list, struct loggp_entries *entries,
                       const struct loggp_entry *entry)
{
    uint32_t at = take_entry(entries);
    entries->entries[at] = *entry;
    entries->entries[at].next = 0;
    if (list->last)
        entries->entries[list->last].next = at;
    else
        list->first = at;
    list->last = at;
}

static inline bool agree(uint32_t a, uint32_t b)
{
    return a == b || a == LOGGP_ANY || b == LOGGP_ANY;
}

bool loggp_list_match(struct loggp_list *list, struct loggp_entries *entries, uint32_t source,
                      uint32_t tag, struct loggp_entry *found)
{
    uint32_t before = 0;
    for (uint32_t at = list->first; at; before = at, at = entries->entries[at].next) {
        struct loggp_entry *entry = &entries->entries[at];
        if (!agree(entry->source, source) || !agree(entry->tag, tag))
            continue;
        *found = *entry;
        if (before)
            entries->entries[before].next = entry->next;
        else
            list->first = entry->next;
        if (list->last == at)
            list->last = before;
        entry->next = entries->free;
        entries->free = at;
        return true;
    }
    return false;
}
