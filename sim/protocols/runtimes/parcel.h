/* What the message-driven runtimes put into a host message, and how it meets the receive that it is for: by
 * sender and tag, in the order of sending. Charm++ does not keep that order (a large message is overtaken by
 * small ones); parcels are numbered, as AMPI and the channels of Charm4py do, and wait for those before them. */
#ifndef GPUNETSIM_PROTOCOLS_RUNTIMES_PARCEL_H
#define GPUNETSIM_PROTOCOLS_RUNTIMES_PARCEL_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "protocols/runtimes/charm.h"
#include "protocols/runtimes/messenger.h"

struct parcel {
    struct parcel *next; /* among those that found no receive */
    int32_t from, tag;
    uint64_t number; /* among those from that rank to this one */
    int64_t bytes;
    bool travels_apart;      /* the payload comes by a transfer of its own */
    bool is_pooled;          /* the host message was one of those kept ready */
    uint64_t device_tag;     /* under this tag; its further pieces under those that follow */
    int32_t pieces;          /* GPU buffers that make up the payload and have not arrived */
    struct message *message; /* the receive it has met */
};

/* One rank's receives without parcel and parcels without receive; all zero is empty. At any time no two
 * of them match. */
struct inbox {
    struct message *first_message, *last_message;
    struct parcel *first_parcel, *last_parcel;
    GHashTable *peers; /* rank -> struct peer; made on first use */
};

/* Charm++ with an inbox for each rank. First member of what a runtime keeps; charm->owner is the runtime. */
struct mail {
    struct charm *charm;
    struct inbox *inboxes; /* by rank */
    struct pool parcels;
};
void mail_open(struct mail *mail, struct job *job, void *owner);
void mail_close(struct mail *mail);

/* The rank's PE, started. */
struct charm_pe *mail_pe(struct mail *mail, int32_t rank);

/* The i-th piece of a block that is cut into `pieces`. */
struct block parcel_piece(struct block block, int32_t pieces, int32_t i);

/* The PE's scheduler, until all `count` messages are done. */
void mail_wait(struct charm_pe *pe, const struct message *messages, size_t count);

/* How a parcel is sent. */
struct parcel_way {
    charm_entry *arrived;    /* called on the other PE with the parcel */
    charm_device_done *sent; /* called with the message when a piece that travels apart has left */
    bool travels_apart;
    bool is_pooled; /* the host message lies ready */
};

/* Sends the message's payload inside an entry method call, and the message is done; or apart, each of its
 * pieces under a GPU Messaging tag, with a call that describes them. */
void parcel_send(struct mail *mail, struct charm_pe *pe, struct message *message,
                 const struct parcel_way *way);

/* A parcel has met its receive: parcel->message, whose wire is now as long as the payload. */
typedef void parcel_accept(struct charm_pe *pe, struct parcel *parcel);

/* A parcel has arrived: it, and those that waited for it, in their order, meet their receives or are kept for
 * them. */
void parcel_arrive(struct mail *mail, struct charm_pe *pe, struct parcel *parcel,
                   parcel_accept *accept);

/* A receive of that PE: meets its parcel or is kept for it. */
void parcel_expect(struct mail *mail, struct charm_pe *pe, struct message *message,
                   parcel_accept *accept);

/* The parcel's message is done, and the parcel gone. */
void parcel_finish(struct mail *mail, struct parcel *parcel);

#endif
