/* SPDX-License-Identifier: BSD-3-Clause */
/* A rate that jobs share while they are at work, in proportion to their weights and up to a limit for each unit of weight
 * (processor sharing): memory bandwidth among wavefronts, a compute unit's SIMDs among its work-groups. It has no events: the
 * owner of a job asks when it will end, and asks again at that time, since other jobs may have begun.
 *
 * One number counts the units that each unit of weight has got, and a job is over when that number reaches its mark. The
 * numbers are doubles: the same on every machine without contraction; a job's end is exact to a picosecond for 10^15 of them. */
#pragma once

#include <stdbool.h>

#include "core/list.h"
#include "core/simtime.h"

/* A job. The caller keeps it in place until it is over or taken out. All zero: not at work. */
struct shared_job {
    double weight;
    double mark;     /* the job is over when `given` has reached it */
    double asks;     /* units a picosecond that it would take alone; for the caller, 0 at first */
    bool is_counted; /* set by the caller: its units are part of `counted` */
    struct list_link link;
    bool is_at_work;
};

struct shared_rate {
    double rate;           /* units a picosecond, all together */
    double most;           /* limit for a unit of weight; 0: no limit */
    double most_uncounted; /* the same while no counted job is at work: `most`, or the owner's */
    double weight;         /* of all jobs */
    double asked;          /* by all jobs */
    double others;         /* units that others than jobs have taken since at_ps */
    int64_t counts[2];     /* jobs at work, by is_counted */
    double counted_weight,
        counted;      /* weight of the counted jobs, and the units that they have got in all */
    double given;     /* units that each unit of weight has got since no job was at work */
    double at_ps;     /* the time to which all this refers */
    struct list jobs; /* at work, by mark */
};

/* `rate` > 0 and `most` >= 0 in units a second. */
void shared_rate_init(struct shared_rate *shared, double rate, double most);

/* A job of `amount` >= 0 units and `weight` > 0 begins now. Calls come with times that do not go back. */
void shared_rate_begin(struct shared_rate *shared, struct shared_job *job, sim_time now_ps,
                       double amount, double weight);

/* Advances all jobs to `now_ps`. */
void shared_rate_advance(struct shared_rate *shared, sim_time now_ps);

/* Takes `amount` units of the rate for something that is no job: jobs that use the whole rate get that much less. */
static inline void shared_rate_take(struct shared_rate *shared, double amount)
{
    if (!list_is_empty(&shared->jobs))
        shared->others += amount;
}

/* Units that the counted jobs get together in a picosecond, at most. */
double shared_rate_counted(const struct shared_rate *shared);

/* Takes a job out, over or not. */
void shared_rate_take_out(struct shared_rate *shared, struct shared_job *job, sim_time now_ps);

/* The time at which the job will end if no other job begins: `now_ps` if it has ended or was never begun, else at least
 * a picosecond later. */
sim_time shared_rate_end_ps(struct shared_rate *shared, const struct shared_job *job,
                            sim_time now_ps);

/* The units that the job still has to get; 0 if it is over. */
double shared_rate_left(struct shared_rate *shared, const struct shared_job *job, sim_time now_ps);
