-- SPDX-License-Identifier: BSD-3-Clause
-- gpunetsim import topology: NCCL's, RCCL's and hwloc's XML as a machine file.
local hwloc = require "topology/hwloc"
local nccl = require "topology/nccl"
local node = require "topology/node"
local topology = {}

local KINDS = { system = { nccl, "topology XML of NCCL or RCCL" }, topology = { hwloc, "hwloc's XML" } }

-- What a reader fills in: CPUs, GPUs and NICs, and what cannot be drawn. Notes become comments of one line, whatever names a file has.
local function new(file)
  local of = { file = file, cpus = {}, gpus = {}, nics = {}, notes = {} }
  function of.refuse(line, ...) error({ sentence = string.format("%s:%d: %s", file, line, string.format(...)) }, 0) end
  function of.note(line, ...) of.notes[#of.notes + 1] = string.format("line %d: %s.", line, string.format(...)):gsub("%c", "?") end
  return of
end

-- The machine file, then what it does not have, a text each.
function topology.node(text, file, name)
  local root, of = core.xml(text, file), new(file:gsub("%c", "?"))
  local kind = KINDS[root.name]
  if not kind then of.refuse(root.line, "<%s> begins neither NCCL's topology (<system>) nor hwloc's (<topology>)", root.name) end
  kind[1].read(of, root)
  local written = node.text(of, kind[2], name)
  return { written, table.unpack(of.notes) }
end

return topology
