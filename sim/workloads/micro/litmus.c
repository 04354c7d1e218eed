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
#include "workloads/transfer/intra_kernel.h"

enum litmus_test { MESSAGE_PASSING, SIGNAL, PEER_READ, STORE_BUFFERING, LITMUS_TESTS };
static const char *const test_names[] = {"message_passing", "signal", "peer_read",
                                         "store_buffering"};

struct litmus_spec {
    struct design design;
    int64_t rounds, bytes;
    sim_time spread_ps, pause_ps;
    int64_t work_groups;
    int64_t goes_on; /* flag */
};

#define SPEC struct litmus_spec
static const struct param params[] = {
    PARAM_DESIGN(SPEC, NULL, "The design whose order is tested."),
    PARAM_COUNT(rounds, SPEC, "50", "1", "100000", "Rounds of each test."),
    {"bytes", PARAM_QUANTITY, UNIT_BYTES, offsetof(SPEC, bytes), "64B", "8B", "64B", NULL,
     "Data of a round, up to a cache line; the last word is checked.", NULL},
    PARAM_TIME(spread, SPEC, "3us", "0ns", "1ms",
               "Packets arrive up to this much later than by the shortest path, in addition to"
               " the machine's nic.packet_spread."),
    PARAM_TIME(pause, SPEC, "500ns", "0ns", "1ms",
               "Longest pause between calls; pauses are drawn at random from 0 to this."),
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

/* A pair of work-groups, one a node. */
struct litmus_pair {
    struct event events[EVENTS]; /* of its round, of both nodes */
    int count;
    uint64_t seen[2]; /* what each loaded */
};

struct litmus_run {
    const struct litmus_spec *spec;
    struct intra_kernel kernel;
    address data[2], flags; /* data: what is put from, and what is put to; a line for each pair */
    struct litmus_pair *pairs;
    int64_t forbidden[LITMUS_TESTS];
    GString *trace; /* of the first; empty: none */
};

struct litmus_side {
    struct litmus_run *run;
    int64_t node;
};

/* A work-group in its round. */
struct actor {
    struct litmus_run *run;
    struct litmus_pair *pair;
    struct device_context *context;
    struct rng *rng;
    int64_t node, work_group;
    uint64_t round; /* from 1 on */
};

/* --- what an actor does, and notes ------------------------------------------------------------- */

static void note(struct actor *actor, const char *what, uint64_t value)
{
    struct litmus_pair *pair = actor->pair;
    if (pair->count < EVENTS)
        pair->events[pair->count++] =
            (struct event){agent_now(&actor->context->agent), actor->node, what, value};
}

static void rest(struct actor *actor)
{
    sim_time longest_ps = actor->run->spec->pause_ps;
    if (longest_ps > 0)
        process_sleep(actor->context->agent.process,
                      (sim_time)rng_below(actor->rng, (uint64_t)longest_ps + 1));
}

static address line(const struct actor *actor, address lines)
{
    return lines + (address)(actor->work_group * CACHE_LINE_BYTES);
}

/* The last word of the data. */
static address last_word(const struct actor *actor, address lines)
{
    return line(actor, lines) + (address)((actor->run->spec->bytes - 8) / 8 * 8);
}

static void store_data(struct actor *actor)
{
    note(actor, "stores the data", actor->round);
    agent_store_word(&actor->context->agent, last_word(actor, actor->run->data[0]), actor->round);
    agent_release(&actor->context->agent, SCOPE_SYSTEM);
}

static void put_data(struct actor *actor)
{
    note(actor, "puts the data", actor->round);
    device_put_nbi(actor->context, 1 - actor->node, line(actor, actor->run->data[0]),
                   line(actor, actor->run->data[1]), actor->run->spec->bytes);
}

static void put_flag(struct actor *actor)
{
    note(actor, "puts the flag", actor->round);
    device_p(actor->context, 1 - actor->node, line(actor, actor->run->flags), actor->round, 7);
    note(actor, "has put the flag", actor->round);
}

static void wait_for_flag(struct actor *actor)
{
    device_wait_until(actor->context, line(actor, actor->run->flags), COMPARE_EQUAL, actor->round);
    note(actor, "sees the flag", actor->round);
}

static uint64_t load_data(struct actor *actor)
{
    uint64_t word;
    agent_acquire(&actor->context->agent, SCOPE_SYSTEM);
    word = agent_load_word(&actor->context->agent, last_word(actor, actor->run->data[1]));
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
                               (long long)actor->work_group, event->what,
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
    device_wait_until(actor->context, last_word(actor, actor->run->data[1]), COMPARE_EQUAL,
                      actor->round);
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
    device_fence(actor->context);
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
    device_put_signal(actor->context, 1, line(actor, run->data[0]), line(actor, run->data[1]),
                      run->spec->bytes, line(actor, run->flags), actor->round);
}

static void peer_read(struct actor *actor)
{
    const struct litmus_run *run = actor->run;
    if (actor->node == 0) {
        store_data(actor);
        rest(actor);
        put_flag(actor);
        return;
    }
    wait_for_flag(actor);
    note(actor, "gets the data", actor->round);
    device_get(actor->context, 0, line(actor, run->data[1]), line(actor, run->data[0]),
               run->spec->bytes);
    if (load_data(actor) != actor->round)
        forbid(actor, PEER_READ);
}

static void store_buffering(struct actor *actor)
{
    struct litmus_pair *pair = actor->pair;
    store_data(actor);
    rest(actor);
    put_data(actor);
    device_quiet(actor->context);
    note(actor, "has been quiet", actor->round);
    pair->seen[actor->node] = load_data(actor);
    device_barrier_all(actor->context, actor->node, 2);
    if (actor->node == 0 && pair->seen[0] != actor->round && pair->seen[1] != actor->round)
        forbid(actor, STORE_BUFFERING);
}

/* All rounds of all tests, on both nodes; barriers in between, so that a round leaves nothing behind. */
static void program(struct work_group *wg, void *argument)
{
    static void (*const tests[])(struct actor *) = {message_passing, signal_behind, peer_read,
                                                    store_buffering};
    struct litmus_side *side = argument;
    struct litmus_run *run = side->run;
    struct device_context context;
    struct rng rng;
    char path[64];
    device_context_create(&context, run->kernel.services[side->node], wg);
    snprintf(path, sizeof path, "litmus.node%d.%d", (int)side->node, (int)wg->index);
    rng_init(&rng, run->kernel.sim->seed, path);
    struct actor actor = {run, &run->pairs[wg->index], &context, &rng, side->node, wg->index, 0};
    for (size_t test = 0; test < LITMUS_TESTS; test++)
        for (int64_t round = 0; round < run->spec->rounds; round++) {
            device_barrier_all(&context, side->node, 2);
            if (side->node == 0)
                actor.pair->count = 0;
            actor.round++;
            rest(&actor);
            tests[test](&actor);
            device_quiet(&context);
            device_barrier_all(&context, side->node, 2);
        }
}

/* --- running ------------------------------------------------------------------------------------ */

static void report(const struct litmus_run *run, struct workload_result *result)
{
    for (size_t test = 0; test < LITMUS_TESTS; test++)
        workload_add_quantity(result, test_names[test], UNIT_COUNT, run->forbidden[test]);
    workload_add_quantity(result, "rounds", UNIT_COUNT, run->spec->rounds * run->spec->work_groups);
    workload_observe(result, run->kernel.cluster, 1);
}

static bool run_litmus(const struct machine_spec *given, const void *argument, uint64_t seed,
                       struct workload_result *result, GError **error)
{
    const struct litmus_spec *spec = argument;
    int64_t lines = spec->work_groups * CACHE_LINE_BYTES;
    g_autofree struct machine_spec *machine = g_memdup2(given, sizeof *given);
    machine->nic.packet_spread_ps += spec->spread_ps;
    struct intra_kernel_setup setup = {.design = &spec->design,
                                       .seed = seed,
                                       .kernels = 2,
                                       .work_groups = spec->work_groups,
                                       .heap_bytes = 3 * symmetric_size(lines)};
    struct litmus_run run = {.spec = spec};
    if (!intra_kernel_start(&run.kernel, machine, &setup, error))
        return false;
    run.trace = g_string_new(NULL);
    run.pairs = g_new0(struct litmus_pair, (gsize)spec->work_groups);
    for (int i = 0; i < 2; i++)
        run.data[i] = symmetric_allocate(run.kernel.heap, lines, STORE_FINE_GRAINED);
    run.flags = symmetric_allocate(run.kernel.heap, lines, STORE_FINE_GRAINED);
    struct litmus_side sides[] = {{&run, 0}, {&run, 1}};
    struct intra_kernel_launch launch = {.work_groups = spec->work_groups,
                                         .threads = 64,
                                         .is_cooperative = true,
                                         .program = program,
                                         .arguments = (void *[]){&sides[0], &sides[1]}};
    bool good = intra_kernel_run(&run.kernel, &launch, error);
    if (good && run.trace->len > 0 && !spec->goes_on) {
        error_set(error, "%s", run.trace->str);
        good = false;
    }
    if (good)
        report(&run, result);
    g_string_free(run.trace, TRUE);
    g_free(run.pairs);
    intra_kernel_end(&run.kernel);
    return good;
}

const struct workload litmus_workload = {
    .name = "litmus",
    .description =
        "Litmus tests of order: message passing, signals, reads by a peer, store buffering.",
    .params = &litmus_params,
    .accepts = intra_kernel_accepts,
    .run = run_litmus,
};
