/* SPDX-License-Identifier: BSD-3-Clause */
/* Computes which ranks exchange messages. Everything is a function of rank, iteration and phase, so that no state is needed. */
#include "workloads/goal/goal_pattern_kinds.h"

#include <glib.h>

#define PEERS (GOAL_PHASE_OPS / 2) /* peers of a rank in one phase of a spread */

/* A group of `count` ranks: first, first + stride, ...; and the position `place` of this rank in it. */
struct group {
    uint32_t first, stride, count, place;
};

/* One rank's phase of a collective. */
struct turn {
    const struct goal_pattern_spec *spec;
    struct group group;
    uint32_t section;          /* number of the collective in the pattern */
    uint32_t iteration, phase; /* the phase of the collective */
    uint32_t tag;
    uint64_t bytes; /* of a message */
};

/* The number of phases of a collective among `count` ranks; and the operations of one phase. */
struct goal_collective {
    uint32_t (*phases)(uint32_t count);
    size_t (*phase)(const struct turn *turn, struct loggp_op *ops);
};

/* The binary logarithm, rounded down; n > 0. */
static uint32_t log2_of(uint32_t n)
{
    return 31u - (uint32_t)__builtin_clz(n);
}

static inline uint32_t member(const struct group *group, uint32_t place)
{
    return group->first + group->stride * place;
}

static size_t put(const struct turn *turn, enum loggp_kind kind, uint32_t place, uint32_t tag,
                  struct loggp_op *op)
{
    *op = (struct loggp_op){.size = turn->bytes,
                            .rank = member(&turn->group, turn->group.place),
                            .peer = member(&turn->group, place),
                            .tag = tag,
                            .kind = (uint8_t)kind};
    return 1;
}

static size_t exchange(const struct turn *turn, uint32_t from, uint32_t to, struct loggp_op *ops)
{
    put(turn, LOGGP_SEND, to, turn->tag, &ops[0]);
    put(turn, LOGGP_RECEIVE, from, turn->tag, &ops[1]);
    return 2;
}

/* Sends to the place `away` ahead and receives from the one `away` behind. */
static size_t exchange_away(const struct turn *turn, uint32_t away, struct loggp_op *ops)
{
    uint32_t n = turn->group.count, place = turn->group.place;
    return exchange(turn, (place + n - away) % n, (place + away) % n, ops);
}

static uint32_t one_phase(uint32_t count)
{
    (void)count;
    return 1;
}

/* --- a halo of three dimensions ------------------------------------------------------------------- */

/* The neighbour in direction 2 d (up) or 2 d + 1 (down) of dimension d. */
static uint32_t neighbour(const uint32_t shape[3], uint32_t rank, uint32_t direction)
{
    uint32_t place[3] = {rank % shape[0], rank / shape[0] % shape[1], rank / shape[0] / shape[1]};
    uint32_t d = direction / 2;
    place[d] = (place[d] + (direction % 2 ? shape[d] - 1 : 1)) % shape[d];
    return place[0] + shape[0] * (place[1] + shape[1] * place[2]);
}

/* A message's tag is the direction in which it goes: a message from the upper neighbour goes down. */
static size_t halo_phase(const struct turn *turn, struct loggp_op *ops)
{
    for (uint32_t d = 0; d < 6; d++) {
        uint32_t peer = neighbour(turn->spec->shape, turn->group.place, d);
        put(turn, LOGGP_SEND, peer, d, &ops[d]);
        put(turn, LOGGP_RECEIVE, peer, d ^ 1, &ops[6 + d]);
    }
    return 12;
}

static const struct goal_collective halo = {one_phase, halo_phase};

/* --- on a ring: half of an allreduce, all of it, all-to-all ------------------------------------------ */

static uint32_t half_phases(uint32_t count)
{
    return count - 1;
}

static uint32_t ring_phases(uint32_t count)
{
    return 2 * (count - 1);
}

static size_t ring_phase(const struct turn *turn, struct loggp_op *ops)
{
    return exchange_away(turn, 1, ops);
}

static size_t round_phase(const struct turn *turn, struct loggp_op *ops)
{
    return exchange_away(turn, turn->phase + 1, ops);
}

static const struct goal_collective half_ring = {half_phases, ring_phase};
static const struct goal_collective ring = {ring_phases, ring_phase};
static const struct goal_collective all_round = {half_phases, round_phase};

/* --- doubling --------------------------------------------------------------------------------- */

/* The number of ranks beyond the greatest power of two. */
static uint32_t beyond(uint32_t count)
{
    return count - (1u << log2_of(count));
}

static uint32_t doubling_phases(uint32_t count)
{
    return log2_of(count) + (beyond(count) ? 2 : 0);
}

