/* SPDX-License-Identifier: BSD-3-Clause */
/* The project's map from 64-bit numbers: open addressing with linear probing; nothing is allocated until the first
 * entry. Results depend on keys alone, never on their positions in the table. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

union map_value {
    uint64_t number;
    void *pointer;
};

struct map_slot {
    uint64_t key; /* key + 1; 0: free */
    union map_value value;
};

/* All zero is an empty map. */
struct map {
    struct map_slot *slots;
    size_t capacity, count; /* capacity is 0 or a power of two */
};

/* Empties the map and frees its memory, but not what values point to: map_clear_with first calls `free_value` with each. */
void map_clear(struct map *map);
void map_clear_with(struct map *map, void (*free_value)(void *pointer));

/* Keys often come at regular distances: the multiplication (Fibonacci hashing) spreads them. */
static inline size_t map_home(const struct map *map, uint64_t stored)
{
    return (size_t)(stored * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (map->capacity - 1);
}

/* The slot of a key, as stored, or the free slot where it belongs. Only the map itself calls this. */
static inline struct map_slot *map_slot_of(const struct map *map, uint64_t stored)
{
    for (size_t i = map_home(map, stored);; i = (i + 1) & (map->capacity - 1)) {
        struct map_slot *slot = &map->slots[i];
        if (slot->key == stored || slot->key == 0)
            return slot;
    }
}

/* The value of `key` (any but UINT64_MAX); NULL if it has none. Valid until the next key is added or taken out. */
static inline union map_value *map_find(const struct map *map, uint64_t key)
{
    if (map->count == 0)
        return NULL;
    struct map_slot *slot = map_slot_of(map, key + 1);
    return slot->key != 0 ? &slot->value : NULL;
}

/* The value of `key`, which is added with a value of zeros if it is new. */
union map_value *map_at(struct map *map, uint64_t key);

/* Adds a key; false if it was there. */
bool map_add(struct map *map, uint64_t key);

/* Takes a key out, if it is there. */
void map_remove(struct map *map, uint64_t key);
