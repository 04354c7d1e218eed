/* Objects are cut from blocks and linked through their first word while they are free. Which object
 * is handed out depends only on the order of the calls, never on addresses. */
#include "core/pool.h"

#include <glib.h>
#include <stdalign.h>
#include <string.h>

/* Blocks hold 64 objects, large ones fewer: many pools never hand out more than a few. */
#define OBJECTS_A_BLOCK 64
#define BLOCK_BYTES 4096

struct pool_free {
    struct pool_free *next;
};

struct pool_block {
    struct pool_block *next;
    alignas(max_align_t) unsigned char objects[];
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
        g_free(block);
    }
    pool->free = NULL;
}

static void add_block(struct pool *pool)
{
    size_t count = CLAMP(BLOCK_BYTES / pool->object_bytes, 1, OBJECTS_A_BLOCK);
    struct pool_block *block = g_malloc(sizeof(struct pool_block) + count * pool->object_bytes);
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
