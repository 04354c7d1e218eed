/* Charm++ with entry methods: host data travel in the message of the call; GPU buffers travel apart, by the
 * GPU Messaging API (ParCo22 section 3.2.1, Figs 4 and 5; M-013 to M-016, M-114).
 *
 * GPU buffer: the call sends it under a tag of its own and, beside it, a host message with its description. When
 * that message is picked, the post entry method names the destination and the receive is posted: late, for the
 * data may be there already (M-015). When they have arrived the regular entry method is enqueued and invoked. */
#include <glib.h>

#include "protocols/runtimes/charm.h"
#include "protocols/runtimes/messenger.h"
#include "protocols/runtimes/parcel.h"

struct chares {
    struct charm *charm;
    bool is_staged;
    struct inbox *inboxes; /* by rank */
    struct pool parcels;
};

static void *open_chares(struct job *job, const struct runtime_design *design)
{
    struct chares *chares = g_new0(struct chares, 1);
    chares->charm = charm_new(job, chares);
    chares->is_staged = design->is_staged;
    chares->inboxes = g_new0(struct inbox, (gsize)job->count);
    pool_init(&chares->parcels, sizeof(struct parcel));
    return chares;
}

static void close_chares(void *state)
{
    struct chares *chares = state;
    charm_free(chares->charm);
    pool_clear(&chares->parcels);
    g_free(chares->inboxes);
    g_free(chares);
}

static struct ucx *chares_ucx(void *state)
{
    return ((struct chares *)state)->charm->ucx;
}

static struct charm_pe *start_pe(struct chares *chares, int32_t rank)
{
    struct charm_pe *pe = &chares->charm->pes[rank];
    charm_pe_start(pe);
    return pe;
}

/* --- the receiving side ------------------------------------------------------------------------ */

static void finish(struct charm_pe *pe, struct parcel *parcel)
{
    struct chares *chares = pe->charm->owner;
    parcel->message->is_done = true;
    pool_give(&chares->parcels, parcel);
}

static void regular_entry(struct charm_pe *pe, void *content)
{
    finish(pe, content);
}

static void device_data_arrived(struct charm_pe *pe, void *argument)
{
    charm_enqueue(pe, regular_entry, argument);
}

/* The call has met its chare: the body of the entry method, or the post entry method. */
static void accept(struct charm_pe *pe, struct message *message, struct parcel *parcel)
{
    struct chares *chares = pe->charm->owner;
    parcel->message = message;
    message->wire.bytes = parcel->bytes;
    if (parcel->travels_apart) {
        charm_device_receive(pe, message->wire, parcel->device_tag, device_data_arrived, parcel);
        return;
    }
    job_copy(pe->process, parcel->bytes);
    if (chares->is_staged)
        messenger_copy_in(pe->process, message);
    finish(pe, parcel);
}

static void call_arrived(struct charm_pe *pe, void *content)
{
    struct chares *chares = pe->charm->owner;
    struct message *message = inbox_arrive(&chares->inboxes[pe->process->rank], content);
    if (message != NULL)
        accept(pe, message, content);
}

static void receive(void *state, int32_t rank, struct message *message)
{
    struct chares *chares = state;
    struct charm_pe *pe = start_pe(chares, rank);
    struct parcel *parcel = inbox_expect(&chares->inboxes[rank], message);
    if (parcel != NULL)
        accept(pe, message, parcel);
}

/* --- the sending side -------------------------------------------------------------------------- */

static void device_data_sent(struct charm_pe *pe, void *argument)
{
    (void)pe;
    struct message *message = argument;
    message->is_done = true;
}

static void send(void *state, int32_t rank, struct message *message)
{
    struct chares *chares = state;
    struct charm_pe *pe = start_pe(chares, rank);
    struct parcel *parcel = pool_take(&chares->parcels);
    *parcel = (struct parcel){.from = rank, .tag = message->tag, .bytes = message->wire.bytes};
    struct charm_call call = {.entry = call_arrived, .content = parcel};
    if (block_is_device(message->wire)) {
        parcel->travels_apart = true;
        parcel->device_tag = charm_device_tag(pe);
        charm_device_send(pe, message->peer, message->wire, parcel->device_tag, device_data_sent,
                          message);
        call.devices = 1;
    } else {
        call.payload_bytes = message->wire.bytes;
        message->is_done = true; /* copied into the call's message */
    }
    charm_send(pe, message->peer, &call);
}

static void wait(void *state, int32_t rank, struct message *messages, size_t count)
{
    struct charm_pe *pe = start_pe(state, rank);
    while (!messages_done(messages, count))
        charm_schedule(pe);
}

const struct runtime_ops charm_host_ops = {
    .open = open_chares,
    .close = close_chares,
    .ucx = chares_ucx,
    .send = send,
    .receive = receive,
    .wait = wait,
    .copies_in = true,
};

const struct runtime_ops gpu_messaging_ops = {
    .open = open_chares,
    .close = close_chares,
    .ucx = chares_ucx,
    .send = send,
    .receive = receive,
    .wait = wait,
};
