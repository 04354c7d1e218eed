/* SPDX-License-Identifier: BSD-3-Clause */
/* The cookie that travels with a NIC command and comes back in its completion: the thread of the
 * network library and the context that it was issued for, and the operation's number (core/observe.h).
 * This is the one place that says how it is laid out; the parts must fit the bits given here.
 *
 *   63          48 47          32 31                                   0
 *   |    thread    |   context    |              operation              |
 *
 * A thread is one of a service, or a work-group that serves itself. */
#pragma once

#include "core/observe.h"

#define COOKIE_THREAD_BITS 16
#define COOKIE_CONTEXT_BITS 16
#define COOKIE_OPERATION_BITS OBSERVE_NUMBER_BITS
_Static_assert(COOKIE_THREAD_BITS + COOKIE_CONTEXT_BITS + COOKIE_OPERATION_BITS == 64,
               "the parts of a cookie fill its 64 bits");

/* The least number that does not fit. */
#define COOKIE_THREADS (UINT64_C(1) << COOKIE_THREAD_BITS)
#define COOKIE_CONTEXTS (UINT64_C(1) << COOKIE_CONTEXT_BITS)
#define COOKIE_OPERATIONS (UINT64_C(1) << COOKIE_OPERATION_BITS)

static inline uint64_t cookie_make(uint64_t thread, uint64_t context, uint64_t operation)
{
    return (thread << COOKIE_CONTEXT_BITS | context) << COOKIE_OPERATION_BITS | operation;
}

static inline uint64_t cookie_thread(uint64_t cookie)
{
    return cookie >> (COOKIE_CONTEXT_BITS + COOKIE_OPERATION_BITS);
}

static inline uint64_t cookie_context(uint64_t cookie)
{
    return cookie >> COOKIE_OPERATION_BITS & (COOKIE_CONTEXTS - 1);
}
