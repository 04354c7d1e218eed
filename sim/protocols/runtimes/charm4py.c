/* Charm4py: channels in Python, on the GPU Messaging API of Charm++ (ParCo22 sections 2.5 and 3.4, Figs 9 and
 * 10; M-025 to M-027, M-124).
 *
 * channel.send passes Python and Cython; host data are pickled and travel in the message; of a GPU buffer the
 * address travels, and the data apart. channel.recv makes a future and suspends the coroutine; the message, or
 * the callback of the transfer that was asked for when it came, fulfils the future and resumes the coroutine. Host data are
 * received into a new array in pageable memory. */
#include <glib.h>

#include "protocols/runtimes/charm.h"
#include "protocols/runtimes/messenger.h"
#include "protocols/runtimes/parcel.h"

struct charm4py {
    struct charm *charm;
    const struct charm4py_spec *spec;
    struct inbox *inboxes; /* by rank */
    struct pool parcels;
};

static void *open_charm4py(struct job *job, const struct runtime_design *design)
{
    (void)design;
    struct charm4py *charm4py = g_new0(struct charm4py, 1);
    charm4py->charm = charm_new(job, charm4py);
    charm4py->spec = &job->spec->charm4py;
    charm4py->inboxes = g_new0(struct inbox, (gsize)job->count);
    pool_init(&charm4py->parcels, sizeof(struct parcel));
    return charm4py;
}

static void close_charm4py(void *state)
{
    struct charm4py *charm4py = state;
    charm_free(charm4py->charm);
    pool_clear(&charm4py->parcels);
    g_free(charm4py->inboxes);
    g_free(charm4py);
}

static struct ucx *charm4py_ucx(void *state)
{
    return ((struct charm4py *)state)->charm->ucx;
}

static struct charm4py *charm4py_of(struct charm_pe *pe)
{
    return pe->charm->owner;
}

static void interpret(struct charm_pe *pe, sim_time duration_ps)
{
    cpu_spend(&pe->process->cpu, CPU_INTERPRETER, duration_ps);
}

/* Pickling host data, or reading them back: the bytes object is new. */
static void serialize(struct charm_pe *pe, int64_t bytes)
{
    interpret(pe, transfer_ps(bytes, charm4py_of(pe)->spec->serialize_rate_Bps));
    job_allocate(pe->process, bytes);
    job_free_memory(pe->process, bytes);
}

/* --- the receiving side ------------------------------------------------------------------------ */

static void resume_coroutine(struct charm_pe *pe, void *content)
{
    struct charm4py *charm4py = charm4py_of(pe);
    struct parcel *parcel = content;
    interpret(pe, charm4py->spec->resume_ps);
    parcel->message->is_done = true;
    pool_give(&charm4py->parcels, parcel);
}

static void transfer_received(struct charm_pe *pe, void *argument)
{
    charm_callback(pe, resume_coroutine, argument);
}

static void accept(struct charm_pe *pe, struct message *message, struct parcel *parcel)
{
    parcel->message = message;
    message->wire.bytes = parcel->bytes;
    if (parcel->travels_apart) {
        charm_device_receive(pe, message->wire, parcel->device_tag, transfer_received, parcel);
        return;
    }
    serialize(pe, parcel->bytes);
    resume_coroutine(pe, parcel);
}

static void message_arrived(struct charm_pe *pe, void *content)
{
    struct message *message = inbox_arrive(&charm4py_of(pe)->inboxes[pe->process->rank], content);
    if (message != NULL)
        accept(pe, message, content);
}

static void receive(void *state, int32_t rank, struct message *message)
{
    struct charm4py *charm4py = state;
    struct charm_pe *pe = &charm4py->charm->pes[rank];
    charm_pe_start(pe);
    interpret(pe, charm4py->spec->receive_ps);
    struct parcel *parcel = inbox_expect(&charm4py->inboxes[rank], message);
    if (parcel != NULL)
        accept(pe, message, parcel);
}

/* --- the sending side -------------------------------------------------------------------------- */

static void transfer_sent(struct charm_pe *pe, void *argument)
{
    (void)pe;
    struct message *message = argument;
    message->is_done = true;
}

static void send(void *state, int32_t rank, struct message *message)
{
    struct charm4py *charm4py = state;
    struct charm_pe *pe = &charm4py->charm->pes[rank];
    charm_pe_start(pe);
    interpret(pe, charm4py->spec->send_ps);
    struct parcel *parcel = pool_take(&charm4py->parcels);
    *parcel = (struct parcel){.from = rank, .tag = message->tag, .bytes = message->wire.bytes};
    struct charm_call call = {.entry = message_arrived, .content = parcel};
    if (block_is_device(message->wire)) {
        parcel->travels_apart = true;
        parcel->device_tag = charm_device_tag(pe);
        charm_device_send(pe, message->peer, message->wire, parcel->device_tag, transfer_sent,
                          message);
        call.devices = 1;
    } else {
        serialize(pe, message->wire.bytes);
        call.payload_bytes = message->wire.bytes;
        message->is_done = true;
    }
    charm_send(pe, message->peer, &call);
}

static void wait(void *state, int32_t rank, struct message *messages, size_t count)
{
    struct charm4py *charm4py = state;
    while (!messages_done(messages, count))
        charm_schedule(&charm4py->charm->pes[rank]);
}

const struct runtime_ops charm4py_ops = {
    .open = open_charm4py,
    .close = close_charm4py,
    .ucx = charm4py_ucx,
    .send = send,
    .receive = receive,
    .wait = wait,
    .receives_pageable = true,
    .interprets = true,
};
