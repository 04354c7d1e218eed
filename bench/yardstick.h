/* SPDX-License-Identifier: BSD-3-Clause */
/* The yardstick Y(n) of all benches: the simplest event queue there is, a binary heap of 16-byte
 * entries (time, payload) in one loop, in the hold model: take the earliest of n pending entries, put
 * it back a random delay later. Machines differ, and so do hours; the ratio to Y much less. */
#ifndef GPUNETSIM_BENCH_YARDSTICK_H
#define GPUNETSIM_BENCH_YARDSTICK_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

struct yardstick_entry {
    int64_t time;
    uint64_t payload;
};

/* Seconds of processor time of this process. */
static inline double yardstick_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Entries are from 1 on. */
static inline void yardstick_put(struct yardstick_entry *entries, size_t count,
                                 struct yardstick_entry entry)
{
    size_t at = count;
    for (; at > 1 && entries[at / 2].time > entry.time; at /= 2)
        entries[at] = entries[at / 2];
    entries[at] = entry;
}

/* Takes the earliest; `count` are left. */
static inline struct yardstick_entry yardstick_take(struct yardstick_entry *entries, size_t count)
{
    struct yardstick_entry first = entries[1], last = entries[count + 1];
    size_t at = 1, child;
    while ((child = 2 * at) <= count) {
        child += child < count && entries[child + 1].time < entries[child].time;
        if (entries[child].time >= last.time)
            break;
        entries[at] = entries[child];
        at = child;
    }
    entries[at] = last;
    return first;
}

/* Y(n) in operations a second: the best of a few rounds of a million. */
static inline double yardstick(size_t n)
{
    struct yardstick_entry *entries = calloc(n + 1, sizeof *entries);
    uint64_t random = 1;
    double best = 0;
    for (int round = 0; entries && round < 5; round++) {
        double start = yardstick_seconds();
        for (int i = 0; i < 1000000; i++) {
            struct yardstick_entry first = yardstick_take(entries, n - 1);
            random ^= random << 13, random ^= random >> 7, random ^= random << 17;
            first.time += (int64_t)(random >> 44);
            yardstick_put(entries, n, first);
        }
        double rate = 1e6 / (yardstick_seconds() - start);
        best = rate > best ? rate : best;
    }
    free(entries);
    return best;
}

#endif
