/* SPDX-License-Identifier: BSD-3-Clause */
#include "fabric/loggp/loggp_model.h"

#include <glib.h>

#include "core/map.h"

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
