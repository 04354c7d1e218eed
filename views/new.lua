-- SPDX-License-Identifier: BSD-3-Clause
-- gpunetsim new KIND NAME: commented files to start from, each of which runs as it is. NAME in them becomes the file's name.
local new = {}

local SKELETONS = {}

SKELETONS.study = [[
-- What is asked, in a sentence. Try it: gpunetsim check NAME.lua, then gpunetsim run NAME.lua

local node = require "configs.gcn3_node" -- a machine: gpunetsim list machines, gpunetsim params gcn3_node

return study {
  title = "NAME",
  machine = node { nodes = 2 }, -- what is otherwise than in its file: node { nic = { doorbell_latency = "50ns" } }
  vary = { -- each combination is a point; the last axis runs fastest
    { "design", { "dgpu", "apu", "comp-net" } }, -- gpunetsim list designs
    { "bytes", pow2("8B", "1MiB") },
  },
  run = function(p) -- gpunetsim list workloads; what it returns are the measures
    return get_latency { design = p.design, bytes = p.bytes, repeats = 20 }
  end,
  plot = { x = "bytes", y = "latency_us", by = "design", style = "loglog", x_label = "Payload" },
}
]]

SKELETONS.machine = [[
-- A machine: what it is, and where that is written. Try it: gpunetsim check NAME.lua, then gpunetsim params NAME.lua
--
-- gpunetsim list components says what it may have, gpunetsim help nic what a component takes. What is not given
-- keeps its default. A number with a source is published(value, source) or measured(value, source); one without is
-- estimated(value, low, high, why), and sensitivity to it is tried within its range.

return machine {
  name = "NAME",
  nodes = 2,

  host = {
    cores = published(16, "the vendor's data sheet"),
    clock = published("3GHz", "the vendor's data sheet"),
    memory_latency = estimated("80ns", "60ns", "110ns", "DDR4 behind the last level"),
  },
  gpu = {
    compute_units = published(64, "the vendor's data sheet"),
    clock = published("1500MHz", "the vendor's data sheet"),
    memory_latency = measured("400ns", "a pointer chase on such a GPU"),
  },
  nic = {
    doorbell_latency = estimated("100ns", "50ns", "200ns", "an uncached store over PCIe"),
  },
}
]]

SKELETONS.sweep = [[
-- Many points, kept in a store. A sweep that was interrupted goes on where it was:
--   gpunetsim sweep NAME.lua --store NAME.db
--   gpunetsim status NAME.db
--   gpunetsim plot NAME.lua --store NAME.db

local node = require "configs.gcn3_node"

return study {
  title = "NAME",
  vary = { -- 20 points within ranges, each with both designs: gpunetsim help latin
    latin(20, { bus_latency = node:range "bus.latency", command_gap = { "2ns", "20ns" } }),
    { "design", { "dgpu", "gpu-verbs" } },
  },
  machine = function(p) -- gpunetsim help bus, gpunetsim help nic
    return node { nodes = 2, bus = { latency = p.bus_latency }, nic = { command_gap = p.command_gap } }
  end,
  run = function(p)
    local r = get_latency { design = p.design, bytes = "8B", repeats = 20 }
    return { latency = r.latency, bus = p.bus_latency } -- points are drawn by two measures
  end,
  plot = { x = "bus_us", y = "latency_us", by = "design", style = "points", x_label = "Latency of the bus" },
}
]]

SKELETONS.program = [[
-- A workload of one's own: its parties are Lua functions, whose operations take as long as the design and the machine make
-- them take. gpunetsim help me:put explains a call. Try it: gpunetsim run NAME.lua, then
-- gpunetsim explain NAME.lua --point design=comp-net

local node = require "configs.gcn3_node"

return study {
  title = "NAME",
  machine = node { nodes = 2 },
  vary = { design = { "dgpu", "comp-net", "charm-channel" } },
  run = function(p)
    local w = program { design = p.design } -- gpunetsim help program
    local data, bell = w:buffer("8B"), w:signals(1) -- each party has its own

    w:parties { program = function(me) -- two of them, me.rank 0 and 1
      local other = 1 - me.rank
      for turn = 1, 12 do
        if me.rank == 0 and turn == 3 then me:reset() end -- the first turns were a warm-up
        local start = me:now()
        local go = { to = other, buffer = data, signal = bell, value = turn }
        local come = { from = other, buffer = data, signal = bell, value = turn }
        if me.rank == 0 then me:put_signal(go) end
        me:wait_until(come)
        if me.rank == 1 then me:put_signal(go) end
        if me.rank == 0 then me:record("turn", me:now() - start) end
      end
    end }

    return { turn = w:run().turn }
  end,
  plot = { x = "design", y = "turn_us", style = "bars" },
}
]]

SKELETONS.design = [[
-- A design of one's own beside the one from which it departs: who starts transfers, who serves them, where queues lie.
-- gpunetsim help design lists the axes, gpunetsim help comp-net has their values and sources in a named design.
-- Try it: gpunetsim run NAME.lua, then gpunetsim explain NAME.lua --point design=NAME

local node = require "configs.gcn3_node"

local mine = design {
  from = "comp-net", name = "NAME",
  queue = { memory = "host" }, -- the queues between work-groups and command processors in host memory
  polling_rounds = 4,
}

return study {
  title = "NAME beside ComP-Net",
  machine = node { nodes = 2 },
  vary = { { "design", { "comp-net", mine } }, { "bytes", pow2("8B", "4KiB") } },
  run = function(p) return get_latency { design = p.design, bytes = p.bytes, repeats = 20 } end,
  plot = { x = "bytes", y = "latency_us", by = "design", style = "loglog", x_label = "Payload" },
}
]]

local function kinds()
  local names = {}
  for name in pairs(SKELETONS) do names[#names + 1] = name end
  table.sort(names)
  return names
end

-- The text of a skeleton for a file of this name.
function new.text(kind, name)
  local skeleton = SKELETONS[kind]
  if not skeleton then
    error({ sentence = string.format('new: there is no skeleton "%s"%s', kind, core.suggestion(kind, kinds())) }, 0)
  end
  return { (skeleton:gsub("NAME", function() return name end)) }
end

return new
