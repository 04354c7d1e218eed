/* SPDX-License-Identifier: BSD-3-Clause */
#include "workloads/patterns/collective.h"

#include <glib.h>

#define ELEMENT_BYTES 4
#define MOST_NUMBERS 4096 /* of data */

struct transfer_loop collective_loop(int64_t bytes, int64_t working_set_bytes)
{
    return (struct transfer_loop){.elements = (bytes + ELEMENT_BYTES - 1) / ELEMENT_BYTES,
                                  .flops = 1,
                                  .bytes = 3 * ELEMENT_BYTES,
                                  .working_set_bytes = working_set_bytes,
                                  .groups = 1};
}

/* The reduction of what has come into what is there. */
static void reduce(const struct collective *collective, double *data, const double *other,
                   int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        data[i] = collective->by_maximum ? MAX(data[i], other[i]) : data[i] + other[i];
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
    struct transfer_loop loop = collective_loop(collective->bytes, 2 * collective->bytes);
    transfer_loop(party, 0, &loop);
    transfer_finish(party, 0);
}

/* What has come of `from` is put to `data`, or takes its place. */
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
    if (reduces)
        reduce(collective, data, other, count);
    else
        for (int64_t i = 0; i < count; i++)
            data[i] = other[i];
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

/* Places beyond the power of two hand theirs in before, and get the outcome behind (Thakur et al., IJHPCA 2005). */
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

/* A binomial tree to place 0, and the outcome back on the same ways. */
bool collective_tree(struct party *party, const struct collective *collective, double *data,
                     int64_t count)
{
    int64_t places = collective->places, place = party->place, step = 1;
    bool good = true;
    for (; step < places && (place & step) == 0; step *= 2)
        if (place + step < places && (!collective->skips_round || step * 2 < places))
            good = get_from(party, collective, place + step, true, data, count) && good;
    if (place != 0 && (!collective->skips_round || step * 2 < places)) {
        give_to(party, collective, place - step, data, count);
        good = get_from(party, collective, place - step, false, data, count) && good;
    }
    for (step /= 2; step >= 1; step /= 2)
        if (place + step < places && (!collective->skips_round || step * 2 < places))
            give_to(party, collective, place + step, data, count);
    return good;
}
