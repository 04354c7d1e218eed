/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/agent_state.h"

#include <glib.h>

#include "core/param_use.h"

const char *const agent_state_names[AGENT_STATES] = {"active", "polling", "stalled", "idle"};

void agent_state_note_power(struct param_use *use, const struct param_table *table,
                            enum agent_state state)
{
    g_autofree char *name = g_strconcat(agent_state_names[state], "_power", NULL);
    param_uses_only(use, table, name, NULL);
}

#define CORE struct core_spec
static const struct param rows[] = {
    PARAM_FREQUENCY(clock, CORE, NULL, "1MHz", "10GHz", "Clock of a core."),
    PARAM_NUMBER(instructions_per_cycle, CORE, NULL, "0.01", "16",
                 "Instructions per cycle that a core sustains on the network software."),
    PARAM_COUNT(loads_in_flight, CORE, "1", "1", "16",
                "Independent loads that a core keeps in flight: its miss registers or fill "
                "buffers."),
    PARAM_POWER(active_power, CORE, NULL, "1mW", "1kW", "Power of a core that executes."),
    PARAM_POWER(stalled_power, CORE, NULL, "0mW", "1kW",
                "Power of a core that waits for memory or the bus."),
    PARAM_POWER(polling_power, CORE, NULL, "0mW", "1kW",
                "Power of a core that polls, without its waits."),
    PARAM_POWER(idle_power, CORE, NULL, "0mW", "1kW",
                "Power of a core that has nothing to run: its clock is stopped."),
};
#undef CORE
static PARAM_TABLE(core_table, "core", struct core_spec, rows, "A core.");
const struct param_record core_rows = {.table = &core_table};

void core_power_by_state(const struct core_spec *core, int64_t power_mW[AGENT_STATES])
{
    power_mW[AGENT_ACTIVE] = core->active_power_mW;
    power_mW[AGENT_POLLING] = core->polling_power_mW;
    power_mW[AGENT_STALLED] = core->stalled_power_mW;
    power_mW[AGENT_IDLE] = core->idle_power_mW;
}
