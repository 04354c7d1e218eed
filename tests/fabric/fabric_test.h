/* SPDX-License-Identifier: BSD-3-Clause */
/* What the tests of the fabric share: SimGrid allows one platform a process, so each test runs in a
 * process of its own; and lists of transfers that are run and timed. */
#pragma once

#include <glib.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/sim.h"
#include "fabric/platform.h"
#include "fabric/transport_kind.h"

#define GBps INT64_C(1000000000)

/* Runs `body` in a child; the test fails if the child does. */
static inline void run_in_child(gconstpointer body)
{
    platform_share_simgrid();
    fflush(NULL);
    pid_t child = fork();
    g_assert_cmpint(child, >=, 0);
    if (child == 0) {
        ((void (*)(void))(uintptr_t)body)();
        fflush(NULL);
        exit(0);
    }
    int status;
    g_assert_cmpint(waitpid(child, &status, 0), ==, child);
    g_assert_true(WIFEXITED(status));
    g_assert_cmpint(WEXITSTATUS(status), ==, 0);
}

static inline void add_test(const char *path, void (*body)(void))
{
    g_test_add_data_func(path, (gconstpointer)(uintptr_t)body, run_in_child);
}

/* Memory that a child and its parent share. */
static inline void *shared_memory(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    g_assert_true(memory != MAP_FAILED);
    return memory;
}

static inline struct platform *get_platform(const struct platform_spec *spec)
{
    GError *error = NULL;
    struct platform *platform = platform_get(spec, &error);
    g_assert_no_error(error);
    g_assert_nonnull(platform);
    return platform;
}

/* A transfer to be made: the first four are given, the last two found. */
struct trip {
    int from, to;
    int64_t bytes;
    sim_time start_ps;
    sim_time end_ps;
    int place; /* 0 for the first to end, and so on */
};

/* The gateways by which it goes. */
struct rails {
    int from, to;
};

struct trip_at_work {
    struct sim *sim;
    struct transport *transport;
    struct trip *trip;
    int *places;
    const struct rails *rails; /* NULL for the default */
};

static inline void trip_ended(void *argument)
{
    struct trip_at_work *work = argument;
    g_assert_cmpint(work->trip->end_ps, ==, -1);
    work->trip->end_ps = sim_now(work->sim);
    work->trip->place = (*work->places)++;
}

static inline void trip_starts(void *argument)
{
    struct trip_at_work *work = argument;
    const struct trip *trip = work->trip;
    if (work->rails)
        transport_send_via(work->transport, trip->from, work->rails->from, work->rails->to,
                           trip->to, trip->bytes,
                           &(struct transport_calls){.done = trip_ended, .argument = work});
    else
        transport_send_via(work->transport, trip->from, -1, -1, trip->to, trip->bytes,
                           &(struct transport_calls){.done = trip_ended, .argument = work});
}

/* Makes the trips, by rails of their own or the default (NULL), and notes when they end; all bytes
 * arrive. */
static inline void run_trips_by(struct platform *platform, const struct transport_spec *spec,
                                const struct rails *rails, struct trip *trips, size_t count)
{
    struct sim *sim = sim_new(1);
    struct transport *transport = transport_new(sim, platform, spec);
    struct trip_at_work *work = g_new(struct trip_at_work, count);
    int64_t bytes = 0;
    int places = 0;
    for (size_t i = 0; i < count; i++) {
        work[i] =
            (struct trip_at_work){sim, transport, &trips[i], &places, rails ? &rails[i] : NULL};
        trips[i].end_ps = -1;
        bytes += trips[i].bytes;
        event_schedule(sim->events, trips[i].start_ps, trip_starts, &work[i]);
    }
    g_assert_cmpint(sim_run(sim), ==, SIM_FINISHED);
    for (size_t i = 0; i < count; i++)
        g_assert_cmpint(trips[i].end_ps, >=, trips[i].start_ps);
    g_assert_cmpint(transport->bytes_sent, ==, bytes);
    g_assert_cmpint(transport->bytes_arrived, ==, bytes);
    g_free(work);
    transport_free(transport);
    sim_free(sim);
}

static inline void run_trips(struct platform *platform, const struct transport_spec *spec,
                             struct trip *trips, size_t count)
{
    run_trips_by(platform, spec, NULL, trips, count);
}

static const struct transport_spec by_flow = {.kind = TRANSPORT_FLOW, .segment_bytes = 4096};
/* Segments that do not grow, unless a test is about that. */
#define NO_MOST_SEGMENTS 1000000000
static const struct transport_spec by_segment = {
    .kind = TRANSPORT_SEGMENT, .segment_bytes = 4096, .segments = NO_MOST_SEGMENTS};

static inline void assert_within(int64_t found, int64_t expected, int64_t tolerance)
{
    g_assert_cmpint(found, >=, expected - tolerance);
    g_assert_cmpint(found, <=, expected + tolerance);
}
