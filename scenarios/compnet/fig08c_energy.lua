-- SPDX-License-Identifier: BSD-3-Clause
-- ComPNet18, Fig 8c: energy of the network service threads while 480 work-groups get 8 B each again and again.
-- Two threads: the two CP cores of Table 1, and as many host threads.
--
-- The band has what Fig 8b's has, and the powers at both ends of their ranges.

local node = require "configs.gcn3_node"
local assumptions = require "scenarios.compnet.parts.assumptions"
local fig08 = require "parts.fig08"

local powers = { "low", "stated", "high" }

-- Each state's power at both ends of its range in configs/gcn3_node.lua. A core that has a thread is never idle here.
local ends = {
  host = { low = { active_power = "5W", polling_power = "4W", stalled_power = "3W" },
           high = { active_power = "20W", polling_power = "20W", stalled_power = "12W" } },
  cp = { low = { active_power = "500mW", polling_power = "400mW", stalled_power = "300mW" },
         high = { active_power = "3W", polling_power = "3W", stalled_power = "2W" } },
}

local function machine(p)
  local component = p.design == "comp-net" and "cp" or "host"
  local changes = assumptions.machine(p.assumption, component == "cp")
  changes[component] = changes[component] or {}
  for name, value in pairs(ends[component][p.power] or {}) do
    changes[component][name] = value
  end
  changes.nodes = 2
  return node(changes)
end

local function point(r, name)
  return r:value { assumption = "stated", power = "stated", design = name }
end

local function ratio(r, one, other, column)
  column = column or "service_energy_uJ"
  return point(r, one)[column] / point(r, other)[column]
end

return study {
  title = "ComPNet18, Fig 8c: energy of two service threads, 480 work-groups",
  machine = machine,
  vary = {
    { "assumption", assumptions.names },
    { "power", powers },
    { "design", { "dgpu", "apu", "comp-net" } },
  },
  run = function(p)
    local served = design { from = assumptions.design(p.design, p.assumption), service_threads = 2 }
    return queue_service { design = served, operation = "get", bytes = "8B", work_groups = 480, operations = 20 }
  end,
  plot = {
    { x = "design", y = "service_energy_uJ", share = { design = "dgpu" }, only = { assumption = "stated", power = "stated" }, style = "bars",
      x_label = "Design", y_label = "Energy over dGPU's",
      published = { { "N-44", x = "comp-net", y = 1 / 3 }, { "N-46", x = "apu", y = 2 / 3 } } },
    { x = "design", y = "service_energy_uJ", by = "power", over = "assumption", style = "bars",
      x_label = "Design", y_label = "Energy of the service threads",
      published = function(r)
             local dgpu = point(r, "dgpu").service_energy_uJ
             return { { "N-44", x = "comp-net", by = "stated", y = dgpu / 3 },
                      { "N-46", x = "apu", by = "stated", y = 2 * dgpu / 3 } }
           end },
  },
  claims = {
    ["N-44"] = function(r)
      local value = ratio(r, "comp-net", "dgpu")
      return { obtained = value, limits = fig08.limits(1 / 3), holds = fig08.near(value, 1 / 3),
               note = string.format("nothing is fitted to it; holds within 10 %%. dgpu takes %.1f times as "
                 .. "long as comp-net: %.0f %% of its threads' time they wait for loads over PCIe",
                 ratio(r, "dgpu", "comp-net", "duration_us"), 100 * point(r, "dgpu").time_stalled) }
    end,
    ["N-45"] = function(r)
      local value = ratio(r, "comp-net", "apu")
      return { obtained = value, limits = fig08.limits(1 / 2), holds = fig08.near(value, 1 / 2),
               note = string.format("holds within 10 %%: %.2f times apu's time at %.3f of its power",
                 ratio(r, "comp-net", "apu", "duration_us"), value / ratio(r, "comp-net", "apu", "duration_us")) }
    end,
    ["N-46"] = function(r)
      local value = ratio(r, "apu", "dgpu")
      return { obtained = value, limits = fig08.limits(2 / 3), holds = fig08.near(value, 2 / 3),
               note = string.format("holds within 10 %%. dgpu takes %.1f times as long as apu",
                 ratio(r, "dgpu", "apu", "duration_us")) }
    end,
  },
}
