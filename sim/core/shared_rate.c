/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/shared_rate.h"

#include <math.h>

#include "core/check.h"

void shared_rate_init(struct shared_rate *shared, double rate, double most)
{
    check_release(rate > 0 && most >= 0, "a shared rate of %g, at most %g", rate, most);
    *shared = (struct shared_rate){
        .rate = rate / 1e12, .most = most / 1e12, .most_uncounted = most / 1e12};
}

/* The rounding error of a sum of doubles must not become one picosecond more. */
#define ROUNDING_PS 0.01

/* The limit for a unit of weight while `counted_jobs` counted jobs are at work; 0: no limit. */
static double most_of(const struct shared_rate *shared, int64_t counted_jobs)
{
    return counted_jobs > 0 ? shared->most : shared->most_uncounted;
}

/* The units that a unit of weight gets in a picosecond while jobs of `weight` are at work. */
static double pace(double rate, double weight, double most)
{
    double share = rate / weight;
    return most > 0 && most < share ? most : share;
}

static double pace_of_all(const struct shared_rate *shared, double rate)
{
    return pace(rate, shared->weight, most_of(shared, shared->counts[true]));
}

static void unlink_job(struct shared_rate *shared, struct shared_job *job)
{
    list_remove(&shared->jobs, &job->link);
    job->is_at_work = false;
    bool is_last = list_is_empty(&shared->jobs);
    shared->weight = is_last ? 0 : shared->weight - job->weight;
    shared->asked = is_last ? 0 : shared->asked - job->asks;
    shared->counts[job->is_counted]--;
    if (job->is_counted)
        shared->counted_weight = is_last ? 0 : shared->counted_weight - job->weight;
}

/* The share of the rate that jobs keep even if others take all of it. */
#define LEAST_SHARE 1e-3

/* The rate that others have left to the jobs since at_ps. */
static double left_by_others(struct shared_rate *shared, double until_ps)
{
    double most = (until_ps - shared->at_ps) * shared->rate * (1 - LEAST_SHARE);
    double taken = shared->others < most ? shared->others : most;
    if (taken <= 0)
        return shared->rate;
    shared->others -= taken;
    return shared->rate - taken / (until_ps - shared->at_ps);
}

/* Sets the units that each unit of weight has got. */
static void give(struct shared_rate *shared, double given)
{
    shared->counted += (given - shared->given) * shared->counted_weight;
    shared->given = given;
}

void shared_rate_advance(struct shared_rate *shared, sim_time now_ps)
{
    double until_ps = (double)now_ps, rate = left_by_others(shared, until_ps);
    struct shared_job *first;
    while ((first = LIST_FIRST(&shared->jobs, struct shared_job, link)) != NULL) {
        double each = pace_of_all(shared, rate);
        double end_ps = shared->at_ps + (first->mark - shared->given) / each;
        if (end_ps > until_ps + ROUNDING_PS) {
            give(shared, shared->given + (until_ps - shared->at_ps) * each);
            break;
        }
        shared->at_ps = end_ps < until_ps ? end_ps : until_ps;
        give(shared, first->mark);
        unlink_job(shared, first);
    }
    if (first == NULL)
        shared->given = shared->others = 0;
    shared->at_ps = until_ps;
}

/* Searches from the end: jobs that begin later mostly end later. */
static void link_job(struct shared_rate *shared, struct shared_job *job)
{
    const struct shared_job *before = LIST_LAST(&shared->jobs, struct shared_job, link);
    while (before != NULL && before->mark > job->mark)
        before = LIST_PREVIOUS(before, const struct shared_job, link);
    list_insert(&shared->jobs, &job->link, before != NULL ? before->link.next : shared->jobs.first);
}

void shared_rate_begin(struct shared_rate *shared, struct shared_job *job, sim_time now_ps,
                       double amount, double weight)
{
    check_release(weight > 0 && amount >= 0, "a job of %g units and weight %g", amount, weight);
    shared_rate_advance(shared, now_ps);
    job->weight = weight;
    job->mark = shared->given + amount / weight;
    job->is_at_work = true;
    link_job(shared, job);
    shared->weight += weight;
    shared->asked += job->asks;
    shared->counted_weight += job->is_counted ? weight : 0;
    shared->counts[job->is_counted]++;
}

double shared_rate_counted(const struct shared_rate *shared)
{
    return shared->counts[true] > 0 ? shared->counted_weight * pace_of_all(shared, shared->rate)
                                    : 0;
}

void shared_rate_take_out(struct shared_rate *shared, struct shared_job *job, sim_time now_ps)
{
    shared_rate_advance(shared, now_ps);
    if (job->is_at_work)
        unlink_job(shared, job);
}

/* When the job ends: jobs that end before it leave their share to the others. */
static double end_of(const struct shared_rate *shared, const struct shared_job *job)
{
    double at_ps = shared->at_ps, given = shared->given, weight = shared->weight;
    int64_t counted = shared->counts[true];
    double most = most_of(shared, counted);
    bool limit_lasts = job->is_counted || counted == 0 || shared->most_uncounted == most;
    if (limit_lasts && most > 0 && weight * most <= shared->rate)
        return at_ps + (job->mark - given) / most;
    LIST_EACH (const struct shared_job, other, &shared->jobs, link) {
        if (other == job)
            break;
        at_ps += (other->mark - given) / pace(shared->rate, weight, most);
        given = other->mark;
        weight -= other->weight;
        if (!limit_lasts && other->is_counted)
            most = most_of(shared, --counted);
    }
    return at_ps + (job->mark - given) / pace(shared->rate, weight, most);
}

sim_time shared_rate_end_ps(struct shared_rate *shared, const struct shared_job *job,
                            sim_time now_ps)
{
    if (job->is_at_work)
        shared_rate_advance(shared, now_ps);
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
        shared_rate_advance(shared, now_ps);
    return job->is_at_work ? (job->mark - shared->given) * job->weight : 0;
}
