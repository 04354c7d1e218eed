/* SPDX-License-Identifier: BSD-3-Clause */
#include "protocols/runtimes/envelope.h"

/* --- inboxes ----------------------------------------------------------------------------------- */

/* Takes out the oldest receive that matches the envelope; without one, keeps the envelope and returns NULL. */
static struct message *inbox_arrive(struct envelope_inbox *inbox, struct envelope *envelope)
{
    LIST_EACH (struct message, message, &inbox->messages, link) {
        if (message->peer == envelope->from && message->tag == envelope->tag) {
            list_remove(&inbox->messages, &message->link);
            return message;
        }
    }
    list_append(&inbox->envelopes, &envelope->link);
    return NULL;
}

/* Takes out the oldest envelope that matches the receive; without one, keeps the receive and returns NULL. */
static struct envelope *inbox_expect(struct envelope_inbox *inbox, struct message *message)
{
    LIST_EACH (struct envelope, envelope, &inbox->envelopes, link) {
        if (envelope->from == message->peer && envelope->tag == message->tag) {
            list_remove(&inbox->envelopes, &envelope->link);
            return envelope;
        }
    }
    list_append(&inbox->messages, &message->link);
    return NULL;
}

static struct envelope *join(struct envelope *envelope, struct message *message)
{
    envelope->message = message;
    message->wire.bytes = envelope->bytes;
    return envelope;
}

/* What a rank knows of a peer. */
struct envelope_peer {
    uint64_t sent, met; /* envelopes sent to the peer; received from it in order */
    struct list early;  /* envelopes from the peer that wait for earlier ones, by number */
};

/* The key of envelopes that are kept in order: all of a rank or, if they are apart, those of the rank's tag. */
static uint64_t peer_key(int32_t rank, bool is_apart, int32_t tag)
{
    return (uint64_t)rank * (MESSAGE_TAG_MOST + 2) + (is_apart ? (uint64_t)tag + 1 : 0);
}

static struct envelope_peer *peer_of(struct envelope_inbox *inbox, uint64_t key)
{
    void **peer = &map_at(&inbox->peers, key)->pointer;
    if (*peer == NULL)
        *peer = g_new0(struct envelope_peer, 1);
    return *peer;
}

static void keep_early(struct envelope_peer *peer, struct envelope *envelope)
{
    struct envelope *next = LIST_FIRST(&peer->early, struct envelope, link);
    while (next != NULL && next->number < envelope->number)
        next = LIST_NEXT(next, struct envelope, link);
    list_insert(&peer->early, &envelope->link, next != NULL ? &next->link : NULL);
}

/* Takes out the envelope whose turn it is, if it has arrived; else returns NULL. */
static struct envelope *take_next(struct envelope_peer *peer)
{
    struct envelope *first = LIST_FIRST(&peer->early, struct envelope, link);
    if (first == NULL || first->number != peer->met)
        return NULL;
    list_remove(&peer->early, &first->link);
    peer->met++;
    return first;
}

/* If the payload travels apart, its own receive marks the stage, not the envelope. */
static void accept_for(struct charm_pe *pe, struct envelope *envelope, envelope_accept *accept,
                       enum stage stage)
{
    uint64_t operation = cpu_work_for(&pe->process->cpu, envelope->operation);
    if (!envelope->travels_apart)
        cpu_stage(&pe->process->cpu, stage);
    accept(pe, envelope);
    cpu_work_for(&pe->process->cpu, operation);
}

void envelope_arrive(struct mailbox *mailbox, struct charm_pe *pe, struct envelope *envelope,
                     envelope_accept *accept, envelope_accept *keep)
{
    struct envelope_inbox *inbox = &mailbox->inboxes[pe->process->rank];
    struct envelope_peer *peer =
        peer_of(inbox, peer_key(envelope->from, envelope->is_apart, envelope->tag));
    keep_early(peer, envelope);
    struct envelope *next;
    while ((next = take_next(peer)) != NULL) {
        struct message *message = inbox_arrive(inbox, next);
        if (message != NULL)
            accept_for(pe, join(next, message), accept, STAGE_MATCHED);
        else if (keep != NULL)
            keep(pe, next);
    }
}

void envelope_expect(struct mailbox *mailbox, struct charm_pe *pe, struct message *message,
                     envelope_accept *accept)
{
    struct envelope *envelope = inbox_expect(&mailbox->inboxes[pe->process->rank], message);
    if (envelope != NULL)
        accept_for(pe, join(envelope, message), accept, STAGE_LATE_RECEIVE);
}

void envelope_finish(struct mailbox *mailbox, struct envelope *envelope)
{
    envelope->message->operation = envelope->operation;
    message_finish(envelope->message);
    pool_give(&mailbox->envelopes, envelope);
}

/* --- mailbox -------------------------------------------------------------------------------------- */

void mailbox_open(struct mailbox *mailbox, struct runtime *runtime, void *owner)
{
    mailbox->charm = charm_new(runtime, owner);
    mailbox->inboxes = g_new0(struct envelope_inbox, (gsize)runtime->job->count);
    pool_init(&mailbox->envelopes, sizeof(struct envelope));
}

void mailbox_free(void *state)
{
    struct mailbox *mailbox = state;
    for (int32_t rank = 0; rank < mailbox->charm->job->count; rank++)
        map_clear_with(&mailbox->inboxes[rank].peers, g_free);
    charm_free(mailbox->charm);
    pool_clear(&mailbox->envelopes);
    g_free(mailbox->inboxes);
    g_free(state);
}

void mailbox_wait(void *state, int32_t rank, struct message *messages, size_t count)
{
    struct charm_pe *pe = charm_pe_of(state, rank);
    size_t left = 0;
    while ((left = messages_first_left(messages, count, left)) < count)
        charm_schedule(pe);
}

void envelope_payload_sent(struct charm_pe *pe, void *message)
{
    (void)pe;
    message_finish(message);
}

void envelope_send(struct mailbox *mailbox, struct charm_pe *pe, struct message *message,
                   const struct envelope_path *way)
{
    struct envelope *envelope = pool_take(&mailbox->envelopes);
    int32_t rank = pe->process->rank;
    uint64_t key = peer_key(message->peer, message->is_apart, message->tag);
    *envelope = (struct envelope){.from = rank,
                                  .tag = message->tag,
                                  .number = peer_of(&mailbox->inboxes[rank], key)->sent++,
                                  .bytes = message->wire.bytes,
                                  .operation = pe->process->cpu.operation,
                                  .sent = message,
                                  .travels_apart = way->travels_apart,
                                  .is_apart = message->is_apart,
                                  .is_pooled = way->is_pooled};
    int32_t peer = message->peer; /* kept: the message may be freed once its payload has left */
    struct charm_call call = {
        .entry = way->arrived, .content = envelope, .is_pooled = way->is_pooled};
    uint64_t operation = envelope->operation;
    if (way->travels_apart) {
        envelope->device_tag = charm_device_tag(pe);
        call.has_device = true;
        charm_device_send(pe, peer, message->wire, envelope->device_tag, way->sent, message);
        cpu_work_for(&pe->process->cpu, 0);
    } else {
        call.payload_bytes = message->wire.bytes;
        message_finish(message); /* the payload was copied into the call's message */
    }
    charm_send(pe, peer, &call);
    cpu_work_for(&pe->process->cpu, operation);
}
