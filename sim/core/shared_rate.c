#include "core/shared_rate.h"

#include <math.h>

#include "core/check.h"

void shared_rate_init(struct shared_rate *shared, double rate, double most)
{
    check_release(rate > 0 && most >= 0, "a shared rate of %g, at most %g", rate, most);
    *shared = (struct shared_rate){.rate = rate / 1e12, .most = most / 1e12};
}

/* Rounding of a sum of doubles is not a picosecond more. */
#define ROUNDING_PS 0.01

/* What a unit of weight gets a picosecond while `weight` is at work. */
static double pace(const struct shared_rate *shared, double weight)
{
    double share = shared->rate / weight;
    return shared->most > 0 && shared->most < share ? shared->most : share;
}

static void unlink_job(struct shared_rate *shared, struct shared_job *job)
{
    *(job->previous != NULL ? &job->previous->next : &shared->first) = job->next;
    *(job->next != NULL ? &job->next->previous : &shared->last) = job->previous;
    job->is_at_work = false;
    shared->weight = shared->first == NULL ? 0 : shared->weight - job->weight;
}

/* Works out what has happened up to `now_ps`. */
static void advance(struct shared_rate *shared, sim_time now_ps)
{
    double until_ps = (double)now_ps;
    while (shared->first != NULL) {
        double each = pace(shared, shared->weight);
        double end_ps = shared->at_ps + (shared->first->mark - shared->given) / each;
        if (end_ps > until_ps + ROUNDING_PS) {
            shared->given += (until_ps - shared->at_ps) * each;
            break;
        }
        shared->at_ps = end_ps < until_ps ? end_ps : until_ps;
        shared->given = shared->first->mark;
        unlink_job(shared, shared->first);
    }
    if (shared->first == NULL)
        shared->given = 0;
    shared->at_ps = until_ps;
}

/* Jobs that come later mostly end later. */
static void link_job(struct shared_rate *shared, struct shared_job *job)
{
    struct shared_job *before = shared->last;
    while (before != NULL && before->mark > job->mark)
        before = before->previous;
    job->previous = before;
    job->next = before != NULL ? before->next : shared->first;
    *(before != NULL ? &before->next : &shared->first) = job;
    *(job->next != NULL ? &job->next->previous : &shared->last) = job;
}

void shared_rate_begin(struct shared_rate *shared, struct shared_job *job, sim_time now_ps,
                       double amount, double weight)
{
    check_release(weight > 0 && amount >= 0, "a job of %g units and weight %g", amount, weight);
    advance(shared, now_ps);
    job->weight = weight;
    job->mark = shared->given + amount / weight;
    job->is_at_work = true;
    link_job(shared, job);
    shared->weight += weight;
}

void shared_rate_take_out(struct shared_rate *shared, struct shared_job *job, sim_time now_ps)
{
    advance(shared, now_ps);
    if (job->is_at_work)
        unlink_job(shared, job);
}

/* Those that end before it leave their share to the others. */
static double end_of(const struct shared_rate *shared, const struct shared_job *job)
{
    double at_ps = shared->at_ps, given = shared->given, weight = shared->weight;
    if (shared->most > 0 && weight * shared->most <= shared->rate)
        return at_ps + (job->mark - given) / shared->most;
    for (const struct shared_job *other = shared->first; other != job; other = other->next) {
        at_ps += (other->mark - given) / pace(shared, weight);
        given = other->mark;
        weight -= other->weight;
    }
    return at_ps + (job->mark - given) / pace(shared, weight);
}

sim_time shared_rate_end_ps(struct shared_rate *shared, const struct shared_job *job,
                            sim_time now_ps)
{
    if (job->is_at_work)
        advance(shared, now_ps);
    if (!job->is_at_work)
        return now_ps;
    double end_ps = ceil(end_of(shared, job) - ROUNDING_PS);
    if (end_ps >= (double)SIM_TIME_NEVER)
        return SIM_TIME_NEVER;
    return (sim_time)end_ps > now_ps ? (sim_time)end_ps : now_ps + 1;
}

double shared_rate_left(struct shared_rate *shared, const struct shared_job *job, sim_time now_ps)
{
    if (job->is_at_work)
        advance(shared, now_ps);
    return job->is_at_work ? (job->mark - shared->given) * job->weight : 0;
}
