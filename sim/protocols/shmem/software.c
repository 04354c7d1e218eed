/* SPDX-License-Identifier: BSD-3-Clause */
#include "protocols/shmem/software.h"

PARAM_TABLE_OF(software_params, "software", struct software_spec, SOFTWARE_ROWS,
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
