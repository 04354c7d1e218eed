-- SPDX-License-Identifier: BSD-3-Clause
-- What the machines that N-39 to N-47 infer (scenarios/compnet/inferred.lua) predict of claims that set nothing: ComPNet18's Figs 7, 9 and
-- 10, a fraction of their sizes (parts/fractions.lua). The machines are the best (configs/gem5_node.lua) and those of the set that does as
-- well which have the least and the most of a value (parts/as_good.lua); beside them is the node of the other scenarios.
--
--   gpunetsim run scenarios/compnet/inferred_applications.lua

local old, new = require "configs.gcn3_node", require "configs.gem5_node"
local as_good = require "parts.as_good"
local fractions = require "parts.fractions"
local judged = require "parts.judged"

local scenarios, best = "as in the scenarios", "best"
local machines, is_of_set = { scenarios, best }, {}
for _, name in ipairs(as_good.names) do
  machines[#machines + 1], is_of_set[name] = name, true
end

local runs, run_of = {}, {}
local function add(figure, ...)
  for _, name in ipairs { ... } do
    runs[#runs + 1] = figure .. ": " .. name
    run_of[runs[#runs]] = { figure = figure, design = name }
  end
end
add("Fig 7", "comp-net")
add("Fig 7, locked", "comp-net")
add("Fig 9", "cpu", "inter-kernel", "dgpu", "apu", "comp-net")
add("Fig 10", "inter-kernel", "dgpu", "apu", "comp-net")

-- The designs whose service threads the inferred values describe; the others are alike on all machines of the set.
local is_served = { dgpu = true, apu = true, ["comp-net"] = true }

return study {
  long = true,
  title = "ComPNet18, Figs 7, 9 and 10 on the inferred machines",
  machine = function(p)
    local run = run_of[p.run]
    local changes = is_of_set[p.machine] and as_good.changes(p.machine, run.design) or {}
    return (p.machine == scenarios and old or new)(fractions.machine(run.figure, run.design, changes))
  end,
  vary = { { "machine", machines }, { "run", runs } },
  where = function(p) return is_served[run_of[p.run].design] or not is_of_set[p.machine] end,
  run = function(p)
    local run = run_of[p.run]
    local is_new = p.machine ~= scenarios and is_served[run.design]
    local of = is_new and design { from = run.design, poll_loop = "unrolled", nic_queue = { sharers = 1 } } or design { from = run.design }
    return fractions.run[run.figure](run.design, of, {})
  end,
  conclude = function(r)
    local function of(machine, figure, name)
      return r:value { machine = is_served[name] and machine or machine == scenarios and scenarios or best, run = figure .. ": " .. name }
    end
    local set = { best, table.unpack(as_good.names) }
    return { judged.by_machine({ ["Fig 7"] = true, ["Fig 9"] = true, ["Fig 10"] = true }, { scenarios, best }, set, of) }
  end,
}
