#include "protocols/ucx/id_map.h"

#include <glib.h>

#define FIRST_CAPACITY 8

void id_map_clear(struct id_map *map)
{
    g_free(map->slots);
    *map = (struct id_map){0};
}

static struct id_slot *find(const struct id_map *map, uint64_t key)
{
    uint64_t place = key * UINT64_C(0x9e3779b97f4a7c15) >> 32;
    for (;; place++) {
        struct id_slot *slot = &map->slots[place & (map->capacity - 1)];
        if (slot->key == key || slot->key == 0)
            return slot;
    }
}

static void grow(struct id_map *map)
{
    struct id_map old = *map;
    map->capacity = old.capacity ? 2 * old.capacity : FIRST_CAPACITY;
    map->slots = g_new0(struct id_slot, map->capacity);
    for (uint32_t i = 0; i < old.capacity; i++)
        if (old.slots[i].key)
            *find(map, old.slots[i].key) = old.slots[i];
    g_free(old.slots);
}

void **id_map_at(struct id_map *map, uint64_t key)
{
    if (4 * map->count >= 3 * map->capacity)
        grow(map);
    struct id_slot *slot = find(map, key);
    if (slot->key == 0) {
        slot->key = key;
        map->count++;
    }
    return &slot->value;
}
