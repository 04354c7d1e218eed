/* SPDX-License-Identifier: BSD-3-Clause */
/* The Channel API of Charm++ (ParCo22 section 3.2.2, Figs 6 and 7; M-012, M-017 to M-019, M-106).
 *
 * Two chares that share a channel count their operations on it, so both know the tag of each: no host message, and the receive
 * is posted when the program calls it. A completion is a message of the PE to itself; the program's thread sleeps until all
 * operations that it waits for have ended, and is resumed once (M-018, M-127). A channel stands for each pair of ranks and tag;
 * its number is given out in the order of first use. */

#include "protocols/runtimes/charm.h"
#include "protocols/runtimes/messenger.h"

/* One chare's end of a channel. */
struct channel_end {
    uint64_t id;
    uint64_t sends, receives;
};

struct channels {
    struct charm *charm;
    struct map ids;   /* by pair and tag: the channel's number, from 1 */
    struct map *ends; /* for each rank, by peer and tag: struct channel_end */
};

static void *open_channels(struct runtime *runtime, const struct design *design)
{
    (void)design;
    struct channels *channels = g_new0(struct channels, 1);
    channels->charm = charm_new(runtime, channels);
    channels->ends = g_new0(struct map, (gsize)runtime->job->count);
    return channels;
}

static void close_channels(void *state)
{
    struct channels *channels = state;
    for (int32_t rank = 0; rank < channels->charm->job->count; rank++)
        map_clear_with(&channels->ends[rank], g_free);
    g_free(channels->ends);
    map_clear(&channels->ids);
    charm_free(channels->charm);
    g_free(channels);
}

/* --- channels ---------------------------------------------------------------------------------- */

static uint64_t channel_key(int32_t one, int32_t other, int32_t tag)
{
    return (uint64_t)one << 39 | (uint64_t)other << 15 | (uint64_t)tag;
}

static uint64_t channel_id(struct channels *channels, int32_t rank, int32_t peer, int32_t tag)
{
    uint64_t key = channel_key(MIN(rank, peer), MAX(rank, peer), tag);
    uint64_t *number = &map_at(&channels->ids, key)->number;
    if (*number == 0)
        *number = channels->ids.count;
    return *number - 1;
}

static struct channel_end *channel_end(struct channels *channels, int32_t rank, int32_t peer,
                                       int32_t tag)
{
    void **place = &map_at(&channels->ends[rank], channel_key(0, peer, tag))->pointer;
    if (*place == NULL) {
        struct channel_end *end = *place = g_new0(struct channel_end, 1);
        end->id = channel_id(channels, rank, peer, tag);
    }
    return *place;
}

/* --- operations -------------------------------------------------------------------------------- */

static void callback(struct charm_pe *pe, void *content)
{
    struct message *message = content;
    message->operation = pe->process->cpu.operation;
    message_finish(message);
}

static void transfer_done(struct charm_pe *pe, void *argument)
{
    charm_callback(pe, callback, argument);
}

static void send(void *state, int32_t rank, struct message *message)
{
    struct channels *channels = state;
    struct charm_pe *pe = charm_pe_of(channels, rank);
    struct channel_end *end = channel_end(channels, rank, message->peer, message->tag);
    charm_device_send(pe, message->peer, message->wire,
                      charm_channel_tag(channels->charm, end->id, end->sends++), transfer_done,
                      message);
}

static void receive(void *state, int32_t rank, struct message *message)
{
    struct channels *channels = state;
    struct charm_pe *pe = charm_pe_of(channels, rank);
    struct channel_end *end = channel_end(channels, rank, message->peer, message->tag);
    charm_device_receive(pe, message->wire,
                         charm_channel_tag(channels->charm, end->id, end->receives++),
                         transfer_done, message);
}

static void wait(void *state, int32_t rank, struct message *messages, size_t count)
{
    struct channels *channels = state;
    struct charm_pe *pe = &channels->charm->pes[rank];
    size_t left = messages_first_left(messages, count, 0);
    if (left == count)
        return;
    for (; left < count; left = messages_first_left(messages, count, left))
        charm_schedule(pe);
    cpu_spend(&pe->process->cpu, CPU_SCHEDULE, CHARM_READ(channels->charm, resume_ps));
}

const struct runtime_ops channel_ops = {
    .has_chares = true,
    .counts_sends = true,
    .tables = {&ucx_params, &charm_params},
    .open = open_channels,
    .close = close_channels,
    .turn = charm_turn,
    .stock = charm_stock,
    .send = send,
    .receive = receive,
    .wait = wait,
};
