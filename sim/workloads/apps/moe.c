/* SPDX-License-Identifier: BSD-3-Clause */
/* Dispatch and combine of a mixture of experts: each GPU sends each of its tokens to the experts that its router chose,
 * on whatever GPUs these are, and gets their answers back. Packed, all tokens for a GPU go in one message; else each
 * goes in one of its own. What DeepEP, pplx-kernels and NVSHMEM's users build GPU-initiated networking for.
 *
 * `work_groups` work-groups, each with a queue of its own, share out what is sent: packed, the GPUs that it goes to; else the
 * tokens, each of which is posted by the work-group that has it. With posting = last they meet, and one posts all. A rank
 * sends all in any case.
 * With telling_groups experts are told how many tokens come, even if none does, as pplx-kernels does it: a signal for each
 * expert from each GPU, 256 of a GPU whatever its tokens (csrc/all_to_all/internode_dispatch.cu; combine: internode_combine.cu).
 * The expert of choice k of token t of GPU p is drawn by the seed, all experts equally likely, `top_k` different ones. An
 * expert that is on the sender's own GPU takes no message. */
#include <glib.h>

#include "core/error.h"
#include "workloads/apps/moe.h"
#include "workloads/interface/shared_rows.h"

static const char *const packing_names[] = {"packed", "token", NULL};
static const char *const posting_names[] = {"each", "last", "choice", NULL};
enum phase { PHASE_DISPATCH, PHASE_BOTH };
static const char *const phase_names[] = {"dispatch", "both", NULL};
enum check { CHECK_NONE, CHECK_TRUE, FAULT_LOST_TOKEN, FAULT_WRONG_EXPERT };
static const char *const check_names[] = {"false", "true", "lost_token", "wrong_expert", NULL};

#define SPEC struct moe_spec
static const struct param params[] = {
    PARAM_SHARE("", places, SPEC, &places_rows, "nodes=2", ""),
    PARAM_COUNT(tokens, SPEC, "16", "1", "65536", "Tokens of a GPU."),
    PARAM_COUNT(top_k, SPEC, "8", "1", "64", "Experts to which each token goes."),
    PARAM_COUNT(experts, SPEC, "256", "1", "65536", "Experts, divided equally among all GPUs."),
    {"token", PARAM_QUANTITY, UNIT_BYTES, offsetof(SPEC, token_bytes), "1KiB", "1B", "1MiB", NULL,
     "Bytes of a token on its way to an expert.", NULL},
    {"combine", PARAM_QUANTITY, UNIT_BYTES, offsetof(SPEC, combine_bytes), "2KiB", "1B", "1MiB",
     NULL, "Bytes of an expert's answer.", NULL},
    PARAM_ENUM(packing, SPEC, "packed", packing_names,
               "All tokens for a GPU in one message, or one message for each token."),
    PARAM_ENUM(posting, SPEC, "each", posting_names,
               "Every work-group posts its own tokens as soon as it has them; or the last "
               "work-group that is ready posts all, as if a proxy must be told how many there "
               "are; or work-groups divide the tokens' choices of experts, as if the warps of "
               "a block post one choice each."),
    PARAM_ENUM(phase, SPEC, "both", phase_names,
               "What is measured: dispatch, or dispatch and combine."),
    PARAM_COUNT(work_groups, SPEC, "8", "1", "256",
                "Work-groups of a kernel that send and receive."),
    PARAM_COUNT(telling_groups, SPEC, "0", "0", "256",
                "This many work-groups first tell every expert, by a signal of its own, how "
                "many tokens to expect, and the other work-groups post the tokens (if all tell,"
                " all post). Receivers wait for these signals first. Combine begins with a "
                "signal to each GPU. 0: no signals; receivers know the numbers."),
    SHARED_ROW(threads, SPEC, "256"),
    SHARED_ROW(repeats, SPEC, "4"),
    SHARED_ROW(warmup, SPEC, "1"),
    PARAM_FLAG(copies, SPEC, "false",
               "Work-groups copy what they send into the buffer that the NIC has registered. When "
               "all that is sent to a GPU has arrived, its work-groups copy it out in equal parts "
               "(gpu.copy_rate), as pplx-kernels does."),
    PARAM_ENUM(
        timed_by, SPEC, "kernel", timed_by_names,
        "The time of a phase is measured by its work-groups, or by two events of a stream around a kernel, "
        "which include its launch and end (cuda.timed_kernel)."),
    PARAM_ENUM(
        check, SPEC, "false", check_names,
        "Carry the tokens' data and compare with a plain loop. Other values carry wrong data, to test the check: a token that is not sent on, or a token that goes to another GPU's expert."),
};
#undef SPEC
static PARAM_TABLE_SHARING(moe_params, "moe", struct moe_spec, params,
                           "Tokens go to their experts on other GPUs, and the answers back.");