/* Before the first or after the last phase: the pairs among the first ranks exchange. */
static size_t pair_phase(const struct turn *turn, bool before, struct loggp_op *ops)
{
    uint32_t place = turn->group.place;
    if (place >= 2 * beyond(turn->group.count))
        return 0;
    return put(turn, (place % 2 == 0) == before ? LOGGP_SEND : LOGGP_RECEIVE, place ^ 1, turn->tag,
               ops);
}

static size_t doubling_phase(const struct turn *turn, struct loggp_op *ops)
{
    uint32_t count = turn->group.count, place = turn->group.place, phase = turn->phase;
    uint32_t pairs = beyond(count), last = doubling_phases(count) - 1;
    if (pairs > 0 && (phase == 0 || phase == last))
        return pair_phase(turn, phase == 0, ops);
    if (place < 2 * pairs && place % 2 == 0)
        return 0;
    uint32_t mine = place < 2 * pairs ? place / 2 : place - pairs;
    uint32_t other = mine ^ (1u << (phase - (pairs > 0)));
    uint32_t peer = other < pairs ? 2 * other + 1 : other + pairs;
    return exchange(turn, peer, peer, ops);
}

static const struct goal_collective doubling = {doubling_phases, doubling_phase};

/* --- spread: all-to-all, with several peers in a phase ---------------------------------------------- */

static uint32_t spread_phases(uint32_t count)
{
    return (count - 1 + PEERS - 1) / PEERS;
}

static size_t spread_phase(const struct turn *turn, struct loggp_op *ops)
{
    uint32_t end = MIN(turn->group.count - 1, (turn->phase + 1) * PEERS);
    size_t count = 0;
    for (uint32_t away = turn->phase * PEERS + 1; away <= end; away++)
        count += exchange_away(turn, away, ops + count);
    return count;
}

static const struct goal_collective spread = {spread_phases, spread_phase};

/* --- permutation ------------------------------------------------------------------------------ */

#define ROUNDS 4

/* Mixes 64 bits (Stafford's thirteenth variant of MurmurHash3's finisher). */
static uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

/* One round of a Feistel network on two halves of `bits` bits, or its inverse: the half that changes depends only on the other. */
static uint32_t feistel_round(uint32_t value, unsigned bits, uint64_t key, uint32_t round)
{
    uint32_t mask = (1u << bits) - 1, high = value >> bits, low = value & mask;
    uint32_t f = (uint32_t)mix(key + ((uint64_t)round << 32) + (round % 2 ? high : low)) & mask;
    if (round % 2)
        low ^= f;
    else
        high ^= f;
    return high << bits | low;
}

/* A random permutation of [0, n), or its inverse: a Feistel network permutes the numbers up to the next power of four, and
 * repeating it until the result is below n permutes the numbers below n. */
static uint32_t permute(uint32_t value, uint32_t n, uint64_t key, bool inverse)
{
    unsigned bits = n > 1 ? log2_of(n - 1) / 2 + 1 : 1;
    do {
        for (uint32_t round = 0; round < ROUNDS; round++)
            value = feistel_round(value, bits, key, inverse ? ROUNDS - 1 - round : round);
    } while (value >= n);
    return value;
}

/* A rank that is its own image sends nothing. */
static size_t permutation_phase(const struct turn *turn, struct loggp_op *ops)
{
    uint32_t place = turn->group.place, count = turn->group.count;
    uint64_t key =
        mix(turn->spec->seed + UINT64_C(0x9e3779b97f4a7c15) * (turn->iteration + UINT64_C(1)));
    struct turn own = *turn;
    own.tag = turn->iteration;
    uint32_t to = permute(place, count, key, false), from = permute(place, count, key, true);
    return to == place ? 0 : exchange(&own, from, to, ops);
}

static const struct goal_collective permutation = {one_phase, permutation_phase};

/* --- between stages ---------------------------------------------------------------------------- */

/* Messages from a stage to the next: they are received where a stage begins and sent where it ends; on the way back the reverse.
 * Both ends of a message use the same tag, the phase in which it is received. */
#define STAGE_SECTIONS 5

static size_t pass(const struct turn *turn, bool comes, bool is_down, struct loggp_op *ops)
{
    const struct group *stages = &turn->group;
    uint32_t comes_at = turn->section / STAGE_SECTIONS * STAGE_SECTIONS;
    if (is_down ? stages->place == 0 : stages->place + 1 == stages->count)
        return 0;
    return put(turn, comes ? LOGGP_RECEIVE : LOGGP_SEND,
               is_down ? stages->place - 1 : stages->place + 1, turn->spec->begins[comes_at], ops);
}

