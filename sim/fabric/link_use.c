/* SPDX-License-Identifier: BSD-3-Clause */
#include "fabric/link_use.h"

#include <glib.h>

#include "fabric/platform_private.h"

/* More hops than any route within a node or between two nodes has; later hops belong to no bus. */
#define MOST_HOPS 24

struct link_share {
    int64_t before[MOST_HOPS];
};

void link_use_clear(struct link_use *use)
{
    if (use->bulk == NULL)
        return;
    g_free(use->packet_bytes);
    g_free(use->bulk);
    pool_clear(&use->shares);
}

static size_t hops_of(const struct platform_route *route)
{
    return MIN(route->count, MOST_HOPS);
}

static void make(struct link_use *use)
{
    gsize hops = (gsize)(2 * platform_link_count(use->platform));
    use->packet_bytes = g_new0(int64_t, hops);
    use->bulk = g_new0(int32_t, hops);
    pool_init(&use->shares, sizeof(struct link_share));
}

struct link_share *link_share_new(struct link_use *use, const struct platform_route *route)
{
    if (use->bulk == NULL)
        make(use);
    struct link_share *share = pool_take(&use->shares);
    for (size_t i = 0; i < hops_of(route); i++) {
        platform_hop hop = route->hops[i];
        use->bulk[hop]++;
        share->before[i] = use->packet_bytes[hop];
    }
    return share;
}

sim_time link_share_owed_ps(struct link_use *use, struct link_share *share,
                            const struct platform_route *route)
{
    sim_time owed_ps = 0;
    for (size_t i = 0; i < hops_of(route); i++) {
        platform_hop hop = route->hops[i];
        int64_t bytes = use->packet_bytes[hop] - share->before[i];
        int64_t rate_Bps = platform_link(use->platform, (size_t)hop / 2)->bandwidth_Bps;
        owed_ps = MAX(owed_ps, transfer_ps(bytes, rate_Bps));
        share->before[i] = use->packet_bytes[hop];
    }
    return owed_ps;
}

void link_share_free(struct link_use *use, struct link_share *share,
                     const struct platform_route *route)
{
    for (size_t i = 0; i < hops_of(route); i++)
        use->bulk[route->hops[i]]--;
    pool_give(&use->shares, share);
}