#define MOST_CHECKED 1024 /* tokens times choices */

/* --- data --------------------------------------------------------------------------------------- */

static double value_of(int64_t place, int64_t token)
{
    return (double)(place * 1000 + token + 1);
}

/* What an expert of a GPU makes of a token. */
static double answer_of(int64_t place, double value)
{
    return value * (double)(place + 2);
}

static void note_wrong(struct moe_run *run, const char *what, int64_t place)
{
    if (run->wrong == NULL)
        run->wrong =
            g_strdup_printf("the pattern is wrong: %s, at GPU %lld", what, (long long)place);
}

static struct carry_flow flow_of(int64_t from, int64_t to, int64_t group, int64_t channel)
{
    return (struct carry_flow){from, group, to, group, channel};
}

/* The tokens of `from` for `to` by the parties of a number, in their order. */
static void gather_tokens(const struct moe_run *run, int64_t from, int64_t to, int64_t group,
                          double *values)
{
    int64_t count = 0;
    for (int64_t token = 0; token < run->spec->tokens; token++)
        for (int64_t k = 0; k < run->spec->top_k; k++)
            if (moe_choices_of(run, from, token)[k] == to &&
                moe_group_of(run, from, to, token, k) == group)
                values[count++] = value_of(from, token);
}

/* The answers of `from` to tokens of `to` are added up there. */
static void scatter_answers(struct moe_run *run, int64_t from, int64_t to, int64_t group,
                            const double *values)
{
    int64_t count = 0;
    for (int64_t token = 0; token < run->spec->tokens; token++)
        for (int64_t k = 0; k < run->spec->top_k; k++)
            if (moe_choices_of(run, to, token)[k] == from &&
                moe_group_of(run, to, from, token, k) == group)
                run->sums[to * run->spec->tokens + token] += values[count++];
}

static void compare(struct moe_run *run)
{
    for (int64_t place = 0; run->carry != NULL && place < run->places; place++)
        for (int64_t token = 0; token < run->spec->tokens; token++) {
            double sum = 0;
            for (int64_t k = 0; k < run->spec->top_k; k++)
                sum += answer_of(moe_choices_of(run, place, token)[k], value_of(place, token));
            if (run->sums[place * run->spec->tokens + token] != sum)
                note_wrong(run, "a token's answers differ from a plain loop's", place);
        }
    if (carry_left(run->carry) != 0)
        note_wrong(run, "messages were sent that nobody received", 0);
}

/* --- messages ----------------------------------------------------------------------------------- */

/* All of a flow in one direction; `from` and `to` are as of dispatch. */
static size_t post(struct moe_run *run, struct party *party, int64_t from, int64_t to,
                   enum phase phase, bool is_send, struct message *messages)
{
    const struct moe_spec *spec = run->spec;
    int64_t each = phase == PHASE_DISPATCH ? spec->token_bytes : spec->combine_bytes;
    int64_t tokens = moe_choices_between(run, from, to, party->group);
    bool is_packed = spec->packing == PACKED;
    int64_t count = is_packed ? MIN(tokens, 1) : tokens, bytes = is_packed ? each * tokens : each;
    int64_t peer = party->place == from ? to : from;
    for (int64_t i = 0; i < count; i++)
        if (is_send)
            transfer_send(party, &messages[i], peer, party->group, (int32_t)phase, run->buffer,
                          bytes);
        else
            transfer_receive(party, &messages[i], peer, party->group, (int32_t)phase, run->buffer,
                             bytes);
    if (is_send && party->place == 0)
        run->messages += count;
    return (size_t)count;
}

