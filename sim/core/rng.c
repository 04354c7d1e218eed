/* SPDX-License-Identifier: BSD-3-Clause */
/* xoshiro256** (Blackman and Vigna, "Scrambled linear pseudorandom number generators", 2021),
 * seeded through splitmix64 (Steele, Lea and Flood, 2014), and the distributions drawn from it.
 *
 * Only rng_double uses floating point, one exact multiplication: a draw is the same on every compiler and C library. */
#include "core/rng.h"

#include <stddef.h>

#include "core/check.h"

#define GOLDEN_RATIO UINT64_C(0x9e3779b97f4a7c15)

static uint64_t rotate_left(uint64_t value, int by)
{
    return value << by | value >> (64 - by);
}

static uint64_t splitmix(uint64_t *state)
{
    uint64_t z = *state += GOLDEN_RATIO;
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

uint64_t rng_seed_of_run(uint64_t seed, uint64_t run)
{
    return seed + run * GOLDEN_RATIO;
}

/* FNV-1a with 64 bits. */
static uint64_t hash_text(const char *text)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    return hash;
}

/* The seed is mixed before the path is added, so that neighbouring seeds and similar paths do not give the same stream. Four
 * outputs of splitmix are never all 0, the one state that is forbidden. */
void rng_init(struct rng *rng, uint64_t seed, const char *path)
{
    uint64_t state = splitmix(&seed) ^ hash_text(path);
    for (int i = 0; i < 4; i++)
        rng->state[i] = splitmix(&state);
}

uint64_t rng_next(struct rng *rng)
{
    uint64_t *s = rng->state;
    uint64_t result = rotate_left(s[1] * 5, 7) * 9;
    uint64_t t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate_left(s[3], 45);
    return result;
}

/* The upper half of bound * random is uniform once the 2^64 mod bound lowest values of the lower
 * half are refused (Lemire, "Fast random integer generation in an interval", 2019). */
uint64_t rng_below(struct rng *rng, uint64_t bound)
{
    check_debug(bound > 0, "a random number below 0 was asked for");
    sim_uint128 product = (sim_uint128)rng_next(rng) * bound;
    if ((uint64_t)product < bound) {
        uint64_t refused = -bound % bound;
        while ((uint64_t)product < refused)
            product = (sim_uint128)rng_next(rng) * bound;
    }
    return (uint64_t)(product >> 64);
}

void rng_order(struct rng *rng, uint32_t *numbers, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t other = (uint32_t)rng_below(rng, (uint64_t)i + 1);
        numbers[i] = i;
        numbers[i] = numbers[other];
        numbers[other] = i;
    }
}

/* partial_sums[k] = sum of ln(2)^i / i! for i = 1..k+1, in units of 2^-64, rounded to the nearest:
 * the last one is 1 to within a unit. */
static const uint64_t partial_sums[] = {
    UINT64_C(0xb17217f7d1cf79ac), UINT64_C(0xeef193f6d75a96fd), UINT64_C(0xfd27186259aaf6c2),
    UINT64_C(0xff9d6dd050f4c5a7), UINT64_C(0xfff4cfcfef1e626c), UINT64_C(0xfffee81886e1c62f),
    UINT64_C(0xffffe7fe850e0bb6), UINT64_C(0xfffffe2a8731b17e), UINT64_C(0xffffffdfac6eeadc),
    UINT64_C(0xfffffffdf9640068), UINT64_C(0xffffffffe22ec79d), UINT64_C(0xfffffffffe6a9dee),
    UINT64_C(0xffffffffffebff81), UINT64_C(0xffffffffffff1417), UINT64_C(0xfffffffffffff5cf),
    UINT64_C(0xffffffffffffff96), UINT64_C(0xfffffffffffffffc), UINT64_C(0xffffffffffffffff),
};

/* A standard exponential variate in units of 2^-64, by random minimization (Ahrens and Dieter, 1972; Knuth, The Art of Computer
 * Programming, vol. 2, 3.4.1, algorithm S): ln(2) times the number of heads in a row, and within that octave either one uniform
 * number or the least of a few, decided by the table and comparisons. No logarithm is taken. */
static sim_uint128 standard_exponential(struct rng *rng)
{
    const uint64_t ln2 = partial_sums[0];
    const size_t sums = sizeof partial_sums / sizeof partial_sums[0];
    uint64_t heads = 0, coins;
    while ((coins = rng_next(rng)) == UINT64_MAX)
        heads += 64;
    heads += (uint64_t)__builtin_clzll(~coins);
    uint64_t uniform = rng_next(rng);
    if (uniform < ln2)
        return (sim_uint128)heads * ln2 + uniform;
    uint64_t least = rng_next(rng);
    for (size_t k = 1; k < sums; k++) {
        uint64_t other = rng_next(rng);
        least = other < least ? other : least;
        if (uniform < partial_sums[k])
            break;
    }
    return (sim_uint128)heads * ln2 + (uint64_t)((sim_uint128)least * ln2 >> 64);
}

int64_t rng_exponential_ps(struct rng *rng, int64_t mean_ps)
{
    check_debug(mean_ps > 0, "the mean of an exponential is %lld ps", (long long)mean_ps);
    sim_uint128 variate = standard_exponential(rng);
    uint64_t mean = (uint64_t)mean_ps;
    sim_uint128 fraction = (sim_uint128)(uint64_t)variate * mean;
    sim_uint128 result = (variate >> 64) * mean + ((fraction + (UINT64_C(1) << 63)) >> 64);
    return duration_ps(result);
}
