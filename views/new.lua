-- SPDX-License-Identifier: BSD-3-Clause
-- gpunetsim new machine|study NAME: commented files to start from. NAME in them becomes the file's name.
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

-- The text of a skeleton for a file of this name.
function new.text(kind, name)
  local skeleton = SKELETONS[kind]
  if not skeleton then
    error({ sentence = string.format('new: there is no skeleton of a "%s"; machine and study are', kind) }, 0)
  end
  return { (skeleton:gsub("NAME", function() return name end)) }
end

return new
