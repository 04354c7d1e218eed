/* SPDX-License-Identifier: BSD-3-Clause */
/* What moe*.c share; for these only. */
#pragma once

#include "workloads/interface/shared_rows.h"
#include "workloads/interface/workload.h"
#include "workloads/patterns/carry.h"
#include "workloads/transfer/transfer.h"

enum packing { PACKED, PER_TOKEN };
enum posting { POST_EACH, POST_LAST, POST_CHOICE };

struct moe_spec {
    struct shared_places places;
    int64_t tokens, top_k, experts, token_bytes, combine_bytes, packing, posting, phase,
        work_groups, telling_groups, threads, repeats, warmup;
    int64_t check, copies, timed_by;
};

/* What one GPU sends to another by the parties of one number. */
struct moe_flow {
    int32_t to, group;
    int64_t choices; /* tokens' choices of experts there */
};

struct moe_run {
    const struct moe_spec *spec;
    struct world *world;
    int64_t places, groups; /* parties of a place */
    int32_t *chosen;        /* by place, token and choice: the expert's GPU */
    GArray *
        flows; /* of struct moe_flow: those of place 0, of place 1 ..., each sorted by `to` and `group` */
    guint *flows_from; /* by place: where its flows begin; and where the last one's end */
    const struct job_place *job_places;
    struct transfer_buffer buffer;
    const struct machine_spec *machine;
    int64_t tellers;                        /* of a place */
    int64_t told_each, ready_each;          /* words of a party, of either kind */
    struct transfer_signals told, is_ready; /* how many tokens come; a GPU combines */
    struct carry *carry;                    /* NULL: no data */
    struct message **under_way;             /* by party: room for all of its messages of a phase */
    double *sums;                           /* by place and token: of the answers that came back */
    char *wrong;
    struct stat_units units; /* repeats, at place 0 */
    sim_time first_ps, last_ps;
    sim_time
        *dispatch_ps; /* by repeat that counts: until the last party of place 0 has its tokens */
    int64_t messages;
    struct place_end *ends; /* by place */
};

static inline int32_t *moe_choices_of(const struct moe_run *run, int64_t place, int64_t token)
{
    return run->chosen + (place * run->spec->tokens + token) * run->spec->top_k;
}

static inline struct moe_flow *moe_flow_at(const struct moe_run *run, guint i)
{
    return &g_array_index(run->flows, struct moe_flow, i);
}

/* Draws the experts of all tokens by `seed` and counts the flows. Freed by moe_free_choices. */
void moe_choose(struct moe_run *run, uint64_t seed);
void moe_free_choices(struct moe_run *run);

/* The number of the party on `from` that sends a choice of `token` to `to`; that of the same number there takes it. */
int64_t moe_group_of(const struct moe_run *run, int64_t from, int64_t to, int64_t token,
                     int64_t choice);

/* Choices of `from`'s tokens whose experts are on `to`, that go by the parties of a number. */
int64_t moe_choices_between(const struct moe_run *run, int64_t from, int64_t to, int64_t group);

/* Who tells (moe_spec.telling_groups > 0), and the words of a place in equal parts on its parties. At start-up. */
void moe_share_out_words(struct moe_run *run);

/* A teller tells its experts on other GPUs, one by one, how many tokens they get; a party waits until its part of the words
 * of its GPU have come. `epoch`: which time it is, from 1 on. */
void moe_tell(struct moe_run *run, struct party *party, uint64_t epoch);
void moe_wait_until_told(struct moe_run *run, struct party *party, uint64_t epoch);

/* Likewise before and after combine: a signal to every GPU. */
void moe_announce(struct moe_run *run, struct party *party, uint64_t epoch);
void moe_wait_for_all(struct moe_run *run, struct party *party, uint64_t epoch);
