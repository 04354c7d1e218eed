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
#include "script/workload/scripted.h"
#include "workloads/transfer/transfer.h"
#include <glib.h>

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

SCRIPTED_WORKLOAD(litmus, .accepts = transfer_accepts_kernel);
