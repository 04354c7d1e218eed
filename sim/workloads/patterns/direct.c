/* SPDX-License-Identifier: BSD-3-Clause */
#include "workloads/patterns/direct.h"

#include <glib.h>

#define ELEMENT_BYTES 4

/* Flags of an allreduce: before gets, after each exchange, at the end. */
enum meeting { MEETING_FIRST, MEETING_SECOND, MEETING_LAST, MEETINGS };

struct direct_part {
    int64_t first, count;
};

/* One exchange: a place sends the same data to all places, or to each place its part. */
struct exchange {
    enum meeting meeting;
    bool scatters, gathers; /* neither: the whole buffer */
    bool reduces;           /* received data are added; else they are the sum */
    int64_t count;          /* of the buffer */
};

int64_t direct_signal_count(int64_t places)
{
    return 2 * MEETINGS * places;
}

static int64_t peer_at(const struct party *party, const struct direct *direct, int64_t step)
{
    return (party->place + step) % direct->places;
}

static struct direct_part part_of(const struct direct *direct, const struct exchange *exchange,
                                  int64_t from, int64_t to)
{
    if (!exchange->scatters && !exchange->gathers)
        return (struct direct_part){0, exchange->count};
    int64_t block = (exchange->count + direct->places - 1) / direct->places;
    int64_t first = MIN((exchange->scatters ? to : from) * block, exchange->count);
    return (struct direct_part){first, MIN(block, exchange->count - first)};
}

/* Signals every peer that the party has arrived, and waits until all have. */
static void meet(struct party *party, const struct direct *direct, enum meeting meeting,
                 uint64_t turn)
{
    int64_t first = ((int64_t)(turn % 2) * MEETINGS + meeting) * direct->places;
    for (int64_t step = 1; step < direct->places; step++)
        transfer_set_signal(party, peer_at(party, direct, step), party->group, direct->signals,
                            first + party->place, turn);
    for (int64_t step = 1; step < direct->places; step++) {
        int64_t peer = peer_at(party, direct, step);
        transfer_wait_signal(party, peer, party->group, direct->slots[peer], TRANSFER_SIGNAL_BYTES,
                             direct->signals, first + peer, turn);
    }
}

static struct carry_flow flow(const struct party *party, int64_t from, int64_t to)
{
    return (struct carry_flow){from, party->group, to, party->group, 0};
}

static void offer(struct party *party, const struct direct *direct, const struct exchange *exchange,
                  int64_t peer, const double *data)
{
    struct direct_part part = part_of(direct, exchange, party->place, peer);
    if (part.count > 0 && !direct->gets)
        transfer_post_put(party, peer, party->group, direct->slots[party->place],
                          part.count * ELEMENT_BYTES);
    if (data != NULL)
        carry_send(direct->carry, flow(party, party->place, peer), data + part.first, part.count);
}

static void get(struct party *party, const struct direct *direct, const struct exchange *exchange,
                int64_t peer)
{
    struct direct_part part = part_of(direct, exchange, peer, party->place);
    if (part.count > 0)
        transfer_post_get(party, peer, party->group, direct->slots[peer],
                          part.count * ELEMENT_BYTES);
}

static bool take(const struct party *party, const struct direct *direct,
                 const struct exchange *exchange, int64_t peer, double *data)
{
    struct direct_part part = part_of(direct, exchange, peer, party->place);
    g_autofree double *other = g_new0(double, (gsize)part.count + 1);
    if (!carry_receive(direct->carry, flow(party, peer, party->place), other, part.count))
        return false;
    bool is_lost = direct->loses_peer && peer == (party->place + 1) % direct->places;
    for (int64_t i = 0; i < part.count && !is_lost; i++)
        data[part.first + i] = other[i] + (exchange->reduces ? data[part.first + i] : 0);
    return true;
}

/* A loop that adds its own elements and those of all peers: one load for each, and a store. */
static void add_up(struct party *party, const struct direct *direct,
                   const struct exchange *exchange)
{
    int64_t count = part_of(direct, exchange, party->place, party->place).count;
    if (!exchange->reduces || count == 0)
        return;
    transfer_loop(party, 0,
                  &(struct transfer_loop){.elements = count,
                                          .flops = direct->places - 1,
                                          .bytes = (direct->places + 1) * ELEMENT_BYTES,
                                          .working_set_bytes = direct->working_set_bytes,
                                          .groups = 1});
    transfer_finish(party, 0);
}

static bool carry_out(struct party *party, const struct direct *direct,
                      const struct exchange *exchange, uint64_t turn, double *data)
{
    bool good = true;
    for (int64_t step = 1; step < direct->places; step++)
        offer(party, direct, exchange, peer_at(party, direct, step), data);
    if (!direct->gets || exchange->gathers)
        transfer_fence(party);
    meet(party, direct, exchange->meeting, turn);
    for (int64_t step = 1; direct->gets && step < direct->places; step++)
        get(party, direct, exchange, peer_at(party, direct, step));
    if (direct->gets)
        transfer_quiet(party);
    for (int64_t step = 1; data != NULL && step < direct->places; step++)
        good = take(party, direct, exchange, peer_at(party, direct, step), data) && good;
    add_up(party, direct, exchange);
    return good;
}

bool direct_allreduce(struct party *party, const struct direct *direct, uint64_t turn, double *data,
                      int64_t count)
{
    struct exchange first = {MEETING_FIRST, direct->is_two_shot, false, true, count};
    struct exchange second = {MEETING_SECOND, false, true, false, count};
    bool good = carry_out(party, direct, &first, turn, data);
    if (direct->is_two_shot)
        good = carry_out(party, direct, &second, turn, data) && good;
    if (direct->gets)
        meet(party, direct, MEETING_LAST, turn);
    return good;
}
