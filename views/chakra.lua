-- SPDX-License-Identifier: BSD-3-Clause
-- Chakra traces for `gpunetsim goal`, `export goal` and `trace-info`.
local info = require "chakra/info"
local options = require "chakra/options"
local replay = require "chakra/replay"
local trace = require "chakra/trace"
local chakra = {}

-- One trace a rank; with ranks=N each of N ranks has the only one.
local function read(files, wanted)
  local traces = {}
  for i, file in ipairs(files) do traces[i] = trace.read(file) end
  if wanted and #files > 1 then
    error({ sentence = string.format("--trace ranks=%d: there are traces of %d ranks already", wanted, #files) }, 0)
  end
  for i = 2, wanted or 0 do traces[i] = traces[1] end
  return traces
end

-- The files, rank by rank, as GOAL; `machine` has what its GPU does in a second (flops, memory), if there is a machine.
function chakra.goal(files, text, machine)
  local of = options.parse(text, machine)
  return { replay.text(read(files, of.ranks), of) }
end

function chakra.info(files, text)
  local of = options.parse(text, {})
  return { info.text(read(files, of.ranks), of) }
end

return chakra
