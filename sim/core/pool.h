/* SPDX-License-Identifier: BSD-3-Clause */
/* Pools of objects of one size: given back objects are handed out again, so that what comes and
 * goes with every transfer or packet costs no allocation once the run is warm. */
#pragma once

#include <stddef.h>

struct pool {
    size_t object_bytes;
    struct pool_free *free; /* last given back, first handed out */
    struct pool_block *blocks;
};

/* For objects of `object_bytes`. pool_clear gives the memory back, whoever still holds objects. */
void pool_init(struct pool *pool, size_t object_bytes);
void pool_clear(struct pool *pool);

/* An object, all zero; with whatever is in it, for who fills it in himself; and back. */
void *pool_take(struct pool *pool);
void *pool_take_unset(struct pool *pool);
void pool_give(struct pool *pool, void *object);
