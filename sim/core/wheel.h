/* SPDX-License-Identifier: BSD-3-Clause */
/* A hierarchical timing wheel over the eight bytes of the time, for queues whose items are numbered and lie in an array of the
 * queue's own.
 *
 * Let `now` be the wheel's current time. An item of time t >= now waits in
 *
 *     place(t, now) = (level, slot):  level = highest byte in which t and now differ (0 if none),
 *                                     slot  = byte `level` of t.
 *
 * Below its level t may be anything, above it t and now agree, and in byte `level` t is the
 * greater. Hence every item of a level comes before every item of a higher one, and within a
 * level those of a lower slot come first: the next item is in the lowest occupied slot of the
 * lowest occupied level, and a slot of level 0 holds items of one single time. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define WHEEL_LEVELS 8
#define WHEEL_SLOTS 256 /* of one level */
#define WHEEL_WORDS (WHEEL_LEVELS * WHEEL_SLOTS / 64)

/* The items of a slot are linked by their numbers. */
struct wheel_slot {
    uint32_t first, last;
};

/* A wheel. All zero: empty, at time 0. */
struct wheel {
    int64_t now;                    /* no item has an earlier time */
    uint32_t summary;               /* bit w is set if occupied[w] is not 0 */
    uint64_t occupied[WHEEL_WORDS]; /* bit s%64 of word s/64 is set if slots[s] holds items */
    struct wheel_slot slots[WHEEL_LEVELS * WHEEL_SLOTS];
};

/* The number of the slot for a time: level * WHEEL_SLOTS + slot. */
static inline unsigned wheel_place(const struct wheel *wheel, int64_t time)
{
    uint64_t difference = (uint64_t)(time ^ wheel->now);
    unsigned level = (63u - (unsigned)__builtin_clzll(difference | 1)) / 8;
    return level * WHEEL_SLOTS + (unsigned)((uint64_t)time >> (8 * level) & (WHEEL_SLOTS - 1));
}

static inline bool wheel_is_empty(const struct wheel *wheel)
{
    return wheel->summary == 0;
}

/* The lowest occupied slot of a wheel that is not empty. */
static inline unsigned wheel_lowest(const struct wheel *wheel)
{
    unsigned word = (unsigned)__builtin_ctz(wheel->summary);
    return word * 64 + (unsigned)__builtin_ctzll(wheel->occupied[word]);
}

static inline bool wheel_is_marked(const struct wheel *wheel, unsigned number)
{
    return wheel->occupied[number / 64] >> number % 64 & 1;
}

/* wheel_mark: the slot holds items from now on. wheel_unmark: it holds none. */
static inline void wheel_mark(struct wheel *wheel, unsigned number)
{
    wheel->occupied[number / 64] |= UINT64_C(1) << number % 64;
    wheel->summary |= UINT32_C(1) << number / 64;
}

static inline void wheel_unmark(struct wheel *wheel, unsigned number)
{
    uint64_t left = wheel->occupied[number / 64] & ~(UINT64_C(1) << number % 64);
    wheel->occupied[number / 64] = left;
    if (left == 0)
        wheel->summary &= ~(UINT32_C(1) << number / 64);
}

/* The earliest time that an item of the slot may have. */
static inline int64_t wheel_base(const struct wheel *wheel, unsigned number)
{
    unsigned shift = number / WHEEL_SLOTS * 8;
    uint64_t below = (UINT64_C(1) << shift) - 1;
    uint64_t within = (uint64_t)(WHEEL_SLOTS - 1) << shift | below;
    return (int64_t)(((uint64_t)wheel->now & ~within) | (uint64_t)(number % WHEEL_SLOTS) << shift);
}
