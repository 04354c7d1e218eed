/* Intra-kernel networking at work on a cluster: per-work-group queues, the threads that serve them, and
 * the device library that work-groups call (ComPNet18 section 4; M-055, M-057, M-061, M-062, M-064 to
 * M-070). Which agent serves, and where queues and heap lie, is the design's. */
#ifndef GPUNETSIM_PROTOCOLS_SERVICE_H
#define GPUNETSIM_PROTOCOLS_SERVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "protocols/design.h"
#include "protocols/operation.h"
#include "protocols/ring_queue.h"
#include "protocols/shmem.h"

struct service;

/* Service of `node`: `work_groups` queues and `threads` threads, which start to poll now; queues are set
 * up as the machine's software says. NULL with one sentence if the node has not enough cores for the
 * threads. The NIC's observer becomes the service's log. Cluster and design outlive the service. */
struct service *service_new(struct cluster *cluster, int64_t node, const struct design *design,
                            int64_t work_groups, int64_t threads, char *why, size_t why_size);

/* Lets the threads end after the round they are in, so that the run can come to its end. */
void service_stop(struct service *service);
void service_free(struct service *service);

struct operation_log *service_log(struct service *service);

/* Polls of queues so far, and how many found an entry: over all threads. */
int64_t service_polls(const struct service *service);
int64_t service_polls_ready(const struct service *service);

/* --- the device library: called by a work-group's program --------------------------------------- */

/* A work-group's private context, in its LDS (M-061): its own queue, so that it waits for nothing but
 * its own operations. One context a work-group and service at a time. */
struct service_context {
    struct service *service;
    struct agent agent;
    struct ring_producer producer;
};
void service_context_create(struct service_context *context, struct service *service,
                            struct work_group *wg);

/* Work-group collectives: each ends with a work-group barrier (M-062). Blocking; returns when the
 * payload has arrived, for a get here, for a put in the memory of the other node. `node` is the other
 * node, `local` and `remote` are addresses here and there, 1 <= bytes. */
void service_get(struct service_context *context, int64_t node, address local, address remote,
                 int64_t bytes);
void service_put(struct service_context *context, int64_t node, address local, address remote,
                 int64_t bytes);

#endif
