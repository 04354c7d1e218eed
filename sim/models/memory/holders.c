/* Open addressing with linear probing. A line that was held once keeps its place: lines that are
 * shared are shared again. */
#include "models/memory/holders.h"

#include <glib.h>

#define FIRST_SIZE 1024
#define NO_LINE UINT64_MAX

void holders_clear(struct holders *holders)
{
    g_free(holders->places);
    *holders = (struct holders){0};
}

/* The place of the line, or the free one where it belongs. */
static struct line_holders *place_of(const struct holders *holders, cache_line line)
{
    size_t i = line * UINT64_C(0x9E3779B97F4A7C15) >> 32;
    for (;; i++) {
        struct line_holders *place = &holders->places[i & (holders->size - 1)];
        if (place->line == line || place->line == NO_LINE)
            return place;
    }
}

static void grow(struct holders *holders)
{
    struct holders grown = {.size = holders->size > 0 ? 2 * holders->size : FIRST_SIZE,
                            .count = holders->count};
    grown.places = g_new(struct line_holders, grown.size);
    for (size_t i = 0; i < grown.size; i++)
        grown.places[i] = (struct line_holders){NO_LINE, 0};
    for (size_t i = 0; i < holders->size; i++)
        if (holders->places[i].line != NO_LINE)
            *place_of(&grown, holders->places[i].line) = holders->places[i];
    g_free(holders->places);
    *holders = grown;
}

uint64_t holders_of(const struct holders *holders, cache_line line)
{
    return holders->size > 0 ? place_of(holders, line)->set : 0;
}

void holders_add(struct holders *holders, cache_line line, int holder)
{
    if (2 * holders->count >= holders->size)
        grow(holders);
    struct line_holders *place = place_of(holders, line);
    if (place->line == NO_LINE)
        holders->count++;
    place->line = line;
    place->set |= UINT64_C(1) << holder;
}

void holders_keep(struct holders *holders, cache_line line, uint64_t set)
{
    if (holders->size > 0)
        place_of(holders, line)->set &= set;
}
