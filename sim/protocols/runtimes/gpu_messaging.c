/* SPDX-License-Identifier: BSD-3-Clause */
/* Charm++ with entry methods: host data travel in the message of the call; GPU buffers travel apart, by the
 * GPU Messaging API (ParCo22 section 3.2.1, Figs 4 and 5; M-013 to M-015, M-114).
 *
 * GPU buffer: the call sends it under a tag of its own and, beside it, a host message with its description. When that message
 * is picked, the post entry method names the destination and the receive is posted: late, for the data may have arrived already
 * (M-015). When the data have arrived the regular entry method is enqueued and invoked. */

#include "protocols/runtimes/envelope.h"

struct chares {
    struct mailbox mailbox;
    bool is_staged;
};

static void *open_chares(struct runtime *runtime, const struct design *design)
{
    struct chares *chares = g_new0(struct chares, 1);
    mailbox_open(&chares->mailbox, runtime, chares);
    chares->is_staged = design->payload == PAYLOAD_STAGED;
    return chares;
}

static struct chares *chares_of(struct charm_pe *pe)
{
    return pe->charm->owner;
}

/* --- the receiving side ------------------------------------------------------------------------ */

static void regular_entry(struct charm_pe *pe, void *content)
{
    envelope_finish(&chares_of(pe)->mailbox, content);
}

/* The call's buffer, for which the regular entry method waits, has arrived. */
static void data_arrived(struct charm_pe *pe, void *argument)
{
    charm_enqueue(pe, regular_entry, argument);
}

/* The call is delivered to its chare, which runs the body of the entry method or the post entry method. */
static void accept(struct charm_pe *pe, struct envelope *envelope)
{
    struct chares *chares = chares_of(pe);
    struct message *message = envelope->message;
    if (envelope->travels_apart) {
        charm_device_receive(pe, message->wire, envelope->device_tag, data_arrived, envelope);
        return;
    }
    job_copy(pe->process, envelope->bytes);
    if (chares->is_staged && block_is_device(message->block))
        messenger_copy_in(pe->process, message);
    envelope_finish(&chares->mailbox, envelope);
}

static void call_arrived(struct charm_pe *pe, void *content)
{
    envelope_arrive(&chares_of(pe)->mailbox, pe, content, accept, NULL);
}

static void receive(void *state, int32_t rank, struct message *message)
{
    struct chares *chares = state;
    struct charm_pe *pe = charm_pe_of(chares, rank);
    envelope_expect(&chares->mailbox, pe, message, accept);
}

/* --- the sending side -------------------------------------------------------------------------- */

static void send(void *state, int32_t rank, struct message *message)
{
    struct chares *chares = state;
    const struct envelope_path way = {.arrived = call_arrived,
                                      .sent = envelope_payload_sent,
                                      .travels_apart = block_is_device(message->wire)};
    envelope_send(&chares->mailbox, charm_pe_of(chares, rank), message, &way);
}

#define CHARES_OPS                                                                                 \
    .has_chares = true, .tables = {&ucx_params, &charm_params}, .open = open_chares,               \
    .close = mailbox_free, .turn = charm_turn, .stock = charm_stock, .send = send,                 \
    .receive = receive, .wait = mailbox_wait

const struct runtime_ops charm_host_ops = {CHARES_OPS, .copy_in = COPY_IN_ON_ARRIVAL};

const struct runtime_ops gpu_messaging_ops = {
    .reasons =
        {[STAGE_LATE_RECEIVE] =
             "late receive: the receive is posted when the metadata message beside the data was picked from the scheduler's queue"},
    .announces = true,
    CHARES_OPS,
};
