/* SPDX-License-Identifier: BSD-3-Clause */
/* Contents of a host message of the message-driven runtimes, and how it is matched with its receive: by sender and tag,
 * in the order of sending. Charm++ itself does not keep that order (small messages overtake a large one), so envelopes are
 * numbered, as in AMPI and the channels of Charm4py, and wait for those before them. */
#pragma once

#include "core/list.h"
#include "core/map.h"
#include "protocols/runtimes/charm.h"
#include "protocols/runtimes/messenger.h"

struct envelope {
    struct list_link link; /* in the queue of envelopes that found no receive */
    int32_t from, tag;
    uint64_t number; /* among those from that rank to this one, or of that tag */
    int64_t bytes;
    uint64_t operation;      /* that it belongs to (cpu_work_for) */
    bool travels_apart;      /* the payload comes by a transfer of its own */
    bool is_apart;           /* ordered only among envelopes of its tag */
    bool is_pooled;          /* the host message came from a pool of ready ones */
    uint64_t device_tag;     /* under this tag */
    struct message *message; /* the receive it has met */
    struct message *sent;    /* the sender's; in place until that is done */
};

/* The receives of one rank that wait for an envelope, and the envelopes that wait for a receive. Nothing in it matches. All
 * zero is an empty inbox. */
struct envelope_inbox {
    struct list messages, envelopes;
    struct map peers; /* peer_key: struct peer; made on first use */
};

/* Charm++ with an inbox for each rank. First member of what a runtime keeps; charm->owner is the runtime. */
struct mailbox {
    struct charm *charm;
    struct envelope_inbox *inboxes; /* by rank */
    struct pool envelopes;
};
void mailbox_open(struct mailbox *mailbox, struct runtime *runtime, void *owner);

/* Operations of runtimes whose state begins with a mailbox: the PE's scheduler, until all `count` messages are done; the end of the
 * state itself, if it has nothing else of its own. */
void mailbox_wait(void *state, int32_t rank, struct message *messages, size_t count);
void mailbox_free(void *state);

/* Says that a payload that travels apart has left, so that the message is done. */
void envelope_payload_sent(struct charm_pe *pe, void *message);

/* How an envelope is sent. */
struct envelope_path {
    charm_entry *arrived; /* called on the other PE with the envelope */
    charm_device_done
        *sent; /* called with the message when a payload that travels apart has left */
    bool travels_apart;
    bool is_pooled; /* the host message comes from a pool of ready ones */
};

/* Sends the message's payload inside an entry method call, and the message is done; or apart, under a
 * GPU Messaging tag, with a call that describes it. */
void envelope_send(struct mailbox *mailbox, struct charm_pe *pe, struct message *message,
                   const struct envelope_path *way);

/* An envelope has met its receive: envelope->message, whose wire is now as long as the payload. */
typedef void envelope_accept(struct charm_pe *pe, struct envelope *envelope);

/* An envelope has arrived. It and those that waited for it are matched, in order, with their receives, or kept until these are
 * posted; `keep` (may be NULL) is called for each that is kept. */
void envelope_arrive(struct mailbox *mailbox, struct charm_pe *pe, struct envelope *envelope,
                     envelope_accept *accept, envelope_accept *keep);

/* A receive of that PE: it is matched with its envelope or kept until that comes. */
void envelope_expect(struct mailbox *mailbox, struct charm_pe *pe, struct message *message,
                     envelope_accept *accept);

/* Completes the envelope's message and frees the envelope. */
void envelope_finish(struct mailbox *mailbox, struct envelope *envelope);
