/* SPDX-License-Identifier: BSD-3-Clause */
/* Cables of a hand-drawn network as text: "node0..3 leaf0; node4..7 leaf1; leaf0..1 spine0 x2 25GB/s 1us".
 *
 * Each part names two ends (struct node_link) and joins them by a cable; a range joins each of the one side to each of the other,
 * and two ends of the same text every two of them. Behind the ends may stand, in any order, how many cables lie beside each other
 * ("x2"), a rate and a latency; by default one of network.rate and network.latency. */
#pragma once

#include <glib.h>

#include "core/param.h"
#include "fabric/platform.h"

/* Most cables that a text stands for. */
#define CABLES_MOST 65536

/* Appends struct node_link to `cables`, whose names are put into `names`. False and one sentence if the text is no list of cables;
 * whether they make a network is for platform_check. */
bool cables_parse(const char *text, const struct wire_spec *wire, GArray *cables,
                  GStringChunk *names, GError **error);
