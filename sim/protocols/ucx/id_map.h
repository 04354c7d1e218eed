/* A small map from numbers to pointers, for caches of registrations and for peers: open addressing, nothing
 * allocated until the first entry. All zero is an empty map. */
#ifndef GPUNETSIM_PROTOCOLS_UCX_ID_MAP_H
#define GPUNETSIM_PROTOCOLS_UCX_ID_MAP_H

#include <stdint.h>

struct id_slot {
    uint64_t key; /* 0: free */
    void *value;
};

struct id_map {
    struct id_slot *slots;
    uint32_t capacity, count; /* capacity a power of two */
};

void id_map_clear(struct id_map *map);

/* Where the value of `key` > 0 lies; NULL there if it is new. Valid until the next call. */
void **id_map_at(struct id_map *map, uint64_t key);

#endif
