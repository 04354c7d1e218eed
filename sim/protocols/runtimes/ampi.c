/* AMPI: a rank is a chare with a user-level thread (ParCo22 sections 2.4 and 3.3, Fig 8; M-020 to M-024, M-115,
 * M-116).
 *
 * Each send is an AMPI message, matched by AMPI itself: with the request queue when it arrives, or with the
 * unexpected queue when a receive is called. Small host payloads travel in it; host payloads above
 * ampi.zero_copy, and GPU buffers, travel apart, and are asked for after the match. The end of such a transfer is a
 * callback to the rank. A rank that waits is suspended, and its PE schedules other messages. */
#include <glib.h>

#include "protocols/runtimes/charm.h"
#include "protocols/runtimes/messenger.h"
#include "protocols/runtimes/parcel.h"

struct ampi_rank {
    struct inbox inbox;
    int64_t ready_messages; /* in its pool */
};

struct ampi {
    struct charm *charm;
    const struct ampi_spec *spec;
    struct ampi_rank *ranks;
    struct pool parcels;
};

static void *open_ampi(struct job *job, const struct runtime_design *design)
{
    (void)design;
    struct ampi *ampi = g_new0(struct ampi, 1);
    ampi->charm = charm_new(job, ampi);
    ampi->spec = &job->spec->ampi;
    ampi->ranks = g_new0(struct ampi_rank, (gsize)job->count);
    for (int32_t rank = 0; rank < job->count; rank++)
        ampi->ranks[rank].ready_messages = ampi->spec->pool_messages;
    pool_init(&ampi->parcels, sizeof(struct parcel));
    return ampi;
}

static void close_ampi(void *state)
{
    struct ampi *ampi = state;
    charm_free(ampi->charm);
    pool_clear(&ampi->parcels);
    g_free(ampi->ranks);
    g_free(ampi);
}

static struct ucx *ampi_ucx(void *state)
{
    return ((struct ampi *)state)->charm->ucx;
}

static void spend(struct charm_pe *pe, enum cpu_account account, sim_time duration_ps)
{
    cpu_spend(&pe->process->cpu, account, duration_ps);
}

static struct ampi *ampi_of(struct charm_pe *pe)
{
    return pe->charm->owner;
}

/* What a call does whichever way the payload goes. */
static struct charm_pe *enter_call(struct ampi *ampi, int32_t rank)
{
    struct charm_pe *pe = &ampi->charm->pes[rank];
    charm_pe_start(pe);
    spend(pe, CPU_PACK, ampi->spec->call_ps);
    spend(pe, CPU_MATCH, ampi->spec->device_check_ps);
    return pe;
}

/* Records of a transfer that goes apart, on either side. */
static void prepare_transfer(struct charm_pe *pe, struct block block)
{
    const struct ampi_spec *spec = ampi_of(pe)->spec;
    if (block_is_device(block))
        spend(pe, CPU_ALLOCATE, spec->device_request_ps);
    else
        spend(pe, CPU_UCX, spec->zero_copy_cost_ps);
}

/* --- the receiving side ------------------------------------------------------------------------ */

static void finish(struct charm_pe *pe, struct parcel *parcel)
{
    struct ampi *ampi = ampi_of(pe);
    struct ampi_rank *rank = &ampi->ranks[pe->process->rank];
    parcel->message->is_done = true;
    if (parcel->is_pooled && rank->ready_messages < ampi->spec->pool_messages)
        rank->ready_messages++;
    pool_give(&ampi->parcels, parcel);
}

static void receive_callback(struct charm_pe *pe, void *content)
{
    finish(pe, content);
}

static void transfer_received(struct charm_pe *pe, void *argument)
{
    charm_callback(pe, receive_callback, argument);
}

static void accept(struct charm_pe *pe, struct message *message, struct parcel *parcel)
{
    parcel->message = message;
    message->wire.bytes = parcel->bytes;
    if (parcel->travels_apart) {
        prepare_transfer(pe, message->wire);
        charm_device_receive(pe, message->wire, parcel->device_tag, transfer_received, parcel);
        return;
    }
    job_copy(pe->process, parcel->bytes);
    finish(pe, parcel);
}

static void message_arrived(struct charm_pe *pe, void *content)
{
    struct ampi *ampi = ampi_of(pe);
    spend(pe, CPU_MATCH, ampi->spec->match_ps);
    struct message *message = inbox_arrive(&ampi->ranks[pe->process->rank].inbox, content);
    if (message != NULL)
        accept(pe, message, content);
}

static void receive(void *state, int32_t rank, struct message *message)
{
    struct ampi *ampi = state;
    struct charm_pe *pe = enter_call(ampi, rank);
    spend(pe, CPU_MATCH, ampi->spec->match_ps);
    struct parcel *parcel = inbox_expect(&ampi->ranks[rank].inbox, message);
    if (parcel != NULL)
        accept(pe, message, parcel);
}

/* --- the sending side -------------------------------------------------------------------------- */

static void send_callback(struct charm_pe *pe, void *content)
{
    (void)pe;
    struct message *message = content;
    message->is_done = true;
}

static void transfer_sent(struct charm_pe *pe, void *argument)
{
    charm_callback(pe, send_callback, argument);
}

static bool travels_apart(const struct ampi *ampi, struct block block)
{
    return block_is_device(block) || block.bytes > ampi->spec->zero_copy_bytes;
}

/* Whether one of the messages kept ready will do; then it is taken. */
static bool take_ready(struct ampi *ampi, int32_t rank, int64_t payload_bytes)
{
    const struct ampi_spec *spec = ampi->spec;
    struct ampi_rank *at = &ampi->ranks[rank];
    if (at->ready_messages == 0 ||
        ampi->charm->spec->header_bytes + payload_bytes > spec->pool_message_bytes)
        return false;
    at->ready_messages--;
    return true;
}

static void send(void *state, int32_t rank, struct message *message)
{
    struct ampi *ampi = state;
    struct charm_pe *pe = enter_call(ampi, rank);
    struct parcel *parcel = pool_take(&ampi->parcels);
    *parcel = (struct parcel){.from = rank, .tag = message->tag, .bytes = message->wire.bytes};
    struct charm_call call = {.entry = message_arrived, .content = parcel};
    if (travels_apart(ampi, message->wire)) {
        parcel->travels_apart = true;
        parcel->device_tag = charm_device_tag(pe);
        prepare_transfer(pe, message->wire);
        charm_device_send(pe, message->peer, message->wire, parcel->device_tag, transfer_sent,
                          message);
        call.devices = 1;
    } else {
        call.payload_bytes = message->wire.bytes;
        message->is_done = true; /* copied into the AMPI message */
    }
    parcel->is_pooled = call.is_pooled = take_ready(
        ampi, rank, call.payload_bytes + call.devices * ampi->charm->spec->device_metadata_bytes);
    charm_send(pe, message->peer, &call);
}

static void wait(void *state, int32_t rank, struct message *messages, size_t count)
{
    struct ampi *ampi = state;
    struct charm_pe *pe = &ampi->charm->pes[rank];
    charm_pe_start(pe);
    if (messages_done(messages, count))
        return;
    spend(pe, CPU_SCHEDULE, ampi->spec->switch_ps); /* suspend */
    while (!messages_done(messages, count))
        charm_schedule(pe);
    spend(pe, CPU_SCHEDULE, ampi->spec->switch_ps); /* resume */
}

const struct runtime_ops ampi_ops = {
    .open = open_ampi,
    .close = close_ampi,
    .ucx = ampi_ucx,
    .send = send,
    .receive = receive,
    .wait = wait,
};
