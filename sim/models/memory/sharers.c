/* Open addressing with linear probing. A line that was held once keeps its place: lines that are
 * shared are shared again. */
#include "models/memory/sharers.h"

#include <glib.h>

#define FIRST_SIZE 1024
#define NO_LINE UINT64_MAX

void sharers_clear(struct sharers *sharers)
{
    g_free(sharers->places);
    *sharers = (struct sharers){0};
}

/* The place of the line, or the free one where it belongs. */
static struct line_sharers *place_of(const struct sharers *sharers, cache_line line)
{
    size_t i = line * UINT64_C(0x9E3779B97F4A7C15) >> 32;
    for (;; i++) {
        struct line_sharers *place = &sharers->places[i & (sharers->size - 1)];
        if (place->line == line || place->line == NO_LINE)
            return place;
    }
}

static void grow(struct sharers *sharers)
{
    struct sharers grown = {.size = sharers->size > 0 ? 2 * sharers->size : FIRST_SIZE,
                            .count = sharers->count};
    grown.places = g_new(struct line_sharers, grown.size);
    for (size_t i = 0; i < grown.size; i++)
        grown.places[i] = (struct line_sharers){NO_LINE, 0};
    for (size_t i = 0; i < sharers->size; i++)
        if (sharers->places[i].line != NO_LINE)
            *place_of(&grown, sharers->places[i].line) = sharers->places[i];
    g_free(sharers->places);
    *sharers = grown;
}

uint64_t sharers_of(const struct sharers *sharers, cache_line line)
{
    return sharers->size > 0 ? place_of(sharers, line)->set : 0;
}

void sharers_add(struct sharers *sharers, cache_line line, int sharer)
{
    if (2 * sharers->count >= sharers->size)
        grow(sharers);
    struct line_sharers *place = place_of(sharers, line);
    if (place->line == NO_LINE)
        sharers->count++;
    place->line = line;
    place->set |= UINT64_C(1) << sharer;
}

void sharers_keep(struct sharers *sharers, cache_line line, uint64_t set)
{
    if (sharers->size > 0)
        place_of(sharers, line)->set &= set;
}
