/* Designs: a networking architecture is a point in a design space (docs/architecture.md). Named designs
 * are only names for points. */
#ifndef GPUNETSIM_PROTOCOLS_DESIGN_H
#define GPUNETSIM_PROTOCOLS_DESIGN_H

#include <stdint.h>

#include "protocols/agents/agent.h"

/* A point: who serves, and where things lie. */
struct design {
    const char *name;
    const char *description;
    enum node_form form;
    const struct agent_kind *server;
    enum node_memory queue_memory; /* of the per-work-group queues */
    enum node_memory nic_memory;   /* of the NIC's work and completion queues */
    enum node_memory heap_memory;  /* of the symmetric heap, that is of payloads */
    enum memory_scope scope;       /* at which work-group and server synchronise */
    bool has_own_queues;           /* agents have a NIC queue each, whatever the software says */
    int64_t coalesce_count;        /* puts to one node that go together; 0: each on its own */
    sim_time coalesce_timeout_ps;  /* no put waits longer for others */
};

/* In the order of design_names, which ends with NULL (for PARAM_ENUM). */
extern const struct design designs[];
extern const char *const design_names[];

#endif
