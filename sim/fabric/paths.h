/* SPDX-License-Identifier: BSD-3-Clause */
/* Paths of the fewest links through a small graph: the inside of a node, or a hand-drawn network.
 *
 * Vertices are numbered from 0; a link may be passed both paths. A hop is a link's number * 2, + 1
 * against the direction in which it was drawn (platform_hop). Of several paths with the fewest links
 * paths_append takes the one whose links were drawn first, looking from the start. */
#pragma once

#include <glib.h>

#include "fabric/layout.h"

struct paths;

/* `ends` of `links` links is copied. No path passes through vertices first_end to last_end - 1; they can only be the
 * ends of a path. Freed by paths_free. */
struct paths *paths_new(int vertices, const struct link_ends *ends, int links, int first_end,
                        int last_end);
void paths_free(struct paths *paths);

/* Appends the hops (platform_hop) of the way between two vertices that links join, each raised by
 * `offset`, to `hops`. Paths from one vertex are found once and kept. */
void paths_append(struct paths *paths, int from, int to, platform_hop offset, GArray *hops);

/* How many links that path has. */
int paths_length(struct paths *paths, int from, int to);

/* Writes the paths_length hops of a way of the fewest links by its number from 0: numbers give different ways until all have
 * been used; then they repeat. At each vertex, looking back from the end, the number chooses among the links that lead there,
 * in the order of their drawing. */
void paths_write(struct paths *paths, int from, int to, int number, platform_hop *hops);
