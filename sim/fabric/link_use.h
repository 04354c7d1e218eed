/* SPDX-License-Identifier: BSD-3-Clause */
/* How bulk transfers of ranks and the packets of a node's bus share a link that both use.
 *
 *   packets   arbitration goes by packets, in turn (PCI Express Base Specification, 6.3.3): while bulk is on a link,
 *             each packet of the bus that sets out over it goes behind one of the bulk's
 *   bulk      ends as much later as packets that set out meanwhile take of the link that they hold up most
 *
 * Neither moves a byte more or less. Left out: that bulk transfers which owe time have their links to themselves by then.
 * By hop of the platform (platform.h). */
#pragma once

#include <stdint.h>

#include "core/pool.h"
#include "fabric/platform.h"

/* All zero until somebody uses it; link_use_clear gives its memory back. */
struct link_use {
    struct platform *platform;
    int64_t buses;         /* buses that share links: without any, nothing is counted */
    int64_t *packet_bytes; /* bytes of buses on the wire so far; NULL until bulk comes */
    int32_t *bulk;         /* transfers on it now */
    struct pool shares;
};
void link_use_clear(struct link_use *use);

/* A transfer on its links: how much packets had sent when its share was last worked out. */
struct link_share;
struct link_share *link_share_new(struct link_use *use, const struct platform_route *route);

/* For how long packets have held it up since then. It has not left its links until that is 0. */
sim_time link_share_owed_ps(struct link_use *use, struct link_share *share,
                            const struct platform_route *route);
void link_share_free(struct link_use *use, struct link_share *share,
                     const struct platform_route *route);

/* Says that a packet of `bytes` on the wire sets out over a hop; returns whether a packet of bulk goes before it. */
static inline bool link_use_packet(struct link_use *use, platform_hop hop, int64_t bytes)
{
    if (use == NULL || use->bulk == NULL)
        return false;
    use->packet_bytes[hop] += bytes;
    return use->bulk[hop] > 0;
}