static void send_data(struct moe_run *run, struct party *party, int64_t from, int64_t to,
                      enum phase phase, const double *values)
{
    int64_t count = moe_choices_between(run, from, to, party->group);
    bool is_fault = phase == PHASE_DISPATCH && from == 0 && to == 1;
    if (is_fault && run->spec->check == FAULT_WRONG_EXPERT)
        to = 2 % run->places;
    if (is_fault && run->spec->check == FAULT_LOST_TOKEN)
        count--;
    struct carry_flow flow = phase == PHASE_DISPATCH ? flow_of(from, to, party->group, phase)
                                                     : flow_of(to, from, party->group, phase);
    if (run->carry != NULL && count > 0)
        carry_send(run->carry, flow, values, count);
}

static void take_data(struct moe_run *run, struct party *party, int64_t from, int64_t to,
                      enum phase phase, double *values)
{
    int64_t count = moe_choices_between(run, from, to, party->group);
    struct carry_flow flow = phase == PHASE_DISPATCH ? flow_of(from, to, party->group, phase)
                                                     : flow_of(to, from, party->group, phase);
    if (run->carry != NULL && count > 0 && !carry_receive(run->carry, flow, values, count))
        note_wrong(run, "tokens were not sent", party->place);
}

/* --- a party ------------------------------------------------------------------------------------ */

/* Others by turns from its own number on, so that not all send to the same at first. */
static int64_t other_of(const struct moe_run *run, const struct party *party, int64_t i)
{
    return (party->place + i) % run->places;
}

/* Tokens, or packed choices, that the party sends: each is copied once. */
static int64_t copies_of_party(const struct moe_run *run, const struct party *party)
{
    int64_t count = 0;
    for (int64_t token = 0; token < run->spec->tokens; token++) {
        const int32_t *choices = moe_choices_of(run, party->place, token);
        int64_t sent = 0;
        for (int64_t k = 0; k < run->spec->top_k; k++)
            sent += choices[k] != party->place &&
                    moe_group_of(run, party->place, choices[k], token, k) == party->group;
        count += run->spec->packing == PACKED ? sent : MIN(sent, 1);
    }
    return count;
}

/* A party's part of the tokens that its GPU is sent. */
static int64_t copies_received(const struct moe_run *run, const struct party *party)
{
    int64_t count = 0;
    for (int64_t from = 0; from < run->places; from++)
        for (int64_t token = 0; from != party->place && token < run->spec->tokens; token++)
            for (int64_t k = 0; k < run->spec->top_k; k++)
                count += moe_choices_of(run, from, token)[k] == party->place;
    return (count + run->groups - 1) / run->groups;
}

/* One after the other, behind the first load. */
static void copy(const struct moe_run *run, struct party *party, int64_t count, int64_t bytes)
{
    int64_t node = run->job_places[party->place].node;
    const struct gpu_spec *gpu = &cluster_spec(world_cluster(run->world), node)->gpu;
    sim_time first_ps = cycles_ps(gpu->l2.latency_cycles, gpu->clock_Hz) + gpu->memory_latency_ps;
    if (count > 0)
        transfer_compute(party, first_ps + transfer_ps(count * bytes, gpu->copy_rate_Bps));
}

/* Behind a meeting: of what came none is written any more. */
static void copy_out(const struct moe_run *run, struct party *party, int64_t count, int64_t bytes)
{
    transfer_group_barrier(party);
    copy(run, party, count, bytes);
}

