#include "protocols/runtimes/parcel.h"

/* --- inboxes ----------------------------------------------------------------------------------- */

/* The oldest receive that the parcel is for, taken out; or NULL, and the parcel is kept. */
static struct message *inbox_arrive(struct inbox *inbox, struct parcel *parcel)
{
    struct message *before = NULL;
    for (struct message *message = inbox->first_message; message; message = message->next) {
        if (message->peer == parcel->from && message->tag == parcel->tag) {
            *(before ? &before->next : &inbox->first_message) = message->next;
            if (inbox->last_message == message)
                inbox->last_message = before;
            return message;
        }
        before = message;
    }
    parcel->next = NULL;
    *(inbox->last_parcel ? &inbox->last_parcel->next : &inbox->first_parcel) = parcel;
    inbox->last_parcel = parcel;
    return NULL;
}

/* The oldest parcel that is for the receive, taken out; or NULL, and the receive is kept. */
static struct parcel *inbox_expect(struct inbox *inbox, struct message *message)
{
    struct parcel *before = NULL;
    for (struct parcel *parcel = inbox->first_parcel; parcel; parcel = parcel->next) {
        if (parcel->from == message->peer && parcel->tag == message->tag) {
            *(before ? &before->next : &inbox->first_parcel) = parcel->next;
            if (inbox->last_parcel == parcel)
                inbox->last_parcel = before;
            return parcel;
        }
        before = parcel;
    }
    message->next = NULL;
    *(inbox->last_message ? &inbox->last_message->next : &inbox->first_message) = message;
    inbox->last_message = message;
    return NULL;
}

static struct parcel *join(struct parcel *parcel, struct message *message)
{
    parcel->message = message;
    message->wire.bytes = parcel->bytes;
    return parcel;
}

/* What a rank knows of another one. */
struct peer {
    uint64_t sent, met;   /* parcels to it; from it, in order */
    struct parcel *early; /* from it, waiting for those before them; by number */
};

static struct peer *peer_of(struct inbox *inbox, int32_t rank)
{
    if (inbox->peers == NULL)
        inbox->peers = g_hash_table_new_full(g_direct_hash, g_direct_equal, NULL, g_free);
    struct peer *peer = g_hash_table_lookup(inbox->peers, GINT_TO_POINTER(rank));
    if (peer == NULL) {
        peer = g_new0(struct peer, 1);
        g_hash_table_insert(inbox->peers, GINT_TO_POINTER(rank), peer);
    }
    return peer;
}

static void keep_early(struct peer *peer, struct parcel *parcel)
{
    struct parcel **at = &peer->early;
    while (*at != NULL && (*at)->number < parcel->number)
        at = &(*at)->next;
    parcel->next = *at;
    *at = parcel;
}

void parcel_arrive(struct mail *mail, struct charm_pe *pe, struct parcel *parcel,
                   parcel_accept *accept)
{
    struct inbox *inbox = &mail->inboxes[pe->process->rank];
    struct peer *peer = peer_of(inbox, parcel->from);
    keep_early(peer, parcel);
    while (peer->early != NULL && peer->early->number == peer->met) {
        struct parcel *next = peer->early;
        peer->early = next->next;
        peer->met++;
        struct message *message = inbox_arrive(inbox, next);
        if (message != NULL)
            accept(pe, join(next, message));
    }
}

void parcel_expect(struct mail *mail, struct charm_pe *pe, struct message *message,
                   parcel_accept *accept)
{
    struct parcel *parcel = inbox_expect(&mail->inboxes[pe->process->rank], message);
    if (parcel != NULL)
        accept(pe, join(parcel, message));
}

void parcel_finish(struct mail *mail, struct parcel *parcel)
{
    parcel->message->is_done = true;
    pool_give(&mail->parcels, parcel);
}

/* --- mail -------------------------------------------------------------------------------------- */

void mail_open(struct mail *mail, struct job *job, void *owner)
{
    mail->charm = charm_new(job, owner);
    mail->inboxes = g_new0(struct inbox, (gsize)job->count);
    pool_init(&mail->parcels, sizeof(struct parcel));
}

void mail_close(struct mail *mail)
{
    for (int32_t rank = 0; rank < mail->charm->job->count; rank++)
        if (mail->inboxes[rank].peers != NULL)
            g_hash_table_destroy(mail->inboxes[rank].peers);
    charm_free(mail->charm);
    pool_clear(&mail->parcels);
    g_free(mail->inboxes);
}

void mail_wait(struct charm_pe *pe, const struct message *messages, size_t count)
{
    while (!messages_done(messages, count))
        charm_schedule(pe);
}

struct charm_pe *mail_pe(struct mail *mail, int32_t rank)
{
    struct charm_pe *pe = &mail->charm->pes[rank];
    charm_pe_start(pe);
    return pe;
}

struct block parcel_piece(struct block block, int32_t pieces, int32_t i)
{
    int64_t each = block.bytes / pieces;
    block.bytes = i < pieces - 1 ? each : block.bytes - i * each;
    return block;
}

static void send_pieces(struct charm_pe *pe, struct message *message, struct parcel *parcel,
                        charm_device_done *sent)
{
    struct block wire = message->wire;
    int32_t pieces = parcel->pieces, peer = message->peer;
    for (int32_t i = 0; i < pieces; i++) {
        uint64_t tag = charm_device_tag(pe);
        if (i == 0)
            parcel->device_tag = tag;
        charm_device_send(pe, peer, parcel_piece(wire, pieces, i), tag, sent, message);
    }
}

void parcel_send(struct mail *mail, struct charm_pe *pe, struct message *message,
                 const struct parcel_way *way)
{
    struct parcel *parcel = pool_take(&mail->parcels);
    int32_t rank = pe->process->rank;
    *parcel = (struct parcel){.from = rank,
                              .tag = message->tag,
                              .number = peer_of(&mail->inboxes[rank], message->peer)->sent++,
                              .bytes = message->wire.bytes,
                              .pieces = message->pieces,
                              .travels_apart = way->travels_apart,
                              .is_pooled = way->is_pooled};
    int32_t peer = message->peer; /* the message may be gone when its pieces have left */
    struct charm_call call = {
        .entry = way->arrived, .content = parcel, .is_pooled = way->is_pooled};
    if (way->travels_apart) {
        call.devices = parcel->pieces;
        send_pieces(pe, message, parcel, way->sent);
    } else {
        call.payload_bytes = message->wire.bytes;
        message->is_done = true; /* copied into the call's message */
    }
    charm_send(pe, peer, &call);
}
