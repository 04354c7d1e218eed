/* SPDX-License-Identifier: BSD-3-Clause */
/* A coarse model of a design on a machine, in place of L, o, g, G, O and S: costs by how far apart two GPUs are, and by size.
 *
 * A rank is a GPU: rank r is GPU r % gpus_per_node of node r / gpus_per_node. With s the bytes of a message, each cost is a
 * straight line in s, piece by piece of its class's sizes. A send that its rank's CPU stream starts at t
 *
 *   takes the CPU stream until t + send
 *   leaves the GPU's port at u = max(t, when the message before has left it + out), then, if several GPUs of a node share their
 *   way out, the shared server at v = max(u, when the message before has left it + shared)
 *   is done at v + sent, or, if the receiver has to take part (waits), at the end of its receive + sent - arrive
 *   comes to the receiver's node at v + arrive - busy, is seen when it has passed the server that GPUs share on the way in (a rendezvous
 *   passes it later, with its data); at w, when its CPU stream is free, it is taken up, for `receive`, which for the first
 *   message of two ranks is longer by `first`
 *   comes to the ports of the receiver at w + busy, or at w + late if it was seen before its receive was posted
 *   and is received when it has passed them, which take `into`, the shared one `shared`, behind each message
 *
 * A receive's posting takes its CPU stream for `post`.
 *
 * The costs are those of `gpunetsim derive` (benchmarks/derive.lua), which finds them in detailed runs. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* An operation that ends later is a fault. No cost is much above it, so sums of a few have room. */
#define LOGGP_MODEL_LAST_PS (UINT64_C(1) << 61)

/* How far two ranks are apart: the first that holds. */
enum loggp_distance {
    LOGGP_SAME_GPU,
    LOGGP_SAME_SOCKET,
    LOGGP_SAME_NODE,
    LOGGP_SAME_RAIL, /* the GPU of the same number, below the same leaf switch */
    LOGGP_SAME_LEAF,
    LOGGP_ACROSS,
    LOGGP_DISTANCES
};

enum loggp_cost_kind {
    LOGGP_COST_SEND,
    LOGGP_COST_SENT,
    LOGGP_COST_ARRIVE,
    LOGGP_COST_BUSY,
    LOGGP_COST_LATE,
    LOGGP_COST_POST,
    LOGGP_COST_FIRST,
    LOGGP_COST_RECEIVE,
    LOGGP_COST_OUT,
    LOGGP_COST_IN,
    LOGGP_COST_SHARED,
    LOGGP_COSTS
};

/* Picoseconds, and attoseconds for each byte: a byte of a 450 GB/s link takes 2,222,222 as. */
struct loggp_cost {
    int64_t fixed_ps, byte_as;
};

struct loggp_piece {
    uint64_t from_bytes, to_bytes; /* both included */
    bool waits;                    /* the receiver has to take part: a rendezvous */
    struct loggp_cost costs[LOGGP_COSTS];
};

struct loggp_model {
    uint32_t gpus_per_node, gpus_per_socket, nodes_per_leaf; /* nodes_per_leaf 0: all nodes */
    uint32_t
        gpus_sharing; /* so many GPUs of a node, side by side, share their way out of it and into it; 1: none */
    uint64_t
        kernel_ps; /* what a calculation takes more than its duration: as a kernel is launched and noticed */
    struct loggp_piece *pieces[LOGGP_DISTANCES]; /* in the order of sizes; the caller's */
    uint32_t piece_count[LOGGP_DISTANCES];       /* 0: the model says nothing of this distance */
};

enum loggp_distance loggp_model_distance(const struct loggp_model *model, uint32_t rank,
                                         uint32_t peer);

/* The piece that says what the message costs; NULL: the model says nothing of it. */
const struct loggp_piece *loggp_model_piece(const struct loggp_model *model, uint32_t rank,
                                            uint32_t peer, uint64_t bytes);

/* What a message of so many bytes takes by a cost of its piece, in picoseconds, never below 0. */
uint64_t loggp_cost_ps(const struct loggp_piece *piece, enum loggp_cost_kind kind, uint64_t bytes);

/* From a message's leaving its sender's node to when its receiver sees it. */
static inline uint64_t loggp_seen_ps(const struct loggp_piece *piece, uint64_t bytes)
{
    uint64_t arrive = loggp_cost_ps(piece, LOGGP_COST_ARRIVE, bytes);
    uint64_t busy = loggp_cost_ps(piece, LOGGP_COST_BUSY, bytes);
    return arrive > busy ? arrive - busy : 0;
}

/* When each port of a machine has let its last message pass. */
struct loggp_ports;
struct loggp_ports *loggp_ports_new(const struct loggp_model *model, uint32_t ranks);
void loggp_ports_free(struct loggp_ports *ports);

/* A message that comes to the ports on its way out of `rank`, or into it, at a time: when it has passed them. */
uint64_t loggp_ports_out(struct loggp_ports *ports, const struct loggp_piece *piece, uint32_t rank,
                         uint64_t bytes, uint64_t now_ps);
uint64_t loggp_ports_in(struct loggp_ports *ports, const struct loggp_piece *piece, uint32_t rank,
                        uint64_t bytes, uint64_t now_ps);

/* The server that GPUs share on the way in, alone: what does not wait for its receiver passes it before that sees it. */
uint64_t loggp_ports_shared_in(struct loggp_ports *ports, const struct loggp_piece *piece,
                               uint32_t rank, uint64_t bytes, uint64_t now_ps);

/* What the message takes because it is the first from `rank` to `peer`: 0 from the second call on. */
uint64_t loggp_ports_first(struct loggp_ports *ports, const struct loggp_piece *piece,
                           uint32_t rank, uint32_t peer, uint64_t bytes);
