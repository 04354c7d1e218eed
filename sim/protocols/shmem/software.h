/* SPDX-License-Identifier: BSD-3-Clause */
/* The network software: how its queues are set up, and what its steps cost in instructions wherever it
 * runs: the same counts on a CPU core and on a command processor, so that only the cores differ
 * (ComPNet18 section 4.2.1, 5.1, 5.1.1; M-082). */
#pragma once

#include "core/param.h"
#include "core/param_use.h"
#include "models/node.h"

enum phases { PHASES_DRAWN, PHASES_FIXED };

/* Component "software" of a machine file. */
#define SOFTWARE_ROWS(ROW)                                                                         \
    ROW(COUNT, queue_entries, "64", "1", "65536", "Entries of a work-group's queue.")              \
    ROW(TIME, runtime_call, "6us", "1us", "1ms",                                                   \
        "Fixed time of a copy call of the GPU's runtime, without the bytes.")                      \
    ROW(FLAG, exact, "false",                                                                      \
        "Simulate also polls that cannot find anything new, and iterations that repeat "           \
        "earlier ones exactly, instead of counting them: the results are the same, and the "       \
        "run is slower.")                                                                          \
    ROW(ENUM, phases, "drawn", CHOICES("drawn", "fixed"),                                          \
        "Phases of polling loops: drawn at random by the seed once for each wait, so that "        \
        "results are means with a spread; or fixed, each loop counting from the step before "      \
        "it.")                                                                                     \
    ROW(COUNT, post_instructions, "12", "0", "1000000",                                            \
        "Instructions of a wavefront that fill a queue entry.")                                    \
    ROW(COUNT, divergence_instructions, "0", "0", "1000000",                                       \
        "Additional instructions for each operation, if the lanes of a wavefront have found "      \
        "several at once and serve them in sequence.")                                             \
    ROW(COUNT, trigger_instructions, "8", "0", "1000000",                                          \
        "Instructions of a wavefront that fires a trigger: address, value, store.")                \
    ROW(COUNT, wait_instructions, "4", "0", "1000000",                                             \
        "Instructions of a wavefront around one poll of a status word.")                           \
    ROW(COUNT, poll_instructions, "12", "1", "1000000",                                            \
        "Instructions of a service thread around one poll of a queue.")                            \
    ROW(COUNT, dispatch_instructions, "40", "0", "1000000",                                        \
        "Instructions from a queue entry to the call into the SHMEM library.")                     \
    ROW(COUNT, gpu_dispatch_instructions, "40", "0", "1000000",                                    \
        "Instructions from a queue entry to the call into the SHMEM library, if a thread or "      \
        "warp of a GPU serves.")                                                                   \
    ROW(COUNT, library_instructions, "200", "0", "1000000",                                        \
        "Instructions of the library's put or get, from its arguments to the doorbell.")           \
    ROW(COUNT, command_instructions, "200", "0", "1000000",                                        \
        "Instructions of a server for a command beyond a call's first, such as the signal "        \
        "after a put, or for an answer to another server's message.")                              \
    ROW(COUNT, complete_instructions, "40", "0", "1000000",                                        \
        "Instructions to take one entry from the completion queue, or to read a counter of "       \
        "completions.")                                                                            \
    ROW(COUNT, mark_instructions, "10", "0", "1000000",                                            \
        "Instructions that mark one queue entry complete.")                                        \
    ROW(COUNT, pack_instructions, "20", "0", "1000000",                                            \
        "Instructions that pack a put into an aggregated message, or take it out, without its "    \
        "bytes.")
struct software_spec {
    SOFTWARE_ROWS(PARAM_FIELD)
};
extern const struct param_table software_params;

/* The software of a run, whose values are noted as they are read. */
struct software {
    const struct software_spec *spec;
    uint64_t *used;
};
#define SOFTWARE_READ(software, field) PARAM_READ((software).used, (software).spec, field)

/* The software of a machine, for pollers in `sim`, which draws the phases of their loops unless they are fixed. */
struct software software_of(const struct machine_spec *machine, struct sim *sim);

/* Whether everything is simulated, even iterations that repeat exactly: workloads ask before they count such iterations instead. */
bool software_is_exact(const struct machine_spec *machine, struct sim *sim);
