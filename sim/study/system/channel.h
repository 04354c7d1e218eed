/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages between processes, over a socket that keeps packets whole. A message is delivered whole or not at all: if its sender
 * died in the middle, it is dropped when the next message begins. */
#pragma once

#include <glib.h>
#include <stdbool.h>

/* Opens a channel's two ends, which close on exec. False if the system has no more descriptors. */
bool channel_open(int ends[2]);

/* Sends a message of a type. Waits while the other side is slow. False if the other side is gone. `payload` NULL: empty. */
bool channel_send(int fd, char type, GBytes *payload);

/* The part of a message that has arrived so far at one end. */
struct channel_inbox {
    GByteArray *begun; /* NULL: none */
};
void channel_inbox_clear(struct channel_inbox *inbox);

enum channel_state {
    CHANNEL_MESSAGE, /* a message is complete; the caller unrefs its payload */
    CHANNEL_PART,    /* the message is not complete yet */
    CHANNEL_END,     /* the other side is gone */
};

/* Receives one packet, waiting for it if necessary. */
enum channel_state channel_receive(int fd, struct channel_inbox *inbox, char *type,
                                   GBytes **payload);

/* Receives packets until a message is complete; false if the other side is gone. */
bool channel_await(int fd, char *type, GBytes **payload);
