/* SPDX-License-Identifier: BSD-3-Clause */
/* Sanitizers make everything 10 to 30 times as slow. They look for faults of memory, which a sample of what a test tries
 * shows as well; the optimised build tries all of it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#ifdef GPUNETSIM_SANITIZED
#define IS_SANITIZED true
#else
#define IS_SANITIZED false
#endif

/* Whether the `number`th case is tried: under sanitizers one in `one_in`, else all. */
static inline bool is_sampled(size_t number, size_t one_in)
{
    return !IS_SANITIZED || number % one_in == 0;
}
