/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages between processes, over a socket that keeps packets whole. A message is delivered whole
 * or not at all: one whose sender died in the middle is dropped when the next one begins. */
#pragma once

#include <glib.h>
#include <stdbool.h>

/* Two ends, which are closed on exec. False if the system has no more of them. */
bool channel_open(int ends[2]);

/* Sends a message of a type. Waits while the other side is slow. False if that is gone. `payload`
 * may be NULL: nothing. */
bool channel_send(int fd, char type, GBytes *payload);

/* One end's memory of a message that has begun to arrive. */
struct channel_inbox {
    GByteArray *begun; /* NULL: none */
};
void channel_inbox_clear(struct channel_inbox *inbox);

enum channel_state {
    CHANNEL_MESSAGE, /* one is there; the caller unrefs its payload */
    CHANNEL_PART,    /* the message is not complete yet */
    CHANNEL_END,     /* the other side is gone */
};

/* Takes one packet, waiting for it if there is none. */
enum channel_state channel_receive(int fd, struct channel_inbox *inbox, char *type,
                                   GBytes **payload);

/* The same until a message is whole: false if the other side is gone. */
bool channel_await(int fd, char *type, GBytes **payload);
