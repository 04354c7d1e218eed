-- SPDX-License-Identifier: BSD-3-Clause
-- What if the command processor were built otherwise? Cores, their clock, locking of queue lines in the L2
-- and the depth of a work-group's queue, under light and heavy load: which of these designs are worth
-- their energy? docs/learn/whatif.md reads the figures.
--
-- Energy of a core grows with its clock: the power at 2 GHz, scaled by the square of the clock, as between
-- linear (frequency alone) and cubic (with the voltage that it needs).

local node = require "configs.gcn3_node"

local operations = 10

local clocks = {
  ["1GHz"] = { active = "250mW", stalled = "150mW" },
  ["2GHz"] = { active = "1W", stalled = "600mW" },
  ["3GHz"] = { active = "2250mW", stalled = "1350mW" },
}

return study {
  title = "Command processor designs: latency against energy",
  machine = function(p)
    local power = clocks[p.clock]
    return node {
      nodes = 2,
      cp = { cores = p.cores, clock = p.clock, active_power = power.active, stalled_power = power.stalled },
      gpu = { l2_locking = p.locking },
      software = { queue_entries = p.queue_entries },
    }
  end,
  vary = {
    { "cores", { 1, 2, 4, 8 } },
    { "clock", { "1GHz", "2GHz", "3GHz" } },
    { "locking", { false, true } },
    { "queue_entries", { 16, 64 } },
    { "work_groups", { 16, 128, 480 } },
  },
  run = function(p)
    local r = queue_service { design = design { from = "comp-net", service_threads = p.cores }, operation = "get",
                              bytes = "8B", work_groups = p.work_groups, operations = operations }
    return {
      latency = r.latency,
      energy_per_get = r.service_energy_uJ / (p.work_groups * operations),
      gets_per_us = r.operations_per_us,
    }
  end,
  plot = {
    { x = "energy_per_get", y = "latency_us", by = "cores", panels = "work_groups", style = "pareto",
      x_label = "Energy of a get (µJ)", y_label = "Latency of a get",
      title = "Command processor designs by load" },
    { x = "cores", y = "latency_us", by = "clock", over = "queue_entries", panels = "work_groups",
      style = "loglog", x_label = "Cores", y_label = "Latency of a get",
      title = "Latency by cores and clock (mean, least and most over locking and queue)" },
  },
}
