/* SPDX-License-Identifier: BSD-3-Clause */
/* Intra-kernel networking at work on a cluster: per-work-group queues and the threads that serve them
 * (ComPNet18 section 4.2; M-055, M-057, M-064 to M-070). Which agent serves, and where queues and heap
 * lie, is the design's. Work-groups call protocols/shmem/device_library.h. */
#pragma once

#include "protocols/design.h"
#include "protocols/shmem/operation.h"
#include "protocols/shmem/peer.h"
#include "protocols/shmem/ring_queue.h"
#include "protocols/shmem/shmem.h"

struct service;

/* Why a design cannot have threads of its server, as a phrase behind "the design"; NULL: it can. */
const char *service_refusal(const struct design *design);

/* Service of a GPU's site: `work_groups` queues (<= COOKIE_CONTEXTS) and `threads` threads, which start to poll now, or as soon
 * as their device lets them; none where work-groups serve themselves. Queues are set up as the machine's software says. Nodes 0
 * .. nodes - 1 have such services or are targets; others are not looked at. NULL with one sentence if the site has not enough
 * cores for the threads. Cluster and design outlive the service. */
struct service *service_new(struct cluster *cluster, struct site *site, const struct design *design,
                            int64_t work_groups, int64_t threads, int64_t nodes, GError **error);

/* How work-groups post to their queues from now on, and what a server spends on an entry that asks for nothing
 * (QUEUE_NOP) beside the network library's steps. Called before the run. */
void service_set_nops(struct service *service, enum ring_post post, sim_time nop_ps);

/* Makes the threads end after their current round, so that the run can end. */
void service_stop(struct service *service);

/* Adds the polls of the service's sleeping threads up to now to the statistics. To be called before statistics are
 * reset or read in the middle of a run. */
void service_settle(struct service *service);
void service_free(struct service *service);

struct operation_log *service_log(struct service *service);

/* Bytes of all queues between the work-groups and the server. */
int64_t service_queue_bytes(const struct service *service);

/* How often queues have been polled so far, by all threads. */
int64_t service_polls(const struct service *service);

/* Places of the NIC queues that no command has had yet: the first round of a queue needs no completions. */
int64_t service_fresh_places(const struct service *service);

/* The times from one served entry to the next, as units of a rate. */
const struct stat_units *service_served(const struct service *service);

/* Statistics of the mutexes of a shared network library. */
const struct mutex_stats *service_locks(const struct service *service);

/* For the device library (protocols/shmem/device_library.h): the queue of a work-group, and others of its parts. */
const struct ring_queue *service_queue(const struct service *service, int64_t work_group);
struct software service_software(const struct service *service);

/* How the `number`th user of NIC interfaces, a thread or a work-group that serves itself, uses the network library as `agent`; and
 * the NIC command for an entry (a put, get or atomic). */
struct shmem service_shmem(struct service *service, int64_t number, struct agent *agent);
struct nic_command service_command(const struct queue_entry *entry, uint64_t cookie);

/* Sets up a work-group's path to GPUs of its node by loads and stores, as `agent`; without an agent if the design has no such
 * path. */
void service_open_peers(struct service *service, int64_t work_group, struct agent *agent,
                        struct peer_path *peer);
