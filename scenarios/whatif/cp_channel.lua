-- SPDX-License-Identifier: BSD-3-Clause
-- What if the PE of a Charm++ rank ran on a command processor of its GPU instead of on a CPU core? The Channel API of
-- ParCo22 between two nodes of Summit: by the host, and by command processors of 1 to 8 GHz, whose power grows with the
-- square of their clock, as in cp_design.lua. docs/learn/whatif.md reads the figures.

local summit = require "configs.summit"

-- A small core as in configs/gcn3_node.lua: 1 W at 2 GHz. Summit's GPUs have none that runs a user's program.
local function command_processor(GHz)
  local power_W = (GHz / 2) ^ 2
  return {
    clock = GHz .. "GHz",
    loads_in_flight = estimated(4, 1, 8, "miss registers of a small core's data cache"),
    active_power = power_W .. "W", polling_power = 0.8 * power_W .. "W", stalled_power = 0.6 * power_W .. "W",
  }
end

local clocks_GHz = { ["CP at 1 GHz"] = 1, ["CP at 2 GHz"] = 2, ["CP at 4 GHz"] = 4, ["CP at 8 GHz"] = 8 }

return study {
  title = "The Channel API by CPU cores and by command processors",
  machine = function(p)
    local GHz = clocks_GHz[p.core]
    return GHz and summit { nodes = 2, cp = command_processor(GHz) } or summit { nodes = 2 }
  end,
  vary = {
    { "core", { "host", "CP at 1 GHz", "CP at 2 GHz", "CP at 4 GHz", "CP at 8 GHz" } },
    { "bytes", pow2("8B", "4MiB") },
  },
  run = function(p)
    local r = osu_latency {
      design = p.core == "host" and "charm-channel" or "cp-channel", bytes = p.bytes, placement = "inter-node",
    }
    return { latency = r.latency, energy = r.rank_energy, active = r.energy_active, polling = r.energy_polling,
             stalled = r.energy_stalled }
  end,
  plot = {
    { x = "bytes", y = "latency_us", by = "core", style = "loglog", x_label = "Payload", y_label = "Latency",
      title = "Channel API between two nodes of Summit" },
    { x = "bytes", y = "energy_uJ", by = "core", style = "loglog", x_label = "Payload",
      y_label = "Energy of both cores for a message", title = "Energy of the cores that serve it" },
  },
}
