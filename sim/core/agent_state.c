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

#define SPEC struct core_spec
static const struct param rows[] = {CORE_ROWS(PARAM_ENTRY)};
#undef SPEC
static PARAM_TABLE(core_table, "core", struct core_spec, rows, "A core.");
const struct param_record core_rows = {.table = &core_table};

void core_power_by_state(const struct core_spec *core, int64_t power_mW[AGENT_STATES])
{
    power_mW[AGENT_ACTIVE] = core->active_power_mW;
    power_mW[AGENT_POLLING] = core->polling_power_mW;
    power_mW[AGENT_STALLED] = core->stalled_power_mW;
    power_mW[AGENT_IDLE] = core->idle_power_mW;
}
