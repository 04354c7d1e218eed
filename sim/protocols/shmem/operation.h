/* Where an operation's time goes: every operation stamps the stages it passes, and what lies between
 * two stamps is recorded as the time of the later stage. The stages' times add up to the latency, to the
 * picosecond. */
#ifndef GPUNETSIM_PROTOCOLS_SHMEM_OPERATION_H
#define GPUNETSIM_PROTOCOLS_SHMEM_OPERATION_H

#include <stdint.h>

#include "core/sim.h"
#include "models/nic/nic.h"

/* In the order in which an operation passes them; each names what has just been reached. */
enum operation_stage {
    OPERATION_START,     /* the work-group calls */
    OPERATION_POSTED,    /* the status word of its queue entry is stored */
    OPERATION_SEEN,      /* the server has read a ready status */
    OPERATION_SERVED,    /* the command is written, the doorbell is rung */
    OPERATION_DOORBELL,  /* the doorbell has arrived at the NIC */
    OPERATION_FETCHED,   /* the command is in the NIC */
    OPERATION_ON_WIRE,   /* the first packet sets out */
    OPERATION_DELIVERED, /* the last byte is in its memory */
    OPERATION_COMPLETED, /* the server marks the entry */
    OPERATION_NOTICED,   /* the work-group has seen the mark: the call returns */
    OPERATION_STAGES,
};

/* "posted", "seen", ...; the name of OPERATION_START is "start". */
const char *operation_stage_name(enum operation_stage stage);

struct operation_log;

/* A log whose histograms ("posted", ..., "noticed" and "latency", in ps) are registered under `path`
 * in the simulation's statistics. It must outlive the operations. */
struct operation_log *operation_log_new(struct sim *sim, const char *path);
void operation_log_free(struct operation_log *log);

/* Begins an operation, now; returns its number (> 0, < COOKIE_OPERATIONS), which travels in its
 * cookie. At most 2^16 are under way at a time. */
uint64_t operation_begin(struct operation_log *log);

/* Stamps a stage at `at_ps`. A stage that is passed before one that stands ahead of it (a payload that
 * lands after its completion was handled) counts at the time of that one. Number 0 is ignored. */
void operation_stamp(struct operation_log *log, uint64_t number, enum operation_stage stage,
                     sim_time at_ps);

/* Ends it, now, as noticed, and records all stages. */
void operation_end(struct operation_log *log, uint64_t number);

/* Takes it out unrecorded: nobody waits for it. */
void operation_forget(struct operation_log *log, uint64_t number);

/* As a nic_observer_fn: `observer` is the log. */
void operation_observe_nic(void *observer, uint64_t number, enum nic_stage stage, sim_time at_ps);

/* What was recorded of a stage (not OPERATION_START); and of whole operations. */
const struct stat_histogram *operation_stage_times(const struct operation_log *log,
                                                   enum operation_stage stage);
const struct stat_histogram *operation_latencies(const struct operation_log *log);

/* Forgets what was recorded: the end of a warm-up. Operations under way go on. */
void operation_log_reset(struct operation_log *log);

#endif
