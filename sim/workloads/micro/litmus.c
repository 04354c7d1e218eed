/* SPDX-License-Identifier: BSD-3-Clause */
/* Litmus tests of order between work-groups, NICs and peers: does a design keep what its calls promise?
 *
 *   message_passing  put data, fence, put flag      |  wait for the flag, load the data: they are there
 *   signal           put data with a signal         |  wait for the signal, load the data: they are there
 *   peer_read        store data, release, put flag  |  wait for the flag, get the data: the new ones
 *   store_buffering  put x to the peer, quiet,      |  put y to the peer, quiet, load x: not both
 *                    load y                         |  old
 *
 * Each in many rounds, with pauses between the calls drawn by chance, on a network whose packets overtake
 * each other by up to `spread`. What must not be is counted; or the first one ends the run with its trace.
 * A pass proves nothing: rounds are a sample. */
#include <glib.h>
#include <stdio.h>

#include "core/error.h"
#include "core/rng.h"
#include "workloads/interface/workload.h"
#include "workloads/transfer/transfer.h"

enum litmus_test { MESSAGE_PASSING, SIGNAL, PEER_READ, STORE_BUFFERING, LITMUS_TESTS };
static const char *const test_names[] = {"message_passing", "signal", "peer_read",
                                         "store_buffering"};

struct litmus_spec {
    struct design design;
    int64_t rounds, bytes;
    sim_time spread_ps;
    int64_t work_groups;
    int64_t goes_on; /* flag */
};

#define SPEC struct litmus_spec
static const struct param params[] = {
    PARAM_DESIGN(SPEC, NULL, "The design whose order is tested."),
    PARAM_COUNT(rounds, SPEC, "50", "1", "100000", "Rounds of each test."),
    {"bytes", PARAM_QUANTITY, UNIT_BYTES, offsetof(SPEC, bytes), "64B", "8B", "64B", NULL,
     "Data of a round, up to a cache line; the first word is checked.", NULL},
    PARAM_TIME(spread, SPEC, "3us", "0ns", "1ms",
               "Packets arrive up to this much later than by the shortest path, in addition to"
               " the machine's nic.packet_spread."),
    PARAM_COUNT(work_groups, SPEC, "2", "1", "64",
                "Pairs of work-groups that are tested at a time."),
    PARAM_FLAG(
        goes_on, SPEC, "false",
        "Count violations and continue; otherwise the first violation ends the run with its trace."),
};
#undef SPEC
static PARAM_TABLE(litmus_params, "litmus", struct litmus_spec, params,
                   "Litmus tests of order between work-groups, NICs and peers.");

struct event {
    sim_time at_ps;
    int64_t node;
    const char *what;
    uint64_t value;
};
#define EVENTS 16

/* Between two calls. */
#define LONGEST_PAUSE_PS (PS_PER_US / 2)

/* A pair of work-groups, one a node. */
struct litmus_pair {
    struct event events[EVENTS]; /* of its round, of both nodes */
    int count;
    uint64_t seen[2]; /* what each loaded */
};

struct litmus_run {
    const struct litmus_spec *spec;
    struct world *world;
    struct transfer_signals data[2]; /* written by the work-groups of a node, at both */
    struct transfer_signals flags;
    struct litmus_pair *pairs;
    int64_t forbidden[LITMUS_TESTS];
    GString *trace; /* of the first; empty: none */
};

/* A work-group in its round. */
struct actor {
    struct litmus_run *run;
    struct litmus_pair *pair;
    struct party *party;
    struct rng *rng;
    int64_t node, other;
    uint64_t round; /* from 1 on */
};

/* --- what an actor does, and notes ------------------------------------------------------------- */

static void note(struct actor *actor, const char *what, uint64_t value)
{
    struct litmus_pair *pair = actor->pair;
    if (pair->count < EVENTS)
        pair->events[pair->count++] =
            (struct event){party_now(actor->party), actor->node, what, value};
}

