/* SPDX-License-Identifier: BSD-3-Clause */
/* Pools of objects of one size: objects that were given back are handed out again, so that an object for every transfer or
 * packet costs no allocation once the run is warm. */
#pragma once

#include <stddef.h>

struct pool {
    size_t object_bytes;
    struct pool_free *free; /* the object given back last is handed out first */
    struct pool_block *blocks;
};

/* Makes a pool of objects of `object_bytes` bytes. pool_clear frees the memory of all objects, also of those that are in use. */
void pool_init(struct pool *pool, size_t object_bytes);
void pool_clear(struct pool *pool);

/* pool_take hands out an object of zeros, pool_take_unset one with arbitrary contents; pool_give takes an object back. */
void *pool_take(struct pool *pool);
void *pool_take_unset(struct pool *pool);
void pool_give(struct pool *pool, void *object);
