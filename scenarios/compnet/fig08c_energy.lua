-- SPDX-License-Identifier: BSD-3-Clause
-- ComPNet18, Fig 8c: energy of the network service threads while 480 work-groups get 8 B each again and again.
-- Two threads: the two CP cores of Table 1, and as many host threads.
--
-- The bars have the powers as stated and at both ends of their ranges, and over them what Fig 8b's band has. No power changes a time, so one
-- simulation tells the energies of all three.

local node = require "configs.gcn3_node"
local assumptions = require "scenarios.compnet.parts.assumptions"
local fig08 = require "parts.fig08"

-- Each state's power in configs/gcn3_node.lua, in watts, with both ends of its range. A core that has a thread is never idle here.
local powers = {
  host = { active = { stated = 10, low = 5, high = 20 }, polling = { stated = 8, low = 4, high = 20 },
           stalled = { stated = 6, low = 3, high = 12 } },
  cp = { active = { stated = 1, low = 0.5, high = 3 }, polling = { stated = 0.8, low = 0.4, high = 3 },
         stalled = { stated = 0.6, low = 0.3, high = 2 } },
}

local function component(p) return p.design == "comp-net" and "cp" or "host" end

local function machine(p)
  local changes = assumptions.machine(p.assumption, component(p) == "cp")
  changes.nodes = 2
  return node(changes)
end

-- The threads' energy at one end of the ranges: in the same proportion to what was simulated as that end to the stated powers, so that a
-- power set with -s moves all three.
local function energy_at(r, of, place)
  local function energy(state) return r["energy_" .. state] * (of[state][place] / of[state].stated) end
  return energy "active" + energy "polling" + energy "stalled"
end

local function point(r, name)
  return r:value { assumption = "stated", design = name }
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
    { "design", { "dgpu", "apu", "comp-net" } },
  },
  run = function(p)
    local served = design { from = assumptions.design(p.design, p.assumption), service_threads = 2 }
    local r = queue_service { design = served, operation = "get", bytes = "8B", work_groups = 480, operations = 20 }
    local powers_of_core = powers[component(p)]
    return { latency = r.latency, duration = r.duration, time_active = r.time_active, time_polling = r.time_polling,
             time_stalled = r.time_stalled, energy_active = r.energy_active, energy_polling = r.energy_polling,
             energy_stalled = r.energy_stalled, service_energy = r.service_energy,
             service_energy_low = energy_at(r, powers_of_core, "low"), service_energy_high = energy_at(r, powers_of_core, "high") }
  end,
  plot = {
    { x = "design", y = "service_energy_uJ", share = { design = "dgpu" }, only = { assumption = "stated" }, style = "bars",
      x_label = "Design", y_label = "Energy over dGPU's",
      published = { { "N-44", x = "comp-net", y = 1 / 3 }, { "N-46", x = "apu", y = 2 / 3 } } },
    { x = "design", y = { "service_energy_low_uJ", "service_energy_uJ", "service_energy_high_uJ" }, over = "assumption", style = "bars",
      x_label = "Design", y_label = "Energy of the service threads",
      published = function(r)
             local dgpu = point(r, "dgpu").service_energy_uJ
             return { { "N-44", x = "comp-net", y = dgpu / 3 },
                      { "N-46", x = "apu", y = 2 * dgpu / 3 } }
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
