/* SPDX-License-Identifier: BSD-3-Clause */
/* A job that has a machine for itself. */
#pragma once

#include "models/job.h"

/* NULL and an error as job_new; `spec` is kept by the caller until job_alone_free. */
static inline struct job *job_alone(struct sim *sim, const struct machine_spec *spec,
                                    const struct job_place *places, int32_t count, GError **error)
{
    struct cluster *cluster = cluster_new(sim, spec, NODE_DISCRETE, error);
    struct job *job = cluster == NULL ? NULL : job_new(cluster, places, count, error);
    if (job == NULL)
        cluster_free(cluster);
    return job;
}

static inline void job_alone_free(struct job *job)
{
    struct cluster *cluster = job->cluster;
    job_free(job);
    cluster_free(cluster);
}
