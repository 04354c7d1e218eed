/* SPDX-License-Identifier: BSD-3-Clause */
/* Flags between a GPU thread and a host thread, or between threads of two GPUs: one writes its flag, the other sees it and
 * answers with its own. The other may be a stream whose operations on memory the GPU's front end carries out: it waits for
 * the flag, looking at it now and then, and writes the answer. */
#include "script/workload/scripted.h"

static const char *const partner_names[] = {"host", "peer", "stream", NULL};
static const char *const place_names[] = {"host", "gpu", NULL};
static const char *const polled_names[] = {"local", "remote", NULL};

#define MOST_PAIRS 32

struct flag_round_trip_spec {
    int64_t partner, polled, place, pairs, rounds;
    int64_t ordered; /* flag */
    sim_time delay_ps;
};

#define SPEC struct flag_round_trip_spec
static const struct param params[] = {
    PARAM_ENUM(
        partner, SPEC, "host", partner_names,
        "A thread on a CPU core, with flags in host memory; one of another GPU; or a stream, "
        "whose operations on memory the GPU's front end carries out."),
    PARAM_ENUM(place, SPEC, "gpu", place_names, "The memory in which flags of a stream lie."),
    PARAM_TIME(delay, SPEC, "0ns", "0ns", "1s",
               "Pause between an answer and the next flag, which is not counted."),
    PARAM_ENUM(polled, SPEC, "local", polled_names,
               "Between GPUs: each polls a flag in its own memory and writes the other's, or the "
               "other way round."),
    PARAM_COUNT(pairs, SPEC, "1", "1", G_STRINGIFY(MOST_PAIRS),
                "Pairs of threads that exchange flags at the same time."),
    PARAM_FLAG(ordered, SPEC, "true",
               "GPU threads write their flags after a fence (release), or without one "
               "(relaxed)."),
    PARAM_COUNT(rounds, SPEC, "20", "1", "100000", "Round trips of each pair."),
};
#undef SPEC
static PARAM_TABLE(
    flag_round_trip_params, "flag_round_trip", struct flag_round_trip_spec, params,
    "Round trip of a flag between a GPU thread and a host thread or another GPU's. It takes one look of the thread that began, or two "
    "if the first look comes before the answer: a faster link may let more looks come too early, and then the mean rises.");

static const struct workload_rule rules[] = {
    {"place", "partner", "|stream|"},
    {"polled", "partner", "|peer|"},
    {NULL, NULL, NULL},
};

SCRIPTED_WORKLOAD(flag_round_trip, .rules = rules);
