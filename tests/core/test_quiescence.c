/* SPDX-License-Identifier: BSD-3-Clause */
/* Quiescence among pollers is found when nothing can change any more, and only then. Random programs run twice, without the
 * search up to a limit of events, and with it. Programs that end by themselves must end at the same picosecond with the
 * search; it must find all others. */
#include <glib.h>

#include "../run_until.h"
#include "../sanitized.h"
#include "core/rng.h"
#include "core/sim.h"
#include "core/wait.h"

#define FLAGS 6
#define EVENT_LIMIT 20000

struct world {
    struct sim *sim;
    int64_t flags[FLAGS];
    struct signal changed; /* for sleepers */
    int64_t pollers;       /* that still have something to find */
};

/* --- a poller of one flag ---------------------------------------------------------------------- */

struct watching {
    struct world *world;
    int flag; /* it waits until it is `value`, */
    int64_t value;
    sim_time step_ps; /* looks every so often, */
    bool may_sleep;   /* or sleeps until something changes, */
    int then;         /* and then adds 1 to this one after `delay_ps`, -1: to none */
    sim_time delay_ps;
};

static void write_flag(struct world *world, int flag)
{
    world->flags[flag]++;
    signal_all(&world->changed);
}

/* As poll_wait.c: a sleeper found nothing since the last change, and looks anew when woken. */
static void sleep_until_change(struct watching *watching, struct process *self,
                               struct poller *poller)
{
    poller_sleeps(poller);
    signal_wait(&watching->world->changed, self, "a flag");
    poller_wakes(poller);
}

static void poll(struct process *self, void *argument)
{
    struct watching *watching = argument;
    struct world *world = watching->world;
    struct poller poller = {.of = &world->sim->quiescence};
    while (true) {
        poller_begins(&poller);
        process_sleep(self, watching->step_ps);
        if (world->flags[watching->flag] >= watching->value)
            break;
        poller_found_nothing(&poller);
        if (watching->may_sleep)
            sleep_until_change(watching, self, &poller);
    }
    poller_leaves(&poller);
    if (watching->then >= 0) {
        process_sleep(self, watching->delay_ps);
        write_flag(world, watching->then);
    }
    world->pollers--;
}

/* --- a server that polls for as long as there are pollers --------------------------------------- */

struct server {
    struct world *world;
    int flag, then; /* answers each increment of one with one of the other */
    sim_time step_ps, delay_ps;
};

static void serve(struct process *self, void *argument)
{
    struct server *server = argument;
    struct world *world = server->world;
    struct poller poller = {.of = &world->sim->quiescence};
    int64_t seen = 0;
    while (world->pollers > 0) {
        poller_begins(&poller);
        process_sleep(self, server->step_ps);
        if (world->flags[server->flag] > seen) {
            poller_leaves(&poller);
            seen++;
            process_sleep(self, server->delay_ps);
            write_flag(world, server->then);
        } else {
            poller_found_nothing(&poller);
        }
    }
    poller_leaves(&poller);
}

/* --- random worlds ----------------------------------------------------------------------------- */

#define ROUNDS (IS_SANITIZED ? 150 : 4000)

#define MOST_POLLERS 8
#define MOST_SERVERS 3
#define MOST_WRITES 12

struct plan {
    int pollers, servers, writes;
    struct watching watching[MOST_POLLERS];
    struct server server[MOST_SERVERS];
    struct {
        int flag;
        sim_time at_ps;
    } write[MOST_WRITES]; /* like messages on their way: events of nobody's */
};

static int draw(struct rng *rng, int below)
{
    return (int)rng_below(rng, (uint64_t)below);
}

static void draw_plan(struct plan *plan, struct rng *rng)
{
    plan->pollers = 1 + draw(rng, MOST_POLLERS);
    plan->servers = draw(rng, MOST_SERVERS + 1);
    plan->writes = draw(rng, MOST_WRITES + 1);
    for (int i = 0; i < plan->pollers; i++)
        plan->watching[i] = (struct watching){.flag = draw(rng, FLAGS),
                                              .value = 1 + draw(rng, 2),
                                              .step_ps = 1 + draw(rng, 7),
                                              .may_sleep = draw(rng, 2),
                                              .then = draw(rng, FLAGS + 1) - 1,
                                              .delay_ps = draw(rng, 40)};
    for (int i = 0; i < plan->servers; i++)
        plan->server[i] = (struct server){.flag = draw(rng, FLAGS),
                                          .then = draw(rng, FLAGS),
                                          .step_ps = 1 + draw(rng, 9),
                                          .delay_ps = draw(rng, 30)};
    for (int i = 0; i < plan->writes; i++) {
        plan->write[i].flag = draw(rng, FLAGS);
        plan->write[i].at_ps = draw(rng, 300);
    }
}

struct written {
    struct world *world;
    int flag;
};

static void message_arrives(void *argument)
{
    struct written *written = argument;
    write_flag(written->world, written->flag);
}

