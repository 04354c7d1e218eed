/* SPDX-License-Identifier: BSD-3-Clause */
#include "protocols/shmem/software.h"

static const char *const phases_names[] = {"drawn", "fixed", NULL};

#define SPEC struct software_spec
static const struct param params[] = {
    PARAM_COUNT(queue_entries, SPEC, "64", "1", "65536", "Entries of a work-group's queue."),
    PARAM_TIME(runtime_call, SPEC, "6us", "1us", "1ms",
               "Fixed time of a copy call of the GPU's runtime, without the bytes."),
    PARAM_FLAG(exact, SPEC, "false",
               "Simulate also polls that cannot find anything new, and iterations that repeat "
               "earlier ones exactly, instead of counting them: the results are the same, and the "
               "run is slower."),
    PARAM_ENUM(
        phases, SPEC, "drawn", phases_names,
        "Phases of polling loops: drawn at random by the seed once for each wait, so that results are means with a spread; or fixed, each loop counting from the step before it."),
    PARAM_COUNT(post_instructions, SPEC, "12", "0", "1000000",
                "Instructions of a wavefront that fill a queue entry."),
    PARAM_COUNT(
        divergence_instructions, SPEC, "0", "0", "1000000",
        "Additional instructions for each operation, if the lanes of a wavefront have found several at once and serve them in sequence."),
    PARAM_COUNT(trigger_instructions, SPEC, "8", "0", "1000000",
                "Instructions of a wavefront that fires a trigger: address, value, store."),
    PARAM_COUNT(wait_instructions, SPEC, "4", "0", "1000000",
                "Instructions of a wavefront around one poll of a status word."),
    PARAM_COUNT(poll_instructions, SPEC, "12", "1", "1000000",
                "Instructions of a service thread around one poll of a queue."),
    PARAM_COUNT(dispatch_instructions, SPEC, "40", "0", "1000000",
                "Instructions from a queue entry to the call into the SHMEM library."),
    PARAM_COUNT(
        gpu_dispatch_instructions, SPEC, "40", "0", "1000000",
        "Instructions from a queue entry to the call into the SHMEM library, if a thread or warp of a GPU serves."),
    PARAM_COUNT(library_instructions, SPEC, "200", "0", "1000000",
                "Instructions of the library's put or get, from its arguments to the doorbell."),
    PARAM_COUNT(
        command_instructions, SPEC, "200", "0", "1000000",
        "Instructions of a server for a command beyond a call's first, such as the signal after a put, or for an answer to another server's message."),
    PARAM_COUNT(
        complete_instructions, SPEC, "40", "0", "1000000",
        "Instructions to take one entry from the completion queue, or to read a counter of completions."),
    PARAM_COUNT(mark_instructions, SPEC, "10", "0", "1000000",
                "Instructions that mark one queue entry complete."),
    PARAM_COUNT(
        pack_instructions, SPEC, "20", "0", "1000000",
        "Instructions that pack a put into an aggregated message, or take it out, without its "
        "bytes."),
};
#undef SPEC
PARAM_TABLE(software_params, "software", struct software_spec, params,
            "The network software: its queues, and the instructions of each of its steps.");

struct software software_of(const struct machine_spec *machine, struct sim *sim)
{
    struct software software = {machine_part(machine, &software_params),
                                param_use_of(&sim->uses, &software_params)};
    if (SOFTWARE_READ(software, phases) == PHASES_DRAWN)
        process_system_draw_phases(sim->processes,
                                   rng_seed_of_run(sim->seed, machine->independent_run));
    return software;
}

bool software_is_exact(const struct machine_spec *machine, struct sim *sim)
{
    const struct software software = {machine_part(machine, &software_params),
                                      param_use_of(&sim->uses, &software_params)};
    return SOFTWARE_READ(software, exact);
}
