/* SPDX-License-Identifier: BSD-3-Clause */
/* AMPI: a rank is a chare with a user-level thread (ParCo22 sections 2.4 and 3.3, Fig 8; M-020 to M-024, M-115,
 * M-116, M-128, M-129).
 *
 * Each send is an AMPI message, matched by AMPI itself: with the request queue when it arrives, or with the
 * unexpected queue when a receive is called. Small host payloads travel in it. GPU buffers travel apart, and are asked
 * for after the match; when they have come the receiver sends the sender a message. Large host payloads
 * (AMPI_ZERO_COPY_BYTES) are not copied by the sender: the receiver's runtime fetches them into a buffer that it allocates and
 * registers, before AMPI sees the message, and AMPI copies them to the receive, or by way of a second buffer if
 * there is none yet. A rank that waits is suspended, and its PE schedules other messages. */
#include "protocols/runtimes/ampi.h"

#include "protocols/runtimes/envelope.h"

PARAM_TABLE_OF(ampi_params, "ampi", struct ampi_spec, AMPI_ROWS, "AMPI above Charm++.");

struct ampi {
    struct mailbox mailbox;
    const struct ampi_spec *spec;
    uint64_t *used;          /* marks the spec's values that were read (READ) */
    int64_t *ready_messages; /* by rank: the number in its pool */
};

#define READ(ampi, field) PARAM_READ((ampi)->used, (ampi)->spec, field)

static void *open_ampi(struct runtime *runtime, const struct design *design)
{
    (void)design;
    const struct job *job = runtime->job;
    struct ampi *ampi = g_new0(struct ampi, 1);
    mailbox_open(&ampi->mailbox, runtime, ampi);
    ampi->spec = machine_part(job->spec, &ampi_params);
    ampi->used = param_use_of(&job->sim->uses, &ampi_params);
    ampi->ready_messages = g_new(int64_t, (gsize)job->count);
    for (int32_t rank = 0; rank < job->count; rank++)
        ampi->ready_messages[rank] = AMPI_POOL_MESSAGES;
    return ampi;
}

static void close_ampi(void *state)
{
    struct ampi *ampi = state;
    g_free(ampi->ready_messages);
    mailbox_free(ampi);
}

static int64_t stock(void *state, int32_t rank)
{
    const struct ampi *ampi = state;
    return ampi->ready_messages[rank] + (AMPI_POOL_MESSAGES + 1) * charm_stock(state, rank);
}

static struct ampi *ampi_of(struct charm_pe *pe)
{
    return pe->charm->owner;
}

static struct charm_pe *enter_call(struct ampi *ampi, int32_t rank)
{
    struct charm_pe *pe = charm_pe_of(ampi, rank);
    charm_spend(pe, CPU_PACK, READ(ampi, call_ps));
    return pe;
}

/* --- the receiving side ------------------------------------------------------------------------ */

/* The payload of an envelope is in its place. */
static void finish(struct charm_pe *pe, void *content)
{
    struct envelope *envelope = content;
    struct ampi *ampi = ampi_of(pe);
    int64_t *ready = &ampi->ready_messages[pe->process->rank];
    if (envelope->is_pooled && *ready < AMPI_POOL_MESSAGES)
        ++*ready;
    envelope_finish(&ampi->mailbox, envelope);
}

/* GPU data have arrived: the receiver calls the sender's callback by a message (M-129), and its own by one to itself. */
static void device_received(struct charm_pe *pe, void *argument)
{
    struct envelope *envelope = argument;
    const struct charm_call call = {.entry = envelope_payload_sent, .content = envelope->sent};
    charm_send(pe, envelope->from, &call);
    charm_callback(pe, finish, envelope);
}

/* The message has been matched with its receive. */
static void accept(struct charm_pe *pe, struct envelope *envelope)
{
    struct block wire = envelope->message->wire;
    if (envelope->travels_apart && block_is_device(wire)) {
        charm_spend(pe, CPU_ALLOCATE, READ(ampi_of(pe), device_request_ps));
        charm_device_receive(pe, wire, envelope->device_tag, device_received, envelope);
        return;
    }
    job_copy(pe->process, envelope->bytes);
    if (envelope->travels_apart)
        job_free_memory(pe->process, envelope->bytes);
    finish(pe, envelope);
}

static void message_arrived(struct charm_pe *pe, void *content)
{
    struct ampi *ampi = ampi_of(pe);
    charm_spend(pe, CPU_MATCH, READ(ampi, match_ps));
    envelope_arrive(&ampi->mailbox, pe, content, accept, NULL);
}

/* No receive is posted yet: AMPI copies the payload into a message of its own, and later from there (M-128). */
static void keep_fetched(struct charm_pe *pe, struct envelope *envelope)
{
    job_copy(pe->process, envelope->bytes);
}

static void fetched_arrived(struct charm_pe *pe, void *content)
{
    struct ampi *ampi = ampi_of(pe);
    charm_spend(pe, CPU_MATCH, READ(ampi, match_ps));
    envelope_arrive(&ampi->mailbox, pe, content, accept, keep_fetched);
}

