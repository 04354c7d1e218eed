/* SPDX-License-Identifier: BSD-3-Clause */
#include "protocols/shmem/connections.h"

#include <glib.h>

struct connections {
    struct cluster *cluster;
    struct site *site;
    const struct design *design;
    int64_t users;
    uint64_t entries; /* of one user */
    const struct mutex_stats *stats;
    uint64_t *contexts;
    GHashTable *by_peer; /* gint64 -> struct shmem_interface *[design->connections] */
    GPtrArray *made;     /* struct shmem_interface * */
};

static void free_interface(void *interface)
{
    shmem_interface_clear(interface);
    g_free(interface);
}

struct connections *connections_new(struct cluster *cluster, struct site *site,
                                    const struct design *design, int64_t users, uint64_t entries,
                                    const struct mutex_stats *stats, uint64_t *contexts)
{
    struct connections *connections = g_new(struct connections, 1);
    *connections = (struct connections){
        .cluster = cluster,
        .site = site,
        .design = design,
        .users = users,
        .entries = entries,
        .stats = stats,
        .contexts = contexts,
        .by_peer = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free),
        .made = g_ptr_array_new_with_free_func(free_interface),
    };
    return connections;
}

void connections_free(struct connections *connections)
{
    if (connections == NULL)
        return;
    g_hash_table_unref(connections->by_peer);
    g_ptr_array_unref(connections->made);
    g_free(connections);
}

/* A GPU is a node and which of the node's memories it has. */
static gint64 peer_of(const struct nic_command *command)
{
    return (gint64)command->remote_node << 16 | address_slot(command->remote);
}

/* To a GPU, by number; NULL: not made yet. */
static struct shmem_interface **interfaces_of(struct connections *connections, gint64 peer)
{
    struct shmem_interface **interfaces = g_hash_table_lookup(connections->by_peer, &peer);
    if (interfaces == NULL) {
        interfaces = g_new0(struct shmem_interface *, (gsize)connections->design->connections);
        g_hash_table_insert(connections->by_peer, g_memdup2(&peer, sizeof peer), interfaces);
    }
    return interfaces;
}

/* Room for what all users may have under way, since whoever comes may be of this connection. */
static struct shmem_interface *make(struct connections *connections)
{
    struct shmem_interface *interface = g_new(struct shmem_interface, 1);
    const struct design *design = connections->design;
    shmem_interface_init(interface, connections->cluster, connections->site, design,
                         connections->entries * (uint64_t)connections->users, connections->users,
                         design_server_kind(design)->memory, connections->stats,
                         connections->contexts);
    g_ptr_array_add(connections->made, interface);
    return interface;
}

struct shmem_interface *connections_to(struct connections *connections, int64_t user,
                                       const struct nic_command *command)
{
    const struct design *design = connections->design;
    struct shmem_interface **interfaces = interfaces_of(connections, peer_of(command));
    int64_t block = user / design->queue_sharers;
    struct shmem_interface **interface = &interfaces[block % design->connections];
    if (*interface == NULL)
        *interface = make(connections);
    return *interface;
}

size_t connections_count(const struct connections *connections)
{
    return connections->made->len;
}

struct shmem_interface *connections_at(const struct connections *connections, size_t number)
{
    return g_ptr_array_index(connections->made, (guint)number);
}
