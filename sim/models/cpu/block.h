/* SPDX-License-Identifier: BSD-3-Clause */
/* Where a message's payload lies. Contents are not simulated. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum block_kind { BLOCK_PAGEABLE, BLOCK_PINNED, BLOCK_DEVICE };

/* A piece of memory; passed by value. */
struct block {
    int32_t port; /* platform port of the socket or GPU whose memory it is */
    uint8_t kind; /* enum block_kind */
    uint32_t
        id; /* its allocation, by which caches of registrations, handles and pointers know it; 0: always a new one */
    int64_t bytes; /* >= 0 */
};

static inline bool block_is_device(struct block block)
{
    return block.kind == BLOCK_DEVICE;
}
