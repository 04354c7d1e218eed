/* SPDX-License-Identifier: BSD-3-Clause */
#include "fabric/loggp/loggp_model.h"

#include <glib.h>
#include <math.h>

#include "core/list.h"
#include "core/map.h"
#include "core/pool.h"

#define AS_PER_PS 1000000

enum loggp_distance loggp_model_distance(const struct loggp_model *model, uint32_t rank,
                                         uint32_t peer)
{
    uint32_t per_node = model->gpus_per_node, node = rank / per_node, other = peer / per_node;
    uint32_t gpu = rank % per_node, other_gpu = peer % per_node;
    if (rank == peer)
        return LOGGP_SAME_GPU;
    if (node == other)
        return gpu / model->gpus_per_socket == other_gpu / model->gpus_per_socket
                   ? LOGGP_SAME_SOCKET
                   : LOGGP_SAME_NODE;
    if (model->nodes_per_leaf != 0 && node / model->nodes_per_leaf != other / model->nodes_per_leaf)
        return LOGGP_ACROSS;
    return gpu == other_gpu ? LOGGP_SAME_RAIL : LOGGP_SAME_LEAF;
}

const struct loggp_piece *loggp_model_piece(const struct loggp_model *model, uint32_t rank,
                                            uint32_t peer, uint64_t bytes)
{
    enum loggp_distance distance = loggp_model_distance(model, rank, peer);
    const struct loggp_piece *piece = model->pieces[distance];
    const struct loggp_piece *end = piece + model->piece_count[distance];
    while (piece < end && piece->to_bytes < bytes)
        piece++;
    return piece < end && piece->from_bytes <= bytes ? piece : NULL;
}

/* Costs that overflow 64 bits: only in files written by hand. */
static __attribute__((noinline)) uint64_t long_cost_ps(const struct loggp_cost *cost,
                                                       uint64_t bytes)
{
    __int128 scaled = (__int128)cost->byte_as * (__int128)bytes + AS_PER_PS / 2;
    __int128 ps = cost->fixed_ps + scaled / AS_PER_PS;
    return ps < 0 ? 0 : (uint64_t)MIN(ps, (__int128)LOGGP_MODEL_LAST_PS + 1);
}

uint64_t loggp_cost_ps(const struct loggp_piece *piece, enum loggp_cost_kind kind, uint64_t bytes)
{
    const struct loggp_cost *cost = &piece->costs[kind];
    int64_t scaled;
    if (G_UNLIKELY(__builtin_mul_overflow(cost->byte_as, bytes, &scaled) ||
                   scaled > INT64_MAX - AS_PER_PS))
        return long_cost_ps(cost, bytes);
    int64_t ps = cost->fixed_ps + (scaled + AS_PER_PS / 2) / AS_PER_PS;
    return ps < 0 ? 0 : (uint64_t)ps;
}

/* --- ports ------------------------------------------------------------------------------------ */

/* For each server: the time at which it is free. A message occupies the server after it has passed, not before: so a message that
 * finds it idle passes at once. */
struct loggp_ports {
    const struct loggp_model *model;
    uint64_t *out_ps, *in_ps; /* by rank */
    /* sender << 32 | receiver of first messages, if these cost more */
    struct map pairs;
};

struct loggp_ports *loggp_ports_new(const struct loggp_model *model, uint32_t ranks)
{
    struct loggp_ports *ports = g_new0(struct loggp_ports, 1);
    ports->model = model;
    ports->out_ps = g_new0(uint64_t, ranks);
    ports->in_ps = g_new0(uint64_t, ranks);
    return ports;
}

void loggp_ports_free(struct loggp_ports *ports)
{
    if (ports == NULL)
        return;
    map_clear(&ports->pairs);
    g_free(ports->out_ps);
    g_free(ports->in_ps);
    g_free(ports);
}

