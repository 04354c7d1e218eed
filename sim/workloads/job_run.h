/* What workloads of message-passing processes share: a job is made, its processes run until all have
 * ended, and what they did is reported. */
#ifndef GPUNETSIM_WORKLOADS_JOB_RUN_H
#define GPUNETSIM_WORKLOADS_JOB_RUN_H

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "models/job.h"
#include "workloads/workload.h"

/* Called in this order, each with the argument given to job_run. */
struct job_run_steps {
    void (*start)(struct job *job, void *argument); /* starts the processes */
    void (*report)(struct job *job, void *argument, struct workload_result *result);
    void (*end)(struct job *job, void *argument); /* may be NULL; after a failed run, too */
};

/* Runs processes at `places` on a machine (the caller's). False with an error if the
 * machine has no such places or the processes wait for ever; nothing is reported then. */
bool job_run(const struct machine_spec *machine, const struct job_place *places, int32_t count,
             uint64_t seed, const struct job_run_steps *steps, void *argument,
             struct workload_result *result, GError **error);

#endif