static void set_up(struct world *world, struct plan *plan, struct written *written)
{
    *world = (struct world){.sim = sim_new(1), .pollers = plan->pollers};
    signal_init(&world->changed);
    for (int i = 0; i < plan->pollers; i++) {
        plan->watching[i].world = world;
        process_spawn(world->sim->processes, "poller", poll, &plan->watching[i], 0, 0);
    }
    for (int i = 0; i < plan->servers; i++) {
        plan->server[i].world = world;
        process_spawn(world->sim->processes, "server", serve, &plan->server[i], 0, 0);
    }
    for (int i = 0; i < plan->writes; i++) {
        written[i] = (struct written){world, plan->write[i].flag};
        event_schedule(world->sim->events, plan->write[i].at_ps, message_arrives, &written[i]);
    }
}

struct outcome {
    bool has_ended;
    sim_time end_ps;
    uint64_t events;
};

/* Without the search: true if it ends by itself. A feedback among servers may go on for ever with
 * something to do; such a plan says nothing. */
static struct outcome run_without(struct plan *plan, bool *is_busy)
{
    struct world world;
    struct written written[MOST_WRITES];
    struct outcome outcome = {0};
    set_up(&world, plan, written);
    world.sim->quiescence.is_ignored = true;
    int64_t sum = 0, later = 0;
    for (int i = 0; i < EVENT_LIMIT && event_run_one(world.sim->events); i++)
        if (i == EVENT_LIMIT / 2)
            for (int flag = 0; flag < FLAGS; flag++)
                sum += world.flags[flag];
    for (int flag = 0; flag < FLAGS; flag++)
        later += world.flags[flag];
    outcome.has_ended = process_alive(world.sim->processes) == 0;
    *is_busy = event_pending(world.sim->events) > 0 && later != sum;
    outcome.end_ps = sim_now(world.sim);
    outcome.events = event_executed(world.sim->events);
    sim_free(world.sim);
    return outcome;
}

static struct outcome run_with(struct plan *plan)
{
    struct world world;
    struct written written[MOST_WRITES];
    set_up(&world, plan, written);
    enum sim_end end = sim_run(world.sim);
    struct outcome outcome = {end == SIM_FINISHED, sim_now(world.sim),
                              event_executed(world.sim->events)};
    sim_free(world.sim);
    return outcome;
}

static void test_random(void)
{
    struct rng rng;
    rng_init(&rng, 5, "quiescence");
    int ended = 0, found = 0;
    for (int round = 0; round < ROUNDS; round++) {
        struct plan plan;
        bool is_busy;
        draw_plan(&plan, &rng);
        struct outcome without = run_without(&plan, &is_busy);
        if (is_busy)
            continue;
        struct outcome with = run_with(&plan);
        g_assert_cmpint(with.has_ended, ==, without.has_ended);
        if (with.has_ended) {
            g_assert_cmpint(with.end_ps, ==, without.end_ps);
            g_assert_cmpuint(with.events, ==, without.events);
        }
        *(with.has_ended ? &ended : &found) += 1;
    }
    g_test_message("%d ended, %d were found to stand still", ended, found);
    g_assert_cmpint(ended, >, ROUNDS / 10);
    g_assert_cmpint(found, >, ROUNDS / 10);
}

/* One poller, nobody else: found at the end of its second look, since the first one began before anybody
 * could know. */
static void test_alone(void)
{
    struct world world = {.sim = sim_new(1), .pollers = 1};
    struct watching watching = {.world = &world, .value = 1, .step_ps = 10, .then = -1};
    signal_init(&world.changed);
    process_spawn(world.sim->processes, "poller", poll, &watching, 0, 0);
    g_assert_cmpint(sim_run(world.sim), ==, SIM_DEADLOCK);
    g_assert_cmpint(sim_now(world.sim), ==, 2 * watching.step_ps);
    char *report = sim_deadlock_report(world.sim, 4);
    g_assert_nonnull(strstr(report, "poller"));
    g_free(report);
    sim_free(world.sim);
}

/* A message that arrives long after: as long as it is on its way the poller goes on. */
static void test_late_message(void)
{
    struct world world = {.sim = sim_new(1), .pollers = 1};
    struct watching watching = {.world = &world, .value = 1, .step_ps = 10, .then = -1};
    struct written written = {&world, 0};
    signal_init(&world.changed);
    process_spawn(world.sim->processes, "poller", poll, &watching, 0, 0);
    event_schedule(world.sim->events, 100003, message_arrives, &written);
    g_assert_cmpint(sim_run(world.sim), ==, SIM_FINISHED);
    g_assert_cmpint(sim_now(world.sim), ==, 100010);
    sim_free(world.sim);
}

/* Who is held back by another one, without an event, keeps the search from counting. */
static void test_held(void)
{
    struct world world = {.sim = sim_new(1), .pollers = 1};
    struct watching watching = {.world = &world, .value = 1, .step_ps = 10, .then = -1};
    signal_init(&world.changed);
    process_spawn(world.sim->processes, "poller", poll, &watching, 0, 0);
    world.sim->quiescence.held = 1;
    run_until(world.sim->events, 1000);
    g_assert_false(world.sim->quiescence.is_found);
    world.sim->quiescence.held = 0;
    g_assert_cmpint(sim_run(world.sim), ==, SIM_DEADLOCK);
    sim_free(world.sim);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/quiescence/alone", test_alone);
    g_test_add_func("/quiescence/late-message", test_late_message);
    g_test_add_func("/quiescence/held", test_held);
    g_test_add_func("/quiescence/random", test_random);
    return g_test_run();
}
