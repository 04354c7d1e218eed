/* SPDX-License-Identifier: BSD-3-Clause */
/* What the OSU micro-benchmarks share: the placement of the pairs of ranks, and the loop of warm-up and counted iterations, which
 * ends early once iterations repeat. M-113. */
#pragma once

#include "workloads/bench/osu_steady.h"
#include "workloads/interface/workload.h"
#include "workloads/transfer/transfer.h"

enum osu_placement { OSU_INTRA_SOCKET, OSU_CROSS_SOCKET, OSU_INTER_NODE };
enum osu_buffers { OSU_DEVICE, OSU_HOST };
enum osu_reply { OSU_SMALL_REPLY, OSU_FULL_REPLY };
extern const char *const osu_placement_names[];

struct osu_spec {
    struct design design;
    int64_t bytes; /* of a message */
    int64_t placement, buffers;
    int64_t reply;     /* enum osu_reply: what ends a window */
    int64_t window;    /* messages of an iteration; 0: 1 */
    int64_t both_ways; /* flag: both ranks of a pair send a window */
    int64_t pairs;
    int64_t warmup;
    int64_t iterations; /* 0: 1000 for messages of up to 8 KiB, else 100 */
    /* server whose cores run the second ranks; NO_SERVER: the design's server */
    int64_t peer_server;
};

/* One party while it runs, with the other party of its pair. */
struct osu_rank {
    struct osu_pair *pair;
    struct osu_rank *partner;
    struct party *party; /* while it runs */
    int64_t place;
    bool is_first; /* the party that starts and takes the time */
    /* buffers of spec.bytes, shared by the messages of a window */
    struct transfer_buffer send, receive;
    struct transfer_buffer reply; /* what ends a window */
    struct message *messages;     /* 2 * window */
};

/* Messages and replies have separate channels. */
enum { OSU_CHANNEL, OSU_REPLY_CHANNEL };
#define OSU_REPLY_BYTES 4

/* The size of the reply that ends a window. */
int64_t osu_reply_bytes(const struct osu_spec *spec);

/* The times of the counted iterations. */
struct osu_times {
    const int64_t *pair_ps; /* each pair's time for all iterations */
    /* each pair's iterations, divided by the test's `messages`: the time of one message */
    struct stat_units units;
};

/* A benchmark of the suite. */
struct osu_test {
    /* What a party does in one iteration. */
    void (*iterate)(const struct osu_spec *spec, struct osu_rank *rank);

    /* How many messages of a pair follow one another in an iteration. */
    int64_t messages;

    /* Adds the benchmark's own measures; `messages` is how many messages each pair sent in its iterations. */
    void (*report)(const struct osu_spec *spec, const struct osu_times *times, int64_t messages,
                   struct workload_result *result);
};

/* Places the parties of `spec`'s pairs, all first parties, then their partners: pairs fill a socket (or two sockets, or two nodes)
 * before the next. False and one sentence if the machine has no room for them. `places` has 2 * spec->pairs entries. */
bool osu_place(const struct osu_spec *spec, const struct machine_spec *machine,
               struct job_place *places, GError **error);

/* The number of counted iterations. */
int64_t osu_iterations(const struct osu_spec *spec);

/* Runs a test on a machine: struct workload's `run`, whose argument is a struct osu_spec. */
bool osu_run(const struct osu_test *test, const struct machine_spec *machine, const void *argument,
             uint64_t seed, struct workload_result *result, GError **error);
