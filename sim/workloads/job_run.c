#include "workloads/job_run.h"
#include "core/error.h"

#include <glib.h>
#include <stdio.h>

static bool run(struct job *job, const struct job_run_steps *steps, void *argument,
                struct workload_result *result, GError **error)
{
    steps->start(job, argument);
    enum sim_end end = sim_run(job->sim);
    bool good = end == SIM_FINISHED;
    if (good) {
        steps->report(job, argument, result);
        workload_observe(result, job->sim);
    } else if (end == SIM_TOO_LONG) {
        error_set(error, "%s", SIM_TOO_LONG_SENTENCE);
    } else {
        g_autofree char *text = sim_deadlock_report(job->sim, 4);
        error_set(error, "deadlock: %s", text);
    }
    if (steps->end)
        steps->end(job, argument);
    return good;
}

bool job_run(const struct machine_spec *machine, const struct job_place *places, int32_t count,
             uint64_t seed, const struct job_run_steps *steps, void *argument,
             struct workload_result *result, GError **error)
{
    struct sim *sim = sim_new(seed);
    struct cluster *cluster = cluster_new(sim, machine, NODE_DISCRETE, error);
    struct job *job = cluster ? job_new(cluster, NULL, places, count, error) : NULL;
    bool good = job && run(job, steps, argument, result, error);
    if (sim->failure) {
        g_clear_error(error);
        good = error_set(error, "%s", sim->failure);
    }
    if (job)
        job_free(job);
    cluster_free(cluster);
    sim_free(sim);
    return good;
}