static void dispatch(struct moe_run *run, struct party *party, struct message *messages,
                     uint64_t epoch)
{
    size_t count = 0;
    if (party->group < run->tellers)
        moe_tell(run, party, epoch);
    if (run->spec->copies)
        copy(run, party, copies_of_party(run, party), run->spec->token_bytes);
    double values[MOST_CHECKED];
    for (int64_t i = 1; i < run->places; i++) {
        int64_t other = other_of(run, party, i);
        count += post(run, party, other, party->place, PHASE_DISPATCH, false, messages + count);
    }
    for (int64_t i = 1; i < run->places; i++) {
        int64_t other = other_of(run, party, i);
        count += post(run, party, party->place, other, PHASE_DISPATCH, true, messages + count);
        if (run->carry != NULL) {
            gather_tokens(run, party->place, other, party->group, values);
            send_data(run, party, party->place, other, PHASE_DISPATCH, values);
        }
    }
    if (run->tellers > 0) {
        transfer_group_barrier(party);
        moe_wait_until_told(run, party, epoch);
    }
    transfer_wait_received(party, messages, count);
    if (run->spec->copies)
        copy_out(run, party, copies_received(run, party), run->spec->token_bytes);
}

/* Until all of the GPU are ready, where one posts for all. */
static void meet(const struct moe_run *run, struct party *party)
{
    if (run->spec->posting == POST_LAST)
        transfer_group_barrier(party);
}

/* The answers: each to whom the token came from. */
static void combine(struct moe_run *run, struct party *party, struct message *messages,
                    uint64_t epoch)
{
    size_t count = 0;
    if (run->tellers > 0)
        moe_announce(run, party, epoch);
    if (run->spec->copies)
        copy(run, party, copies_received(run, party), run->spec->combine_bytes);
    double values[MOST_CHECKED];
    for (int64_t i = 1; i < run->places; i++) {
        int64_t other = other_of(run, party, i);
        count += post(run, party, party->place, other, PHASE_BOTH, false, messages + count);
    }
    for (int64_t i = 1; i < run->places; i++) {
        int64_t other = other_of(run, party, i);
        count += post(run, party, other, party->place, PHASE_BOTH, true, messages + count);
        if (run->carry == NULL)
            continue;
        take_data(run, party, other, party->place, PHASE_DISPATCH, values);
        for (int64_t n = 0; n < moe_choices_between(run, other, party->place, party->group); n++)
            values[n] = answer_of(party->place, values[n]);
        send_data(run, party, other, party->place, PHASE_BOTH, values);
    }
    transfer_wait_received(party, messages, count);
    if (run->tellers > 0)
        moe_wait_for_all(run, party, epoch);
    if (run->spec->copies)
        copy_out(run, party, copies_of_party(run, party), run->spec->combine_bytes);
    for (int64_t i = 1; run->carry != NULL && i < run->places; i++) {
        int64_t other = other_of(run, party, i);
        take_data(run, party, party->place, other, PHASE_BOTH, values);
        scatter_answers(run, other, party->place, party->group, values);
    }
}

/* Experts on the token's own GPU. */
static void answer_at_home(struct moe_run *run, int64_t place)
{
    for (int64_t token = 0; run->carry != NULL && token < run->spec->tokens; token++)
        for (int64_t k = 0; k < run->spec->top_k; k++)
            if (moe_choices_of(run, place, token)[k] == place)
                run->sums[place * run->spec->tokens + token] +=
                    answer_of(place, value_of(place, token));
}

static void once(struct moe_run *run, struct party *party, struct message *messages, int64_t repeat)
{
    sim_time since_ps = party_now(party);
    uint64_t epoch = (uint64_t)(repeat + run->spec->warmup + 1);
    meet(run, party);
    dispatch(run, party, messages, epoch);
    if (party->place == 0 && repeat >= 0)
        run->dispatch_ps[repeat] = MAX(run->dispatch_ps[repeat], party_now(party) - since_ps);
    if (run->spec->phase == PHASE_DISPATCH)
        return;
    meet(run, party);
    combine(run, party, messages, epoch);
}

static void next_iteration(struct party *party, bool is_measured)
{
    transfer_end_iteration(party, party_now(party));
    if (is_measured)
        transfer_begin_iteration(party);
}

