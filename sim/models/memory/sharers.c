/* SPDX-License-Identifier: BSD-3-Clause */
/* A line that was once held keeps its place in the table, since shared lines are shared again. */
#include "models/memory/sharers.h"

void sharers_clear(struct sharers *sharers)
{
    map_clear(&sharers->lines);
}

uint64_t sharers_of(const struct sharers *sharers, cache_line line)
{
    const union map_value *set = map_find(&sharers->lines, line);
    return set != NULL ? set->number : 0;
}

void sharers_add(struct sharers *sharers, cache_line line, int sharer)
{
    map_at(&sharers->lines, line)->number |= UINT64_C(1) << sharer;
}

void sharers_keep(struct sharers *sharers, cache_line line, uint64_t set)
{
    union map_value *kept = map_find(&sharers->lines, line);
    if (kept != NULL)
        kept->number &= set;
}