static void rest(struct actor *actor)
{
    transfer_compute(actor->party, (sim_time)rng_below(actor->rng, LONGEST_PAUSE_PS + 1));
}

/* What the work-groups of `node` write. */
static struct transfer_buffer lines(const struct actor *actor, int64_t node)
{
    return transfer_lines(actor->run->data[node]);
}

static void store_data(struct actor *actor)
{
    note(actor, "stores the data", actor->round);
    transfer_store_word(actor->party, actor->run->data[actor->node], 0, actor->round);
}

static void put_data(struct actor *actor)
{
    note(actor, "puts the data", actor->round);
    transfer_post_put(actor->party, actor->other, actor->party->group, lines(actor, actor->node),
                      actor->run->spec->bytes);
}

static void put_flag(struct actor *actor)
{
    note(actor, "puts the flag", actor->round);
    transfer_put_word(actor->party, actor->other, actor->party->group, actor->run->flags, 0,
                      actor->round);
    note(actor, "has put the flag", actor->round);
}

static void wait_for(struct actor *actor, struct transfer_signals signals)
{
    transfer_wait_signal(actor->party, actor->other, actor->party->group, lines(actor, 0),
                         actor->run->spec->bytes, signals, 0, actor->round);
}

static void wait_for_flag(struct actor *actor)
{
    wait_for(actor, actor->run->flags);
    note(actor, "sees the flag", actor->round);
}

/* What the other one's data are here. */
static uint64_t load_data(struct actor *actor)
{
    uint64_t word = transfer_load_word(actor->party, actor->run->data[actor->other], 0);
    note(actor, "loads the data", word);
    return word;
}

/* --- what must not be -------------------------------------------------------------------------- */

static void tell(struct actor *actor, enum litmus_test test)
{
    struct litmus_run *run = actor->run;
    char text[PARAM_TEXT_SIZE];
    g_string_printf(
        run->trace, "design %s breaks %s: %s, in round %llu of %lld.",
        design_text(&run->spec->design, text), test_names[test],
        test == STORE_BUFFERING ? "both sides load what was there before the other's put"
                                : "the flag is seen before its data",
        (unsigned long long)(actor->round - 1) % (unsigned long long)run->spec->rounds + 1,
        (long long)run->spec->rounds);
    for (int i = 0; i < actor->pair->count; i++) {
        const struct event *event = &actor->pair->events[i];
        g_string_append_printf(run->trace, "\n  %12.3f us  node %lld, work-group %lld  %s: %llu.",
                               (double)event->at_ps / (double)PS_PER_US, (long long)event->node,
                               (long long)actor->party->group, event->what,
                               (unsigned long long)event->value);
    }
}

static void forbid(struct actor *actor, enum litmus_test test)
{
    struct litmus_run *run = actor->run;
    run->forbidden[test]++;
    if (run->trace->len == 0)
        tell(actor, test);
}

/* --- the tests --------------------------------------------------------------------------------- */

static void expect_data(struct actor *actor, enum litmus_test test)
{
    if (load_data(actor) == actor->round)
        return;
    wait_for(actor, actor->run->data[actor->other]);
    note(actor, "finds the data at last", actor->round);
    forbid(actor, test);
}

static void message_passing(struct actor *actor)
{
    if (actor->node == 1) {
        wait_for_flag(actor);
        expect_data(actor, MESSAGE_PASSING);
        return;
    }
    store_data(actor);
    rest(actor);
    put_data(actor);
    note(actor, "fences", actor->round);
    transfer_fence(actor->party);
    put_flag(actor);
}

static void signal_behind(struct actor *actor)
{
    const struct litmus_run *run = actor->run;
    if (actor->node == 1) {
        wait_for_flag(actor);
        expect_data(actor, SIGNAL);
        return;
    }
    store_data(actor);
    rest(actor);
    note(actor, "puts the data with a signal", actor->round);
    transfer_put_signal(actor->party, 1, actor->party->group, lines(actor, 0), run->spec->bytes,
                        run->flags, 0, actor->round);
}

