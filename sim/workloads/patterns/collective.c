/* SPDX-License-Identifier: BSD-3-Clause */
#include "workloads/patterns/collective.h"

#include <glib.h>

#define ELEMENT_BYTES 4
#define MOST_NUMBERS 4096 /* most numbers of a message's data */

struct transfer_loop collective_loop(int64_t bytes, int64_t working_set_bytes)
{
    return (struct transfer_loop){.elements = (bytes + ELEMENT_BYTES - 1) / ELEMENT_BYTES,
                                  .flops = 1,
                                  .bytes = 3 * ELEMENT_BYTES,
                                  .working_set_bytes = working_set_bytes,
                                  .groups = 1};
}

static struct carry_flow flow_between(const struct party *party,
                                      const struct collective *collective, int64_t from, int64_t to)
{
    return (struct carry_flow){from, party->group, to, party->group, collective->channel};
}

static void begin_send(struct party *party, const struct collective *collective,
                       struct message *message, int64_t to, const double *data, int64_t count)
{
    transfer_send(party, message, to, party->group, collective->channel, collective->buffer,
                  collective->bytes);
    if (data != NULL)
        carry_send(collective->carry, flow_between(party, collective, party->place, to), data,
                   count);
}

static void begin_receive(struct party *party, const struct collective *collective,
                          struct message *message, int64_t from)
{
    transfer_receive(party, message, from, party->group, collective->channel, collective->buffer,
                     collective->bytes);
}

static void compute(struct party *party, const struct collective *collective)
{
    if (!collective->computes)
        return;
    struct transfer_loop loop = collective_loop(collective->bytes, collective->working_set_bytes);
    transfer_loop(party, 0, &loop);
    transfer_finish(party, 0);
}

/* Adds received data of `from` to `data`, or replaces it. */
static bool take(struct party *party, const struct collective *collective, int64_t from,
                 bool reduces, double *data, int64_t count)
{
    double other[MOST_NUMBERS];
    if (reduces)
        compute(party, collective);
    if (data == NULL || collective->carry == NULL)
        return true;
    if (!carry_receive(collective->carry, flow_between(party, collective, from, party->place),
                       other, count))
        return false;
    for (int64_t i = 0; i < count; i++)
        data[i] = reduces ? data[i] + other[i] : other[i];
    return true;
}

static bool exchange(struct party *party, const struct collective *collective, int64_t peer,
                     double *data, int64_t count)
{
    struct message messages[2];
    begin_receive(party, collective, &messages[0], peer);
    begin_send(party, collective, &messages[1], peer, data, count);
    transfer_wait_received(party, messages, 2);
    return take(party, collective, peer, true, data, count);
}

static bool get_from(struct party *party, const struct collective *collective, int64_t peer,
                     bool reduces, double *data, int64_t count)
{
    struct message message;
    begin_receive(party, collective, &message, peer);
    transfer_wait(party, &message, 1);
    return take(party, collective, peer, reduces, data, count);
}

static void give_to(struct party *party, const struct collective *collective, int64_t peer,
                    const double *data, int64_t count)
{
    struct message message;
    begin_send(party, collective, &message, peer, data, count);
    transfer_wait_received(party, &message, 1);
}

static int64_t power_below(int64_t places)
{
    int64_t power = 1;
    while (power * 2 <= places)
        power *= 2;
    return power;
}

/* Places beyond the power of two send their data before, and get the result afterwards (Thakur et al., IJHPCA 2005). */
bool collective_doubling(struct party *party, const struct collective *collective, double *data,
                         int64_t count)
{
    int64_t power = power_below(collective->places), place = party->place;
    bool good = true;
    if (place >= power) {
        give_to(party, collective, place - power, data, count);
        return get_from(party, collective, place - power, false, data, count);
    }
    if (place + power < collective->places)
        good = get_from(party, collective, place + power, true, data, count);
    for (int64_t step = 1; step < power; step *= 2)
        if (!collective->skips_round || step * 2 < power)
            good = exchange(party, collective, place ^ step, data, count) && good;
    if (place + power < collective->places)
        give_to(party, collective, place + power, data, count);
    return good;
}

/* --- trees -------------------------------------------------------------------------------------- */

/* A party's part in one of the trees. */
struct tree_way {
    struct tree_place at;
    int64_t first, count; /* elements */
};

static bool go_up(struct party *party, const struct collective *collective,
                  const struct tree_place *at, double *data, int64_t count)
{
    bool good = true, reduces = !collective->skips_round || at->up != TREE_NOBODY;
    for (int i = 0; i < at->count; i++)
        good = get_from(party, collective, at->down[i], reduces, data, count) && good;
    if (at->up != TREE_NOBODY)
        give_to(party, collective, at->up, data, count);
    return good;
}

static bool go_down(struct party *party, const struct collective *collective,
                    const struct tree_place *at, double *data, int64_t count)
{
    bool good = at->up == TREE_NOBODY || get_from(party, collective, at->up, false, data, count);
    for (int i = 0; i < at->count; i++)
        give_to(party, collective, at->down[i], data, count);
    return good;
}

/* Moves one chunk in a tree, if there are so many. */
static bool move_chunk(struct party *party, const struct collective *collective,
                       const struct tree_way *way, const struct tree_share *share, int64_t chunk,
                       bool is_up, double *data)
{
    struct collective part = *collective;
    int64_t from = chunk * share->chunk, count = MIN(share->chunk, way->count - from);
    if (count <= 0)
        return true;
    part.bytes = count * ELEMENT_BYTES;
    return (is_up ? go_up : go_down)(party, &part, &way->at,
                                     data != NULL ? data + way->first + from : NULL, count);
}

/* Work-groups use the trees alternately; a single party sends half of its elements through each. */
static int make_ways(const struct party *party, const struct collective *collective,
                     const struct tree_share *share, struct tree_way ways[TREE_COUNT])
{
    int count = share->groups > 1 ? 1 : TREE_COUNT;
    int64_t most = (share->count + count - 1) / count;
    for (int i = 0; i < count; i++) {
        int64_t tree = (party->group + i) % TREE_COUNT, from = i * most;
        ways[i] = (struct tree_way){
            tree_place_of(collective->places, share->gpus, party->place, tree, party->group),
            share->first + from, MIN(most, share->count - from)};
    }
    return count;
}

/* Chunks go up the tree, and come down as many chunks later as the tree has steps, so that both directions are busy. */
bool collective_trees(struct party *party, const struct collective *collective,
                      const struct tree_share *share, double *data)
{
    struct tree_way ways[TREE_COUNT];
    int count = make_ways(party, collective, share, ways);
    int64_t chunks = (ways[0].count + share->chunk - 1) / share->chunk;
    int64_t behind = MIN(2 * tree_steps(collective->places, share->gpus), chunks);
    bool good = true;
    for (int64_t i = 0; i < chunks + behind; i++)
        for (int n = 0; n < 2 * count; n++) {
            bool is_up = n < count;
            int64_t chunk = is_up ? i : i - behind;
            if (chunk >= 0 && chunk < chunks)
                good = move_chunk(party, collective, &ways[n % count], share, chunk, is_up, data) &&
                       good;
        }
    return good;
}
