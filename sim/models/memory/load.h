/* SPDX-License-Identifier: BSD-3-Clause */
/* One of several independent loads that an agent has under way at a time: what models/host and
 * models/gpu take as a batch. */
#pragma once

#include <stddef.h>

#include "fabric/port.h"

/* The most loads that any agent keeps under way. */
#define LOADS_IN_FLIGHT_MAX 64

/* The most words that a waiting agent polls together, one for each lane. */
#define WAIT_WORDS_MAX 64

struct memory_load {
    address at;
    void *data; /* `bytes` of them */
    size_t bytes;
};