static void peer_read(struct actor *actor)
{
    if (actor->node == 0) {
        store_data(actor);
        rest(actor);
        put_flag(actor);
        return;
    }
    wait_for_flag(actor);
    note(actor, "gets the data", actor->round);
    transfer_get(actor->party, 0, actor->party->group, lines(actor, 0), actor->run->spec->bytes);
    if (load_data(actor) != actor->round)
        forbid(actor, PEER_READ);
}

static void store_buffering(struct actor *actor)
{
    struct litmus_pair *pair = actor->pair;
    store_data(actor);
    rest(actor);
    put_data(actor);
    transfer_quiet(actor->party);
    note(actor, "has been quiet", actor->round);
    pair->seen[actor->node] = load_data(actor);
    transfer_barrier(actor->party);
    if (actor->node == 0 && pair->seen[0] != actor->round && pair->seen[1] != actor->round)
        forbid(actor, STORE_BUFFERING);
}

/* All rounds of all tests, on both nodes; barriers in between, so that a round leaves nothing behind. */
static void program(struct party *party, void *argument)
{
    static void (*const tests[])(struct actor *) = {message_passing, signal_behind, peer_read,
                                                    store_buffering};
    struct litmus_run *run = argument;
    struct rng rng;
    char path[64];
    snprintf(path, sizeof path, "litmus.node%d.%d", (int)party->place, (int)party->group);
    rng_init(&rng, world_sim(run->world)->seed, path);
    struct actor actor = {run,          &run->pairs[party->group], party, &rng,
                          party->place, 1 - party->place,          0};
    for (size_t test = 0; test < LITMUS_TESTS; test++)
        for (int64_t round = 0; round < run->spec->rounds; round++) {
            transfer_barrier(party);
            if (party->place == 0)
                actor.pair->count = 0;
            actor.round++;
            rest(&actor);
            tests[test](&actor);
            transfer_quiet(party);
            transfer_barrier(party);
        }
}

/* --- running ------------------------------------------------------------------------------------ */

static void prepare(void *argument, struct world *world)
{
    struct litmus_run *run = argument;
    run->world = world;
    for (int i = 0; i < 2; i++)
        run->data[i] = world_signals(world, 1);
    run->flags = world_signals(world, 1);
}

static void report(const void *argument, const struct world *world, struct workload_result *result)
{
    const struct litmus_run *run = argument;
    for (size_t test = 0; test < LITMUS_TESTS; test++)
        workload_add_quantity(result, test_names[test], UNIT_COUNT, run->forbidden[test]);
    workload_add_quantity(result, "rounds", UNIT_COUNT, run->spec->rounds * run->spec->work_groups);
    workload_observe(result, world_cluster(world), 1);
}

static bool run_litmus(const struct machine_spec *given, const void *argument, uint64_t seed,
                       struct workload_result *result, GError **error)
{
    static const struct world_task task = {prepare, program, report};
    const struct litmus_spec *spec = argument;
    g_autofree struct machine_spec *machine = g_memdup2(given, sizeof *given);
    g_autofree struct litmus_pair *pairs = g_new0(struct litmus_pair, (gsize)spec->work_groups);
    g_autoptr(GString) trace = g_string_new(NULL);
    struct litmus_run run = {.spec = spec, .pairs = pairs, .trace = trace};
    struct world_setup setup = {.design = &spec->design,
                                .seed = seed,
                                .place_count = 2,
                                .groups = spec->work_groups,
                                .threads = 64,
                                .in_kernel = true,
                                .is_cooperative = true,
                                .has_barrier = true,
                                .heap_bytes = 3 * transfer_signal_bytes(spec->work_groups, 1)};
    machine->nic.packet_spread_ps += spec->spread_ps;
    if (!world_run_alone(machine, &setup, &task, &run, result, error))
        return false;
    return trace->len == 0 || spec->goes_on || error_set(error, "%s", trace->str);
}

const struct workload litmus_workload = {
    .name = "litmus",
    .params = &litmus_params,
    .accepts = transfer_accepts_kernel,
    .run = run_litmus,
};
