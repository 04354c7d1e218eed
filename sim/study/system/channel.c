/* SPDX-License-Identifier: BSD-3-Clause */
/* SOCK_SEQPACKET keeps packet boundaries, and a packet is sent whole even if its sender is killed a moment later; longer
 * messages are split into packets. A packet's first byte is the message's type; its second byte marks the message's first and
 * last packet. */
#include "study/system/channel.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#define PACKET_BYTES 16384
#define HEADER_BYTES 2

enum { PACKET_FIRST = 1, PACKET_LAST = 2 };

bool channel_open(int ends[2])
{
    return socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) == 0;
}

static bool send_packet(int fd, const guint8 *packet, gsize length)
{
    ssize_t sent;
    do
        sent = send(fd, packet, length, MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    return sent == (ssize_t)length;
}

bool channel_send(int fd, char type, GBytes *payload)
{
    guint8 packet[PACKET_BYTES];
    gsize length = 0, sent = 0;
    const guint8 *bytes = payload ? g_bytes_get_data(payload, &length) : NULL;
    do {
        gsize part = MIN(length - sent, sizeof packet - HEADER_BYTES);
        packet[0] = (guint8)type;
        packet[1] =
            (guint8)((sent == 0 ? PACKET_FIRST : 0) | (sent + part == length ? PACKET_LAST : 0));
        if (part > 0)
            memcpy(packet + HEADER_BYTES, bytes + sent, part);
        if (!send_packet(fd, packet, part + HEADER_BYTES))
            return false;
        sent += part;
    } while (sent < length);
    return true;
}

void channel_inbox_clear(struct channel_inbox *inbox)
{
    g_clear_pointer(&inbox->begun, g_byte_array_unref);
}

enum channel_state channel_receive(int fd, struct channel_inbox *inbox, char *type,
                                   GBytes **payload)
{
    guint8 packet[PACKET_BYTES];
    ssize_t length;
    do
        length = recv(fd, packet, sizeof packet, 0);
    while (length < 0 && errno == EINTR);
    if (length < HEADER_BYTES)
        return CHANNEL_END;
    if (packet[1] & PACKET_FIRST)
        channel_inbox_clear(inbox);
    if (!inbox->begun)
        inbox->begun = g_byte_array_new();
    g_byte_array_append(inbox->begun, packet + HEADER_BYTES, (guint)length - HEADER_BYTES);
    if (!(packet[1] & PACKET_LAST))
        return CHANNEL_PART;
    *type = (char)packet[0];
    *payload = g_byte_array_free_to_bytes(g_steal_pointer(&inbox->begun));
    return CHANNEL_MESSAGE;
}

bool channel_await(int fd, char *type, GBytes **payload)
{
    struct channel_inbox inbox = {NULL};
    enum channel_state state;
    do
        state = channel_receive(fd, &inbox, type, payload);
    while (state == CHANNEL_PART);
    channel_inbox_clear(&inbox);
    return state == CHANNEL_MESSAGE;
}
