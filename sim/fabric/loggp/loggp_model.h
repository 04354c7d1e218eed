/* SPDX-License-Identifier: BSD-3-Clause */
/* A coarse model of a design on a machine, in place of L, o, g, G, O and S: costs by the distance of two GPUs, and by size.
 *
 * A rank is a GPU: rank r is GPU r % gpus_per_node of node r / gpus_per_node. With s the bytes of a message, each cost is a
 * straight line in s for each piece of the sizes of its class. A send that its rank's CPU stream starts at t
 *
 *   occupies the CPU stream until t + send
 *   leaves the GPU's port at u = max(t, time at which the previous message has left it + out)
 *   is done at u + sent, or, if the receiver has to take part (waits), at the end of its receive + sent - arrive
 *   reaches the receiver's node at u + arrive - busy, and is seen; at w, when the receiver's CPU stream is free, the stream handles
 *   it for `receive`, which is longer by `first` for the first message of two ranks of a node, which open handles, and for the
 *   first one that a rank receives from another node, since a NIC knows the rank's memory from then on
 *   reaches the port of the receiver at w + busy, or at w + late if it was seen before its receive was posted
 *   and is received when it has passed it; after each message, a port is busy for `out` or `into`.
 *
 * Several GPUs of a node may share a NIC. A message occupies its source's NIC on the way out and its destination's on the way in
 * at once, for `shared` if it is alone; NICs divide themselves among their messages (below). A message whose
 * receiver does not have to take part begins to move `send` after u, or so much earlier that it would end when it is seen; a
 * rendezvous moves at the end of `busy` or `late`. What it moves longer than alone delays the rest; its receiver's CPU stream and
 * port take up what has come meanwhile.
 *
 * Posting a receive occupies the rank's CPU stream for `post`.
 *
 * The costs are those of `gpunetsim derive` (benchmarks/derive.lua), which finds them in detailed runs. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "fabric/loggp/loggp_record.h"

/* An operation that ends later is a fault. No cost is much above it, so sums of a few costs do not overflow. */
#define LOGGP_MODEL_LAST_PS (UINT64_C(1) << 61)

/* The distance of two ranks: the first value that applies. */
enum loggp_distance {
    LOGGP_SAME_GPU,
    LOGGP_SAME_SOCKET,
    LOGGP_SAME_NODE,
    LOGGP_SAME_RAIL, /* GPUs of the same number, below the same leaf switch */
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
    /* how many adjacent GPUs of a node share a NIC; 1: no sharing */
    uint32_t gpus_sharing;
    /* added to each calculation's duration: launch of a kernel and notice of its end */
    uint64_t kernel_ps;
    struct loggp_piece *pieces[LOGGP_DISTANCES]; /* in the order of sizes; the caller's */
    uint32_t piece_count[LOGGP_DISTANCES];       /* 0: the model has no costs for this distance */
};

enum loggp_distance loggp_model_distance(const struct loggp_model *model, uint32_t rank,
                                         uint32_t peer);

/* The piece with the costs of a message; NULL: the model has none. */
const struct loggp_piece *loggp_model_piece(const struct loggp_model *model, uint32_t rank,
                                            uint32_t peer, uint64_t bytes);

/* A cost of a message of so many bytes, by its piece, in picoseconds, never below 0. */
uint64_t loggp_cost_ps(const struct loggp_piece *piece, enum loggp_cost_kind kind, uint64_t bytes);

/* The time from a message's leaving the sender's node until the receiver sees it. */
static inline uint64_t loggp_seen_ps(const struct loggp_piece *piece, uint64_t bytes)
{
    uint64_t arrive = loggp_cost_ps(piece, LOGGP_COST_ARRIVE, bytes);
    uint64_t busy = loggp_cost_ps(piece, LOGGP_COST_BUSY, bytes);
    return arrive > busy ? arrive - busy : 0;
}

/* The time at which each port of a machine has passed its last message. */
struct loggp_ports;
struct loggp_ports *loggp_ports_new(const struct loggp_model *model, uint32_t ranks);
void loggp_ports_free(struct loggp_ports *ports);

/* The time at which a message has passed the port on its way out of `rank`, or into it, if it reaches it at the given time. */
uint64_t loggp_ports_out(struct loggp_ports *ports, const struct loggp_piece *piece, uint32_t rank,
                         uint64_t bytes, uint64_t now_ps);
uint64_t loggp_ports_in(struct loggp_ports *ports, const struct loggp_piece *piece, uint32_t rank,
                        uint64_t bytes, uint64_t now_ps);

/* The NIC of a rank, which is the number of the first rank that uses it. */
static inline uint32_t loggp_model_nic(const struct loggp_model *model, uint32_t rank)
{
    return rank - rank % model->gpus_per_node % model->gpus_sharing;
}

/* The extra cost of a message from `rank` to `peer` if it is a first one; else 0. */
uint64_t loggp_ports_first(struct loggp_ports *ports, const struct loggp_piece *piece,
                           uint32_t rank, uint32_t peer, uint64_t bytes);

/* --- shared NICs ---------------------------------------------------------------------------------
 *
 * NICs that groups of GPUs share, each with a way out and a way in that divides itself equally among the messages under way on it
 * (processor sharing). A message is on its source's way out and on its destination's way in at once, and moves at the smaller of
 * its two shares. What it does not use of the larger one stays unused: this is max-min fairness where all messages on a NIC have
 * as many others beside them, and slower than that elsewhere. */

struct loggp_shares;
struct loggp_moving; /* a message under way, or one that is over */

/* NICs numbered from 0 on. `wake` has to cause a call of loggp_shares_take for that message at `at_ps`. */
struct loggp_shares *loggp_shares_new(uint32_t nics,
                                      void (*wake)(void *state, struct loggp_moving *message,
                                                   uint64_t at_ps),
                                      void *state);
void loggp_shares_free(struct loggp_shares *shares);

/* The message, whose operation is kept for its end, begins to move from one NIC to another; alone on both, it takes `takes_ps`. One
 * `in_order` waits for those in order between the same two ranks, so that none overtakes another. False: it takes no time. Calls
 * come with times that do not go back. */
bool loggp_shares_begin(struct loggp_shares *shares, const struct loggp_op *op, bool in_order,
                        uint32_t from, uint32_t to, uint64_t takes_ps, uint64_t now_ps);

/* At a time that `wake` was told: true if the message has ended, and `op` is its operation, `waited_ps` how much longer than
 * alone it took; later than a model allows, any message has. False: it moves on, and `wake` has been told another time, or it was
 * told this one in vain. */
bool loggp_shares_take(struct loggp_shares *shares, struct loggp_moving *message, uint64_t now_ps,
                       struct loggp_op *op, uint64_t *waited_ps);