/* Passes a server that is free from `free_ps` on, then occupies it for `takes_ps`. */
static uint64_t pass(uint64_t *free_ps, uint64_t now_ps, uint64_t takes_ps)
{
    uint64_t passed_ps = MIN(MAX(now_ps, *free_ps), 2 * LOGGP_MODEL_LAST_PS);
    if (takes_ps > 0)
        *free_ps = passed_ps + takes_ps;
    return passed_ps;
}

uint64_t loggp_ports_out(struct loggp_ports *ports, const struct loggp_piece *piece, uint32_t rank,
                         uint64_t bytes, uint64_t now_ps)
{
    return pass(&ports->out_ps[rank], now_ps, loggp_cost_ps(piece, LOGGP_COST_OUT, bytes));
}

uint64_t loggp_ports_in(struct loggp_ports *ports, const struct loggp_piece *piece, uint32_t rank,
                        uint64_t bytes, uint64_t now_ps)
{
    return pass(&ports->in_ps[rank], now_ps, loggp_cost_ps(piece, LOGGP_COST_IN, bytes));
}

uint64_t loggp_ports_first(struct loggp_ports *ports, const struct loggp_piece *piece,
                           uint32_t rank, uint32_t peer, uint64_t bytes)
{
    uint64_t first = loggp_cost_ps(piece, LOGGP_COST_FIRST, bytes);
    bool same_node = rank / ports->model->gpus_per_node == peer / ports->model->gpus_per_node;
    uint64_t sender = same_node ? rank : UINT32_MAX; /* from other nodes: one for all of them */
    return first > 0 && map_add(&ports->pairs, sender << 32 | peer) ? first : 0;
}

/* --- shared NICs --------------------------------------------------------------------------------- */

enum { OUT, IN, WAYS };

struct loggp_moving {
    struct list_link links[WAYS]; /* on its ways */
    struct loggp_way *ways[WAYS];
    struct loggp_op op;
    double left_ps;              /* that it would still take alone */
    uint64_t at_ps;              /* the time to which left_ps refers */
    uint64_t alone_ps;           /* the time at which it would have ended alone */
    uint64_t woken_ps;           /* the earliest time told to `wake`; UINT64_MAX: none */
    struct loggp_moving *behind; /* the next in order between the same ranks, which waits */
    bool in_order;
    uint32_t divided; /* moves at 1 / divided of its speed; 0: it waits, or is over */
};

/* One direction of a NIC. */
struct loggp_way {
    struct list messages;
    uint32_t count;
};

struct loggp_shares {
    struct loggp_way *ways; /* 2 * NIC: out, 2 * NIC + 1: in */
    struct pool pool;
    void (*wake)(void *state, struct loggp_moving *message, uint64_t at_ps);
    void *state;
};

struct loggp_shares *loggp_shares_new(uint32_t nics,
                                      void (*wake)(void *state, struct loggp_moving *message,
                                                   uint64_t at_ps),
                                      void *state)
{
    struct loggp_shares *shares = g_new0(struct loggp_shares, 1);
    shares->ways = g_new0(struct loggp_way, (size_t)WAYS * nics);
    pool_init(&shares->pool, sizeof(struct loggp_moving));
    shares->wake = wake;
    shares->state = state;
    return shares;
}

void loggp_shares_free(struct loggp_shares *shares)
{
    if (shares == NULL)
        return;
    pool_clear(&shares->pool);
    g_free(shares->ways);
    g_free(shares);
}

static struct loggp_moving *moving_of(struct list_link *link, int way)
{
    return link ? LIST_ITEM(link - way, struct loggp_moving, links) : NULL;
}

/* The rounding error of a sum of doubles must not become one picosecond more. */
#define ROUNDING_PS 0.01

/* The time at which the message ends if no other one begins or ends. */
static uint64_t end_of(const struct loggp_moving *at)
{
    double rest_ps = ceil(at->left_ps * at->divided - ROUNDING_PS);
    return at->at_ps + (uint64_t)CLAMP(rest_ps, 0.0, 2.0 * LOGGP_MODEL_LAST_PS);
}

