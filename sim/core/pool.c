/* SPDX-License-Identifier: BSD-3-Clause */
/* Objects are cut from blocks and linked through their first word while they are free. Which object
 * is handed out depends only on the order of the calls, never on addresses. */
#include "core/pool.h"

#include <glib.h>
#include <stdalign.h>
#include <string.h>

#include "core/pages.h"

/* The first block holds 64 objects, fewer if they are large: many pools never hand out more than a few. A later block is as
 * large as all blocks before it, so that pools of many objects lie in few large blocks (core/pages.h). */
#define FIRST_OBJECTS 64
#define FIRST_BYTES 4096
#define MOST_BYTES ((size_t)8 << 20)
#define CACHE_LINE 64 /* the size of a cache line, to which blocks are aligned */

struct pool_free {
    struct pool_free *next;
};

struct pool_block {
    struct pool_block *next;
    size_t bytes, all_bytes; /* objects in the block; in it and the blocks before it */
    alignas(CACHE_LINE) unsigned char objects[];
};

void pool_init(struct pool *pool, size_t object_bytes)
{
    size_t align = alignof(max_align_t);
    *pool = (struct pool){.object_bytes = (object_bytes + align - 1) / align * align};
}

void pool_clear(struct pool *pool)
{
    while (pool->blocks) {
        struct pool_block *block = pool->blocks;
        pool->blocks = block->next;
        pages_free(block, block->bytes);
    }
    pool->free = NULL;
}

static void add_block(struct pool *pool)
{
    const struct pool_block *last = pool->blocks;
    size_t count = last != NULL ? MAX(MIN(last->all_bytes, MOST_BYTES) / pool->object_bytes, 1)
                                : CLAMP(FIRST_BYTES / pool->object_bytes, 1, FIRST_OBJECTS);
    size_t bytes = sizeof(struct pool_block) + count * pool->object_bytes;
    struct pool_block *block = pages_new(bytes);
    block->bytes = bytes;
    block->all_bytes = bytes + (last != NULL ? last->all_bytes : 0);
    block->next = pool->blocks;
    pool->blocks = block;
    for (size_t i = count; i-- > 0;)
        pool_give(pool, block->objects + i * pool->object_bytes);
}

void *pool_take_unset(struct pool *pool)
{
    if (!pool->free)
        add_block(pool);
    struct pool_free *object = pool->free;
    pool->free = object->next;
    __builtin_prefetch(pool->free); /* the next one */
    return object;
}

void *pool_take(struct pool *pool)
{
    return memset(pool_take_unset(pool), 0, pool->object_bytes);
}

void pool_give(struct pool *pool, void *object)
{
    struct pool_free *given = object;
    given->next = pool->free;
    pool->free = given;
}
