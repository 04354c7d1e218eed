/* The network software: how its queues are set up, and what its steps cost in instructions wherever it
 * runs: the same counts on a CPU core and on a command processor, so that only the cores differ
 * (ComPNet18 section 4.2.1, 5.1, 5.1.1; M-082). */
#ifndef GPUNETSIM_PROTOCOLS_SOFTWARE_H
#define GPUNETSIM_PROTOCOLS_SOFTWARE_H

#include <stdint.h>

#include "core/param.h"
#include "core/simtime.h"

/* Whether service threads have an interface to the NIC each, or share one, guarded by mutexes
 * (M-072). */
enum network_library { LIBRARY_PER_THREAD, LIBRARY_SHARED };

/* When a service thread marks blocking operations and quiets: all of them when all that it has
 * issued is complete (section 4.2.1), or each when its own context's operations are, as OpenSHMEM
 * contexts allow. */
enum completion { COMPLETION_TOGETHER, COMPLETION_BY_CONTEXT };

/* How a quiet learns that operations are complete: a counter that it waits for (a counting event
 * of Portals 4), or an event queue whose entries it takes one by one. */
enum quiet_by { QUIET_BY_COUNTER, QUIET_BY_ENTRIES };

/* How a CPU thread reads queues in the memory of a GPU on the bus: maps them and loads, or calls
 * the GPU's runtime to copy them (section 3.1). */
enum gpu_queue_polling { POLLING_LOADS, POLLING_RUNTIME_CALL };

/* Component "software" of a machine file. */
struct software_spec {
    int64_t queue_entries;      /* of a work-group's queue */
    int64_t inline_limit_bytes; /* payloads of puts below this travel in the queue entry */
    int64_t polling_rounds;     /* over its queues, before a thread completes blocking operations */

    int64_t network_library;   /* enum network_library */
    int64_t completion;        /* enum completion */
    int64_t quiet_by;          /* enum quiet_by */
    int64_t gpu_queue_polling; /* enum gpu_queue_polling */
    sim_time runtime_call_ps;  /* fixed time of a copy call of the GPU's runtime */

    int64_t unused_cores_sleep; /* flag: cores of threads without queues are off, not only idle */

    int64_t skip_polls; /* flag: count polls that cannot find anything instead of making them */

    /* on the GPU, instructions of one wavefront */
    int64_t post_instructions; /* filling a queue entry */
    int64_t wait_instructions; /* one poll of a status word, and the loop around it */

    /* on the agent that serves */
    int64_t poll_instructions;     /* one poll of a queue, and the loop around it */
    int64_t dispatch_instructions; /* from an entry to the call into the SHMEM library */
    int64_t put_instructions;      /* the library's put: arguments to command and doorbell */
    int64_t get_instructions;      /* its get */
    int64_t complete_instructions; /* one completion entry taken */
    int64_t mark_instructions;     /* marking one queue entry complete */
};
extern const struct param_table software_params;

#endif
