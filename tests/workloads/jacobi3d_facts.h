/* SPDX-License-Identifier: BSD-3-Clause */
/* Jacobi3D's decompositions: block grids, blocks and faces, facts worked out from the published search
 * (M-089); and what a node sends in an iteration to other nodes, across its sockets, within a socket and
 * within a PE under the published mapping (M-090). */
#pragma once

#include <stdint.h>

static const struct decomposition_fact {
    const char *workload;
    int64_t nodes, odf, cells[3], blocks[3], block[3], face_bytes[3], most_neighbours;
} decomposition_facts[] = {
#include "jacobi3d_decomposition.inc"
};

/* Bytes of a node on average but for the first. */
static const struct traffic_fact {
    const char *workload;
    int64_t nodes, odf, most_off_node_bytes, off_node_bytes, most_off_node_messages;
    int64_t cross_socket_bytes, same_socket_bytes, same_pe_bytes;
} traffic_facts[] = {
#include "jacobi3d_traffic.inc"
};
