/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/map.h"

#include <glib.h>

#include "core/check.h"

#define FIRST_CAPACITY 8

void map_clear(struct map *map)
{
    g_free(map->slots);
    *map = (struct map){0};
}

void map_clear_with(struct map *map, void (*free_value)(void *pointer))
{
    for (size_t i = 0; i < map->capacity; i++)
        if (map->slots[i].key != 0)
            free_value(map->slots[i].value.pointer);
    map_clear(map);
}

static void grow(struct map *map)
{
    struct map old = *map;
    map->capacity = old.capacity > 0 ? 2 * old.capacity : FIRST_CAPACITY;
    check_always(map->capacity <= (size_t)1 << 32, "a map of more than 2^31 keys");
    map->slots = g_new0(struct map_slot, map->capacity);
    for (size_t i = 0; i < old.capacity; i++)
        if (old.slots[i].key != 0)
            *map_slot_of(map, old.slots[i].key) = old.slots[i];
    g_free(old.slots);
}

union map_value *map_at(struct map *map, uint64_t key)
{
    check_debug(key != UINT64_MAX, "the greatest number is no key of a map");
    if (2 * map->count >= map->capacity)
        grow(map);
    struct map_slot *slot = map_slot_of(map, key + 1);
    if (slot->key == 0) {
        slot->key = key + 1;
        map->count++;
    }
    return &slot->value;
}

bool map_add(struct map *map, uint64_t key)
{
    size_t before = map->count;
    map_at(map, key);
    return map->count > before;
}

/* The first key behind the gap whose search passes it moves into it, and so on: otherwise a search would end too early. */
void map_remove(struct map *map, uint64_t key)
{
    union map_value *value = map_find(map, key);
    if (value == NULL)
        return;
    size_t mask = map->capacity - 1, gap = (size_t)(map_slot_of(map, key + 1) - map->slots);
    for (size_t i = (gap + 1) & mask; map->slots[i].key != 0; i = (i + 1) & mask) {
        if (((i - map_home(map, map->slots[i].key)) & mask) < ((i - gap) & mask))
            continue;
        map->slots[gap] = map->slots[i];
        gap = i;
    }
    map->slots[gap] = (struct map_slot){0};
    map->count--;
}