static size_t from_below(const struct turn *turn, struct loggp_op *ops)
{
    return pass(turn, true, true, ops);
}

static size_t to_above(const struct turn *turn, struct loggp_op *ops)
{
    return pass(turn, false, false, ops);
}

static size_t from_above(const struct turn *turn, struct loggp_op *ops)
{
    return pass(turn, true, false, ops);
}

static size_t to_below(const struct turn *turn, struct loggp_op *ops)
{
    return pass(turn, false, true, ops);
}

static const struct goal_collective comes = {one_phase, from_below}, goes = {one_phase, to_above};
static const struct goal_collective comes_back = {one_phase, from_above},
                                    goes_back = {one_phase, to_below};

/* --- the patterns ------------------------------------------------------------------------------ */

enum { LOCAL, NODES }; /* sides of hierarchical; the first side of moe is the group */
enum { TENSOR, EXPERT, DATA, PIPELINE }; /* sides of train */

#define EACH GOAL_CALCULATES_EACH
#define FIRST GOAL_CALCULATES_FIRST
#define NOT GOAL_CALCULATES_NOT
#define STAGE(before, behind)                                                                      \
    {&before, PIPELINE, GOAL_ALL, NOT}, {&doubling, TENSOR, GOAL_ALL, NOT},                        \
        {&spread, EXPERT, EXPERT, NOT}, {&spread, EXPERT, EXPERT, FIRST},                          \
    {                                                                                              \
        &behind, PIPELINE, GOAL_ALL, NOT                                                           \
    }

const struct goal_pattern_kind goal_pattern_kinds[] = {
    {"halo3d", 3, {{&halo, GOAL_ALL, GOAL_ALL, EACH}}},
    {"ring", 1, {{&ring, GOAL_ALL, GOAL_ALL, EACH}}},
    {"doubling", 1, {{&doubling, GOAL_ALL, GOAL_ALL, EACH}}},
    {"alltoall", 1, {{&all_round, GOAL_ALL, GOAL_ALL, EACH}}},
    {"permutation", 1, {{&permutation, GOAL_ALL, GOAL_ALL, EACH}}},
    {"hierarchical",
     2,
     {{&half_ring, LOCAL, LOCAL, FIRST},
      {&doubling, NODES, LOCAL, NOT},
      {&half_ring, LOCAL, LOCAL, NOT}}},
    {"moe", 2, {{&spread, LOCAL, LOCAL, NOT}, {&spread, LOCAL, LOCAL, FIRST}}},
    {"train",
     4,
     {STAGE(comes, goes), STAGE(comes_back, goes_back), {&doubling, DATA, GOAL_ALL, NOT}}},
};
const size_t goal_pattern_kind_count = G_N_ELEMENTS(goal_pattern_kinds);

static struct group group_of(const struct goal_pattern_spec *spec, uint32_t rank, int side)
{
    uint32_t stride = 1;
    if (side == GOAL_ALL)
        return (struct group){0, 1, spec->ranks, rank};
    for (int i = 0; i < side; i++)
        stride *= spec->shape[i];
    uint32_t place = rank / stride % spec->shape[side];
    return (struct group){rank - place * stride, stride, spec->shape[side], place};
}

void goal_pattern_place(struct goal_pattern_spec *spec)
{
    const struct goal_section *section = spec->kind->sections;
    spec->begins[0] = 0;
    for (int i = 0; i < GOAL_SECTIONS; i++, section++)
        spec->begins[i + 1] =
            spec->begins[i] +
            (section->what ? section->what->phases(group_of(spec, 0, section->side).count) : 0);
}

size_t goal_pattern_turn(const struct goal_pattern_spec *spec, uint32_t rank, uint32_t iteration,
                         uint32_t phase, struct loggp_op *ops)
{
    uint32_t at = 0;
    while (spec->begins[at + 1] <= phase)
        at++;
    const struct goal_section *section = &spec->kind->sections[at];
    struct turn turn = {.spec = spec,
                        .group = group_of(spec, rank, section->side),
                        .section = at,
                        .iteration = iteration,
                        .phase = phase - spec->begins[at],
                        .tag = phase,
                        .bytes = spec->bytes};
    if (section->parts != GOAL_ALL)
        turn.bytes = spec->bytes / spec->shape[section->parts];
    return section->what->phase(&turn, ops);
}

bool goal_pattern_calculates(const struct goal_pattern_spec *spec, uint32_t phase)
{
    for (int i = 0; i < GOAL_SECTIONS && spec->begins[i] <= phase; i++) {
        const struct goal_section *section = &spec->kind->sections[i];
        if (section->calculates == EACH ||
            (section->calculates == FIRST && spec->begins[i] == phase))
            return true;
    }
    return false;
}