static void wake_at_end(struct loggp_shares *shares, struct loggp_moving *at)
{
    uint64_t end_ps = end_of(at);
    if (end_ps >= at->woken_ps)
        return;
    at->woken_ps = end_ps;
    shares->wake(shares->state, at, end_ps);
}

/* A message has joined or left its ways: the speed of those on them changes, except of those that another NIC slows down more. */
static void divide(struct loggp_shares *shares, struct loggp_way *const *ways, uint64_t now_ps)
{
    for (int way = OUT; way < WAYS; way++) {
        struct loggp_moving *at = moving_of(ways[way]->messages.first, way);
        for (; at; at = moving_of(at->links[way].next, way)) {
            uint32_t divided = MAX(at->ways[OUT]->count, at->ways[IN]->count);
            if (divided == at->divided)
                continue;
            at->left_ps -= (double)(now_ps - at->at_ps) / at->divided;
            at->at_ps = now_ps;
            at->divided = divided;
            wake_at_end(shares, at);
        }
    }
}

static void start(struct loggp_shares *shares, struct loggp_moving *at, uint64_t now_ps)
{
    at->at_ps = now_ps;
    at->divided = UINT32_MAX;
    for (int way = OUT; way < WAYS; way++) {
        list_append(&at->ways[way]->messages, &at->links[way]);
        at->ways[way]->count++;
    }
    divide(shares, at->ways, now_ps);
}

/* The last one in order between the same ranks; NULL: there is none. */
static struct loggp_moving *last_before(const struct loggp_way *out, const struct loggp_op *op)
{
    struct loggp_moving *at = moving_of(out->messages.first, OUT);
    while (at && !(at->in_order && at->op.rank == op->rank && at->op.peer == op->peer))
        at = moving_of(at->links[OUT].next, OUT);
    while (at && at->behind)
        at = at->behind;
    return at;
}

bool loggp_shares_begin(struct loggp_shares *shares, const struct loggp_op *op, bool in_order,
                        uint32_t from, uint32_t to, uint64_t takes_ps, uint64_t now_ps)
{
    struct loggp_way *out = &shares->ways[WAYS * from + OUT], *in = &shares->ways[WAYS * to + IN];
    struct loggp_moving *before = in_order ? last_before(out, op) : NULL;
    if (takes_ps == 0 && !before)
        return false;
    struct loggp_moving *at = pool_take(&shares->pool);
    at->op = *op;
    at->left_ps = (double)takes_ps;
    at->alone_ps = now_ps + takes_ps;
    at->woken_ps = UINT64_MAX;
    at->in_order = in_order;
    at->ways[OUT] = out;
    at->ways[IN] = in;
    if (before)
        before->behind = at;
    else
        start(shares, at, now_ps);
    return true;
}

bool loggp_shares_take(struct loggp_shares *shares, struct loggp_moving *at, uint64_t now_ps,
                       struct loggp_op *op, uint64_t *waited_ps)
{
    if (at->divided == 0 || at->woken_ps != now_ps)
        return false; /* it was woken earlier, or is over */
    at->woken_ps = UINT64_MAX;
    if (end_of(at) > now_ps && now_ps <= LOGGP_MODEL_LAST_PS) {
        wake_at_end(shares, at);
        return false;
    }
    *op = at->op;
    *waited_ps = now_ps > at->alone_ps ? now_ps - at->alone_ps : 0;
    for (int way = OUT; way < WAYS; way++) {
        list_remove(&at->ways[way]->messages, &at->links[way]);
        at->ways[way]->count--;
    }
    at->divided = 0;
    divide(shares, at->ways, now_ps);
    if (at->behind)
        start(shares, at->behind, now_ps);
    pool_give(&shares->pool, at);
    return true;
}