static void program(struct party *party, void *argument)
{
    struct moe_run *run = argument;
    struct message *messages = run->under_way[party->place * run->groups + party->group];
    for (int64_t i = 0; i < run->spec->warmup + run->spec->repeats; i++) {
        bool is_timed = party->place == 0 && party->group == 0 && i >= run->spec->warmup;
        /* A time is a kernel: of none a work-group begins before all have ended the one before. */
        transfer_begin_repeat(party, true);
        if (party->group == 0)
            next_iteration(party, i >= run->spec->warmup);
        if (is_timed && i == run->spec->warmup) {
            run->first_ps = party_now(party);
            run->messages = 0;
            world_measures_from(run->world, run->first_ps);
        }
        if (is_timed)
            stat_unit_ends(&run->units, party_now(party));
        once(run, party, messages, i - run->spec->warmup);
        if (party->group == 0)
            answer_at_home(run, party->place);
    }
    transfer_barrier_all(party);
    if (party->place == 0 && party->group == 0) {
        stat_unit_ends(&run->units, party_now(party));
        world_measures_to(run->world, party_now(party));
    }
    if (party->place == 0)
        run->last_ps = MAX(run->last_ps, party_now(party));
    transfer_end_last(party, &run->ends[party->place], run->groups);
}

/* --- the run ------------------------------------------------------------------------------------ */

static void make_messages(struct moe_run *run)
{
    int64_t parties = run->places * run->groups;
    g_autofree int64_t *counts = g_new0(int64_t, (gsize)parties);
    for (int64_t from = 0; from < run->places; from++)
        for (guint i = run->flows_from[from]; i < run->flows_from[from + 1]; i++) {
            const struct moe_flow *flow = moe_flow_at(run, i);
            int64_t count = run->spec->packing == PACKED ? 1 : flow->choices;
            if (flow->to == from)
                continue;
            counts[from * run->groups + flow->group] += count;
            counts[flow->to * run->groups + flow->group] += count;
        }
    run->under_way = g_new0(struct message *, (gsize)parties);
    for (int64_t i = 0; i < parties; i++)
        run->under_way[i] = g_new(struct message, (gsize)counts[i] + 1);
}

static void free_run(struct moe_run *run)
{
    for (int64_t i = 0; run->under_way != NULL && i < run->places * run->groups; i++)
        g_free(run->under_way[i]);
    g_free(run->under_way);
    moe_free_choices(run);
    g_free(run->dispatch_ps);
    g_free(run->ends);
    g_free(run->sums);
    g_free(run->wrong);
    carry_free(run->carry);
    world_free(run->world);
}

/* The largest message of all. */
static int64_t buffer_bytes(const struct moe_run *run)
{
    const struct moe_spec *spec = run->spec;
    int64_t each = MAX(spec->token_bytes, spec->combine_bytes), most = 1;
    if (run->tellers > 0)
        each = MAX(each, TRANSFER_SIGNAL_BYTES);
    for (int64_t from = 0; from < run->places && spec->packing == PACKED; from++)
        for (guint i = run->flows_from[from]; i < run->flows_from[from + 1]; i++)
            if (moe_flow_at(run, i)->to != from)
                most = MAX(most, moe_flow_at(run, i)->choices);
    return each * most;
}

static bool is_possible(const struct moe_spec *spec, GError **error)
{
    if (spec->top_k > spec->experts)
        error_set(error, "a token cannot go to %lld different experts of %lld",
                  (long long)spec->top_k, (long long)spec->experts);
    else if (spec->telling_groups > 0 && spec->places.design.initiator == INITIATOR_HOST)
        error_set(
            error,
            "telling_groups are work-groups of a kernel; a rank's messages say themselves what comes");
    else if (spec->copies && spec->places.design.initiator == INITIATOR_HOST)
        error_set(
            error,
            "copies are made by work-groups of a kernel; a rank's messages go from where data lie");
    else if (spec->check && (spec->phase != PHASE_BOTH || spec->warmup + spec->repeats != 1 ||
                             spec->tokens * spec->top_k > MOST_CHECKED))
        error_set(
            error,
            "check = true takes phase = both, repeats = 1, warmup = 0, and at most %d tokens times "
            "choices",
            MOST_CHECKED);
    else if (spec->tokens * spec->top_k * spec->places.nodes * spec->places.gpus_per_node >
             (INT64_C(1) << 28))
        error_set(error, "more than %d choices in all", 1 << 28);
    else
        return true;
    return false;
}

