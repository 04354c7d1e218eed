/* SPDX-License-Identifier: BSD-3-Clause */
/* Which experts the tokens go to, and how many go from each GPU to each other one. */
#include <stdlib.h>

#include "core/rng.h"
#include "workloads/apps/moe.h"

static bool is_taken(const int32_t *experts, int64_t count, int32_t expert)
{
    for (int64_t i = 0; i < count; i++)
        if (experts[i] == expert)
            return true;
    return false;
}

/* Different experts for each token; then where they are. */
static void choose(struct moe_run *run, uint64_t seed)
{
    const struct moe_spec *spec = run->spec;
    struct rng rng;
    rng_init(&rng, seed, "moe.router");
    run->chosen = g_new(int32_t, (gsize)(run->places * spec->tokens * spec->top_k));
    for (int64_t i = 0; i < run->places * spec->tokens; i++) {
        int32_t *experts = run->chosen + i * spec->top_k;
        for (int64_t k = 0; k < spec->top_k; k++)
            do
                experts[k] = (int32_t)rng_below(&rng, (uint64_t)spec->experts);
            while (is_taken(experts, k, experts[k]));
        for (int64_t k = 0; k < spec->top_k; k++)
            experts[k] = (int32_t)((int64_t)experts[k] * run->places / spec->experts);
    }
}

int64_t moe_group_of(const struct moe_run *run, int64_t from, int64_t to, int64_t token,
                     int64_t choice)
{
    const struct moe_spec *spec = run->spec;
    int64_t first = run->tellers < run->groups ? run->tellers : 0;
    int64_t each = spec->posting == POST_CHOICE ? token * spec->top_k + choice : token;
    int64_t shared_out = spec->packing == PACKED ? from + to : each;
    return first + (spec->posting == POST_LAST ? 0 : shared_out % (run->groups - first));
}

static int compare_flows(const void *a, const void *b)
{
    const struct moe_flow *one = a, *other = b;
    int by_place = (one->to > other->to) - (one->to < other->to);
    return by_place != 0 ? by_place : (one->group > other->group) - (one->group < other->group);
}

/* Appends the flows from `from`, in their order. */
static void count_flows_from(struct moe_run *run, int64_t from, struct moe_flow *choices)
{
    const struct moe_spec *spec = run->spec;
    size_t count = 0;
    for (int64_t token = 0; token < spec->tokens; token++)
        for (int64_t k = 0; k < spec->top_k; k++) {
            int32_t to = moe_choices_of(run, from, token)[k];
            choices[count++] =
                (struct moe_flow){to, (int32_t)moe_group_of(run, from, to, token, k), .choices = 1};
        }
    qsort(choices, count, sizeof *choices, compare_flows);
    guint begin = run->flows->len;
    for (size_t i = 0; i < count; i++)
        if (run->flows->len > begin &&
            compare_flows(&choices[i], moe_flow_at(run, run->flows->len - 1)) == 0)
            moe_flow_at(run, run->flows->len - 1)->choices++;
        else
            g_array_append_val(run->flows, choices[i]);
}

void moe_choose(struct moe_run *run, uint64_t seed)
{
    choose(run, seed);
    g_autofree struct moe_flow *choices =
        g_new(struct moe_flow, (gsize)(run->spec->tokens * run->spec->top_k));
    run->flows = g_array_new(FALSE, FALSE, sizeof(struct moe_flow));
    run->flows_from = g_new(guint, (gsize)run->places + 1);
    for (int64_t from = 0; from < run->places; from++) {
        run->flows_from[from] = run->flows->len;
        count_flows_from(run, from, choices);
    }
    run->flows_from[run->places] = run->flows->len;
}

int64_t moe_choices_between(const struct moe_run *run, int64_t from, int64_t to, int64_t group)
{
    const struct moe_flow wanted = {.to = (int32_t)to, .group = (int32_t)group};
    guint begin = run->flows_from[from], count = run->flows_from[from + 1] - begin;
    const struct moe_flow *found =
        bsearch(&wanted, moe_flow_at(run, begin), count, sizeof wanted, compare_flows);
    return found == NULL ? 0 : found->choices;
}

void moe_free_choices(struct moe_run *run)
{
    g_free(run->chosen);
    g_free(run->flows_from);
    if (run->flows != NULL)
        g_array_free(run->flows, TRUE);
}
