/* SPDX-License-Identifier: BSD-3-Clause */
/* What the OSU micro-benchmarks share: where the pairs of ranks stand, and the loop of warm-up and
 * counted iterations, which ends early when they repeat themselves. M-113. */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "workloads/bench/osu_steady.h"
#include "workloads/interface/workload.h"
#include "workloads/transfer/transfer.h"

enum osu_placement { OSU_INTRA_SOCKET, OSU_CROSS_SOCKET, OSU_INTER_NODE };
enum osu_buffers { OSU_DEVICE, OSU_HOST };
enum osu_reply { OSU_SMALL_REPLY, OSU_FULL_REPLY };
extern const char *const osu_placement_names[], *const osu_buffers_names[],
                                                    *const osu_reply_names[];

struct osu_spec {
    struct design design;
    int64_t bytes; /* of a message */
    int64_t placement, buffers;
    int64_t reply;     /* enum osu_reply: what ends a window */
    int64_t window;    /* messages of an iteration; 0: 1 */
    int64_t both_ways; /* flag: both ranks of a pair send a window */
    int64_t pairs;
    int64_t warmup;
    int64_t iterations;  /* 0: 1000 up to 8 KiB, else 100 */
    int64_t peer_server; /* whose cores run the second ranks; NO_SERVER: the design's */
};

/* workload.narrow: what ranks that only send messages do not come to between two such places. */
void osu_narrow(const struct machine_spec *machine, const void *argument, struct param_use *may);

/* One party at work; the other of its pair. */
struct osu_rank {
    struct osu_pair *pair;
    struct osu_rank *partner;
    struct party *party; /* while it runs */
    int64_t place;
    bool is_first;                        /* the one that starts and keeps the time */
    struct transfer_buffer send, receive; /* of spec.bytes; messages of a window share them */
    struct transfer_buffer reply;         /* what ends a window */
    struct message *messages;             /* 2 * window */
};

/* Messages and replies go by channels of their own. */
enum { OSU_CHANNEL, OSU_REPLY_CHANNEL };
#define OSU_REPLY_BYTES 4

/* Of the reply that ends a window. */
int64_t osu_reply_bytes(const struct osu_spec *spec);

/* How long the iterations that count took. */
struct osu_times {
    const int64_t *pair_ps;  /* of each pair, all of them */
    struct stat_units units; /* of each pair, divided by the test's messages: the time of one */
};

/* A benchmark. */
struct osu_test {
    /* What a party does in one iteration. */
    void (*iterate)(const struct osu_spec *spec, struct osu_rank *rank);

    /* How many messages of a pair the time of an iteration is that of, one after the other. */
    int64_t messages;

    /* Adds the benchmark's own measures; `messages` are those of each pair's iterations. */
    void (*report)(const struct osu_spec *spec, const struct osu_times *times, int64_t messages,
                   struct workload_result *result);
};

/* Places the parties of `spec`'s pairs: first ones, then their partners. False and one sentence if
 * the machine has no room for them. `places` has 2 * spec->pairs. */
bool osu_place(const struct osu_spec *spec, const struct machine_spec *machine,
               struct job_place *places, GError **error);

/* Iterations that count. */
int64_t osu_iterations(const struct osu_spec *spec);

/* Runs a test on a machine: struct workload's `run`, whose argument is a struct osu_spec. */
bool osu_run(const struct osu_test *test, const struct machine_spec *machine, const void *argument,
             uint64_t seed, struct workload_result *result, GError **error);
