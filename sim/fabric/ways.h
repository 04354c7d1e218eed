/* Ways of the fewest links through a small graph: the inside of a node, or a hand-drawn network.
 *
 * Vertices are numbered from 0; a link may be passed both ways. A hop is a link's number * 2, + 1
 * against the direction in which it was drawn (platform_hop). Of several ways with the fewest links
 * the one is taken whose links were drawn first, looking from the start. */
#ifndef GPUNETSIM_FABRIC_WAYS_H
#define GPUNETSIM_FABRIC_WAYS_H

#include <glib.h>

#include "fabric/layout.h"

struct ways;

/* `ends` of `links` links is copied. Freed by ways_free. */
struct ways *ways_new(int vertices, const struct link_ends *ends, int links);
void ways_free(struct ways *ways);

/* Appends the hops (platform_hop) of the way between two vertices that links join, each raised by
 * `offset`, to `hops`. Ways from one vertex are found once and kept. */
void ways_append(struct ways *ways, int from, int to, platform_hop offset, GArray *hops);

/* How many links that way has. */
int ways_length(struct ways *ways, int from, int to);

#endif