static bool make_world(struct moe_run *run, const struct machine_spec *machine, uint64_t seed,
                       GError **error)
{
    const struct moe_spec *spec = run->spec;
    struct world_setup setup = {.design = &spec->places.design,
                                .seed = seed,
                                .is_application = true,
                                .places = run->job_places,
                                .place_count = run->places,
                                .groups = run->groups,
                                .threads = spec->threads,
                                .served_places = run->places,
                                .is_cooperative = true,
                                .has_channels = true,
                                .has_barrier = true,
                                .heap_bytes = transfer_heap_bytes(run->groups, buffer_bytes(run)) +
                                              transfer_signal_bytes(run->groups, run->told_each) +
                                              transfer_signal_bytes(run->groups, run->ready_each)};
    run->world = world_new(machine, &setup, error);
    if (run->world == NULL)
        return false;
    if (spec->copies)
        param_uses_only(&world_sim(run->world)->uses, &gpu_params, "copy_rate", NULL);
    run->buffer = world_buffer(run->world, buffer_bytes(run), TRANSFER_PAYLOAD);
    if (run->tellers > 0) {
        run->told = world_signals(run->world, run->told_each);
        run->is_ready = world_signals(run->world, run->ready_each);
    }
    g_autofree void **arguments = g_new(void *, (gsize)run->places);
    for (int64_t i = 0; i < run->places; i++)
        arguments[i] = run;
    return world_run(run->world, program, arguments, error);
}

static bool run_moe(const struct machine_spec *machine, const void *argument, uint64_t seed,
                    struct workload_result *result, GError **error)
{
    const struct moe_spec *spec = argument;
    struct moe_run run = {.spec = spec,
                          .machine = machine,
                          .places = spec->places.nodes * spec->places.gpus_per_node};
    if (!is_possible(spec, error) ||
        !transfer_can_be_timed(&spec->places.design, spec->timed_by, error))
        return false;
    g_autofree struct job_place *places =
        world_places(machine, spec->places.nodes, spec->places.gpus_per_node, error);
    if (places == NULL)
        return false;
    run.job_places = places;
    run.groups = spec->places.design.initiator != INITIATOR_HOST ? spec->work_groups : 1;
    if (spec->telling_groups > 0)
        moe_share_out_words(&run);
    moe_choose(&run, seed);
    run.dispatch_ps = g_new0(sim_time, (gsize)spec->repeats);
    run.ends = g_new0(struct place_end, (gsize)run.places);
    make_messages(&run);
    if (spec->check) {
        run.carry = carry_new();
        run.sums = g_new0(double, (gsize)(run.places * spec->tokens));
    }
    bool good = make_world(&run, machine, seed, error);
    if (good)
        compare(&run);
    if (good && run.wrong != NULL)
        error_set(error, "%s", run.wrong);
    good = good && run.wrong == NULL;
    if (good) {
        sim_time events_ps = transfer_seen_by_events_ps(run.world, spec->timed_by);
        sim_time dispatch_ps = events_ps;
        workload_add_mean_time(result, "duration",
                               (run.last_ps - run.first_ps) / spec->repeats +
                                   (spec->phase == PHASE_BOTH ? 2 : 1) * events_ps,
                               &run.units);
        struct stat_units dispatches = {.count = 0};
        for (int64_t i = 0; i < spec->repeats; i++) {
            dispatch_ps += run.dispatch_ps[i] / spec->repeats;
            stat_unit(&dispatches, (double)run.dispatch_ps[i]);
        }
        workload_add_mean_time(result, "dispatch", dispatch_ps, &dispatches);
        workload_add_quantity(result, "messages", UNIT_COUNT, run.messages / spec->repeats);
        world_report(run.world, (double)spec->repeats, result);
    }
    free_run(&run);
    return good;
}

static const struct workload_rule rules[] = {
    {"combine", "phase", "|both|"},
    {NULL, NULL, NULL},
};

const struct workload moe_workload = {
    .name = "moe",
    .params = &moe_params,
    .accepts = transfer_accepts,
    .run = run_moe,
    .rules = rules,
};
