/* SPDX-License-Identifier: BSD-3-Clause */
/* Connections of a GPU's work-groups: NIC queues to each other GPU that they share, as many as the design says (its axis
 * `connections`), as reliable connections of a library that serves itself have (NVSHMEM's IBGDA:
 * NVSHMEM_IBGDA_NUM_RC_PER_PE). Blocks are dealt out over them by their number, so that all that a block sends to a GPU
 * goes by one queue, in that queue's order; between queues there is no order. A connection is made at its first use, at
 * no cost: those that nobody has used yet cost a quiet nothing either. */
#ifndef GPUNETSIM_PROTOCOLS_SHMEM_CONNECTIONS_H
#define GPUNETSIM_PROTOCOLS_SHMEM_CONNECTIONS_H

#include "protocols/shmem/shmem.h"

struct connections;

/* Of `users` work-groups (<= COOKIE_THREADS) of a site, whose design has connections and which may each have `entries`
 * commands under way on each. The rest as shmem_interface_init has it; all of it outlives them. */
struct connections *connections_new(struct cluster *cluster, struct site *site,
                                    const struct design *design, int64_t users, uint64_t entries,
                                    const struct mutex_stats *stats, uint64_t *contexts);
void connections_free(struct connections *connections);

/* The one by which the `user`th work-group sends such a command. */
struct shmem_interface *connections_to(struct connections *connections, int64_t user,
                                       const struct nic_command *command);

/* Those that have been made so far, in the order of their first use. */
size_t connections_count(const struct connections *connections);
struct shmem_interface *connections_at(const struct connections *connections, size_t number);

#endif
