/* SPDX-License-Identifier: BSD-3-Clause */
/* A rate that jobs share while they are at work, in proportion to their weights, none getting more than a limit a
 * unit of weight (processor sharing). Memory bandwidth among wavefronts, a compute unit's SIMDs among its
 * work-groups. No events: who owns a job asks when it will end, and asks again then, since others may have come.
 *
 * What a unit of weight has got is one number for all jobs, and a job is over when that has come to its mark. Doubles:
 * the same on every machine without contraction; a job's end is exact to a picosecond for 10^15 of them. */
#pragma once

#include <stdbool.h>

#include "core/list.h"
#include "core/simtime.h"

/* A job: the caller's, in place until it is over or taken out. All zero: not at work. */
struct shared_job {
    double weight;
    double mark;     /* it is over when every unit of weight has got so much */
    double asks;     /* units a picosecond that it would take alone: the caller's, 0 at first */
    bool is_counted; /* the caller's: what it gets is part of `counted` */
    struct list_link link;
    bool is_at_work;
};

struct shared_rate {
    double rate;                    /* units a picosecond, all together */
    double most;                    /* a unit of weight; 0: no limit */
    double most_uncounted;          /* while no counted job is at work: `most`, or the owner's */
    double weight;                  /* of all jobs */
    double asked;                   /* by all jobs */
    double others;                  /* units that others have taken since at_ps */
    int64_t counts[2];              /* jobs at work, by is_counted */
    double counted_weight, counted; /* of those jobs, and what they have got in all */
    double given;                   /* to each unit of weight since nobody was at work */
    double at_ps;                   /* when that was so */
    struct list jobs;               /* at work, by mark */
};

/* `rate` > 0 and `most` >= 0 in units a second. */
void shared_rate_init(struct shared_rate *shared, double rate, double most);

/* A job of `amount` >= 0 units and `weight` > 0 begins now. Calls come with times that do not go back. */
void shared_rate_begin(struct shared_rate *shared, struct shared_job *job, sim_time now_ps,
                       double amount, double weight);

/* Works out what has happened up to `now_ps`. */
void shared_rate_advance(struct shared_rate *shared, sim_time now_ps);

/* Somebody who is no job takes so much of the rate now: jobs that leave none of it unused get so much less. */
static inline void shared_rate_take(struct shared_rate *shared, double amount)
{
    if (!list_is_empty(&shared->jobs))
        shared->others += amount;
}

/* What such jobs get together a picosecond, at most. */
double shared_rate_counted(const struct shared_rate *shared);

/* Takes a job out, over or not. */
void shared_rate_take_out(struct shared_rate *shared, struct shared_job *job, sim_time now_ps);

/* The time at which the job will end if no other job begins: `now_ps` if it has ended or was never begun, else at least
 * a picosecond later. */
sim_time shared_rate_end_ps(struct shared_rate *shared, const struct shared_job *job,
                            sim_time now_ps);

/* What is left of the job now, in units: 0 if it is over. */
double shared_rate_left(struct shared_rate *shared, const struct shared_job *job, sim_time now_ps);
