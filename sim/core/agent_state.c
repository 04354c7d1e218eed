/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/agent_state.h"

const char *const agent_state_names[AGENT_STATES] = {"active", "polling", "stalled", "idle",
                                                     "sleep"};

#define POWER struct core_power
static const struct param rows[] = {
    PARAM_POWER(active_power, POWER, NULL, "1mW", "1kW", "Power of a core that executes."),
    PARAM_POWER(stalled_power, POWER, NULL, "0mW", "1kW",
                "Power of a core that waits for memory or the bus."),
    PARAM_POWER(polling_power, POWER, NULL, "0mW", "1kW",
                "Power of a core that polls, without its waits."),
    PARAM_POWER(idle_power, POWER, NULL, "0mW", "1kW",
                "Power of a core that has nothing to run: its clock is stopped."),
    PARAM_POWER(sleep_power, POWER, NULL, "0mW", "1kW",
                "Power of a core whose supply is switched off."),
};
#undef POWER
static PARAM_TABLE(core_power_table, "core_power", struct core_power, rows, "The power of a core.");
const struct param_record core_power_rows = {.table = &core_power_table};

void core_power_by_state(const struct core_power *power, int64_t power_mW[AGENT_STATES])
{
    power_mW[AGENT_ACTIVE] = power->active_power_mW;
    power_mW[AGENT_POLLING] = power->polling_power_mW;
    power_mW[AGENT_STALLED] = power->stalled_power_mW;
    power_mW[AGENT_IDLE] = power->idle_power_mW;
    power_mW[AGENT_SLEEP] = power->sleep_power_mW;
}
