/* SPDX-License-Identifier: BSD-3-Clause */
/* What receivers of tokens are told before these come. The words of a place, one for each of its experts and each sender, are
 * shared out to its parties, who wait for them. */
#include "workloads/apps/moe.h"

static int64_t place_of(const struct moe_run *run, int64_t expert)
{
    return expert * run->places / run->spec->experts;
}

static int64_t first_expert(const struct moe_run *run, int64_t place)
{
    return (place * run->spec->experts + run->places - 1) / run->places;
}

static int64_t experts_of(const struct moe_run *run, int64_t place)
{
    return first_expert(run, place + 1) - first_expert(run, place);
}

void moe_tell(struct moe_run *run, struct party *party, uint64_t epoch)
{
    for (int64_t e = party->group; e < run->spec->experts; e += run->tellers) {
        int64_t place = place_of(run, e);
        int64_t word = (e - first_expert(run, place)) * run->places + party->place;
        if (place != party->place)
            transfer_set_signal(party, place, word / run->told_each, run->told,
                                word % run->told_each, epoch);
    }
}

void moe_wait_until_told(struct moe_run *run, struct party *party, uint64_t epoch)
{
    int64_t words = experts_of(run, party->place) * run->places;
    for (int64_t i = 0; i < run->told_each; i++) {
        int64_t word = party->group * run->told_each + i, from = word % run->places;
        int64_t expert = first_expert(run, party->place) + word / run->places;
        if (word < words && from != party->place)
            transfer_wait_signal(party, from, expert % run->tellers, run->buffer,
                                 TRANSFER_SIGNAL_BYTES, run->told, i, epoch);
    }
}

/* Each GPU that this one combines; and until all do. */
void moe_announce(struct moe_run *run, struct party *party, uint64_t epoch)
{
    for (int64_t to = party->group; to < run->places; to += run->groups)
        if (to != party->place)
            transfer_set_signal(party, to, party->place / run->ready_each, run->is_ready,
                                party->place % run->ready_each, epoch);
}

void moe_wait_for_all(struct moe_run *run, struct party *party, uint64_t epoch)
{
    for (int64_t i = 0; i < run->ready_each; i++) {
        int64_t from = party->group * run->ready_each + i;
        if (from < run->places && from != party->place)
            transfer_wait_signal(party, from, party->place % run->groups, run->buffer,
                                 TRANSFER_SIGNAL_BYTES, run->is_ready, i, epoch);
    }
}

void moe_share_out_words(struct moe_run *run)
{
    int64_t most = 0;
    for (int64_t place = 0; place < run->places; place++)
        most = MAX(most, experts_of(run, place));
    run->tellers = MIN(run->spec->telling_groups, run->groups);
    run->told_each = (most * run->places + run->groups - 1) / run->groups;
    run->ready_each = (run->places + run->groups - 1) / run->groups;
}