static void fetched(struct charm_pe *pe, void *argument)
{
    charm_enqueue(pe, fetched_arrived, argument);
}

/* The description of a large host payload has arrived: the runtime fetches the payload into a buffer of its own before AMPI
 * sees the message (M-128). */
static void fetch_payload(struct charm_pe *pe, void *content)
{
    struct envelope *envelope = content;
    charm_spend(pe, CPU_LIBRARY, READ(ampi_of(pe), zero_copy_cost_ps));
    struct block block = charm_allocate_message(pe, envelope->bytes);
    ucx_register(pe->worker, block);
    charm_get(pe, block, envelope->device_tag, fetched, envelope);
}

static void receive(void *state, int32_t rank, struct message *message)
{
    struct ampi *ampi = state;
    struct charm_pe *pe = enter_call(ampi, rank);
    charm_spend(pe, CPU_MATCH, READ(ampi, match_ps));
    envelope_expect(&ampi->mailbox, pe, message, accept);
}

/* --- the sending side -------------------------------------------------------------------------- */

/* The receiver has fetched the payload. */
static void payload_sent(struct charm_pe *pe, void *argument)
{
    charm_callback(pe, envelope_payload_sent, argument);
}

/* Does nothing: the receiver reports the end. The message may have been freed. */
static void device_sent(struct charm_pe *pe, void *argument)
{
    (void)pe, (void)argument;
}

/* Takes one of the preallocated messages if one is left and the payload fits into it; returns whether it did. */
static bool take_ready(struct ampi *ampi, int32_t rank, int64_t payload_bytes)
{
    int64_t *ready = &ampi->ready_messages[rank];
    int64_t bytes = CHARM_READ(ampi->mailbox.charm, header_bytes) + payload_bytes;
    if (*ready == 0 || bytes > AMPI_POOL_MESSAGE_BYTES)
        return false;
    --*ready;
    return true;
}

/* Addresses known to be GPU memory are kept; for any other address each send asks the driver. */
static void check_pointer(struct charm_pe *pe, struct block block)
{
    const struct ampi *ampi = ampi_of(pe);
    if (block_is_device(block))
        charm_spend(pe, CPU_MATCH, READ(ampi, device_check_ps));
    else
        cuda_pointer_query(ampi->mailbox.charm->job->cuda, &pe->process->cpu);
}

/* How the payload travels: in the message; fetched by the receiver's runtime; or, if it is on a GPU, by UCX. */
static struct envelope_path path_of(struct block wire)
{
    if (block_is_device(wire))
        return (struct envelope_path){
            .arrived = message_arrived, .sent = device_sent, .travels_apart = true};
    if (wire.bytes >= AMPI_ZERO_COPY_BYTES)
        return (struct envelope_path){
            .arrived = fetch_payload, .sent = payload_sent, .travels_apart = true};
    return (struct envelope_path){.arrived = message_arrived};
}

static void prepare_send(struct charm_pe *pe, struct block wire, bool travels_apart)
{
    const struct ampi *ampi = ampi_of(pe);
    if (block_is_device(wire)) {
        charm_spend(pe, CPU_ALLOCATE, READ(ampi, device_request_ps));
    } else if (travels_apart) {
        charm_spend(pe, CPU_LIBRARY, READ(ampi, zero_copy_cost_ps));
        ucx_register(pe->worker, wire);
    }
}

static void send(void *state, int32_t rank, struct message *message)
{
    struct ampi *ampi = state;
    struct charm_pe *pe = enter_call(ampi, rank);
    struct block wire = message->wire;
    struct envelope_path path = path_of(wire);
    check_pointer(pe, wire);
    prepare_send(pe, wire, path.travels_apart);
    path.is_pooled =
        take_ready(ampi, rank, path.travels_apart ? CHARM_DEVICE_METADATA_BYTES : wire.bytes);
    envelope_send(&ampi->mailbox, pe, message, &path);
}

static void wait(void *state, int32_t rank, struct message *messages, size_t count)
{
    struct ampi *ampi = state;
    struct charm_pe *pe = charm_pe_of(ampi, rank);
    if (messages_first_left(messages, count, 0) == count)
        return;
    charm_spend(pe, CPU_SCHEDULE, READ(ampi, switch_ps)); /* suspend */
    mailbox_wait(ampi, rank, messages, count);
    charm_spend(pe, CPU_SCHEDULE, READ(ampi, switch_ps)); /* resume */
}

static sim_time block_ps(void *state)
{
    return 2 * READ((struct ampi *)state, switch_ps); /* suspend and resume */
}

const struct runtime_ops ampi_ops = {
    .reasons = {[STAGE_LATE_RECEIVE] =
                    "late receive: AMPI posts it when its own message was picked and matched"},
    .tables = {&ucx_params, &charm_params, &ampi_params},
    .open = open_ampi,
    .close = close_ampi,
    .turn = charm_turn,
    .stock = stock,
    .send = send,
    .receive = receive,
    .wait = wait,
    .block_ps = block_ps,
};
