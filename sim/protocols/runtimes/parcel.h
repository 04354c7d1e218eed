/* What the message-driven runtimes put into a host message, and how it meets the receive that it is for:
 * by sender and tag, in order. */
#ifndef GPUNETSIM_PROTOCOLS_RUNTIMES_PARCEL_H
#define GPUNETSIM_PROTOCOLS_RUNTIMES_PARCEL_H

#include <stdbool.h>
#include <stdint.h>

#include "protocols/runtimes/messenger.h"

struct parcel {
    struct parcel *next; /* among those that found no receive */
    int32_t from, tag;
    int64_t bytes;
    bool travels_apart;      /* the payload comes by a transfer of its own */
    bool is_pooled;          /* the host message was one of those kept ready */
    uint64_t device_tag;     /* under this tag */
    struct message *message; /* the receive it has met */
};

/* One rank's receives without parcel and parcels without receive; all zero is empty. At any time no two of them match. */
struct inbox {
    struct message *first_message, *last_message;
    struct parcel *first_parcel, *last_parcel;
};

/* The oldest receive that the parcel is for, taken out; or NULL, and the parcel is kept. */
struct message *inbox_arrive(struct inbox *inbox, struct parcel *parcel);

/* The oldest parcel that is for the receive, taken out; or NULL, and the receive is kept. */
struct parcel *inbox_expect(struct inbox *inbox, struct message *message);

#endif
