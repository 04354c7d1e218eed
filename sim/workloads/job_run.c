#include "workloads/job_run.h"

#include <glib.h>
#include <stdio.h>

static bool run(struct job *job, const struct job_run_steps *steps, void *argument,
                struct workload_result *result, char *why, size_t why_size)
{
    steps->start(job, argument);
    enum sim_end end = sim_run(job->sim);
    bool good = end == SIM_FINISHED;
    if (good) {
        steps->report(job, argument, result);
        workload_observe(result, job->sim);
    } else if (end == SIM_TOO_LONG) {
        g_strlcpy(why, SIM_TOO_LONG_SENTENCE, why_size);
    } else {
        g_autofree char *text = sim_deadlock_report(job->sim, 4);
        snprintf(why, why_size, "deadlock: %s", text);
    }
    if (steps->end)
        steps->end(job, argument);
    return good;
}

bool job_run(const struct machine_spec *machine, const struct job_place *places, int32_t count,
             uint64_t seed, const struct job_run_steps *steps, void *argument,
             struct workload_result *result, char *why, size_t why_size)
{
    struct sim *sim = sim_new(seed);
    GError *error = NULL;
    struct cluster *cluster = cluster_new(sim, machine, NODE_DISCRETE, &error);
    struct job *job = cluster ? job_new(cluster, NULL, places, count, &error) : NULL;
    bool good = job && run(job, steps, argument, result, why, why_size);
    if (sim->failure) {
        g_strlcpy(why, sim->failure, why_size);
        good = false;
    }
    if (error) {
        g_strlcpy(why, error->message, why_size);
        g_error_free(error);
    }
    if (job)
        job_free(job);
    cluster_free(cluster);
    sim_free(sim);
    return good;
}
