-- SPDX-License-Identifier: BSD-3-Clause
-- A layer of experts, one GPU a node: each GPU sends every other the tokens for its experts, in parts, of some of the experts each; as soon
-- as a part has come, the kernel of its experts runs, while the next part is on its way. One part hides nothing; many pay messages and
-- launches more often.
--
-- `dispatch` and `experts` are the same program without the other half, in as many parts. The layer is never shorter than the longer of
-- them, and never longer than both one after the other.
local h200_cluster = require "configs.h200_cluster"

local WEIGHTS = 400 << 20 -- bytes of the weights of a GPU's experts, which each part's kernel reads
local TOKEN = 7168        -- bytes, fp8

local function all_to_all(rank, data, bytes)
  local messages = {}
  for far = 1, rank.ranks - 1 do
    messages[#messages + 1] = rank:receive { from = (rank.rank - far) % rank.ranks, buffer = data, bytes = bytes .. "B" }
    messages[#messages + 1] = rank:send { to = (rank.rank + far) % rank.ranks, buffer = data, bytes = bytes .. "B" }
  end
  rank:wait(table.unpack(messages))
end

local function layer_of(p, sends, computes)
  local bytes = p.tokens * TOKEN // p.nodes // p.parts -- to each GPU
  local w = program { design = "openmpi-d", nodes = p.nodes, gpus_per_node = 1, channels = true, barrier = true }
  local data = w:buffer(bytes .. "B")
  w:parties { program = function(rank)
    all_to_all(rank, data, bytes) -- the first one registers memory
    rank:barrier()
    local start = rank:now()
    for _ = 1, p.parts do
      if sends then all_to_all(rank, data, bytes) end
      if computes then
        local moved = WEIGHTS // p.parts + 4 * bytes * p.nodes -- the kernel of a part has that share of the experts
        rank:launch { work_groups = 1056, threads = 256, bytes = moved // 1056 .. "B" }
      end
    end
    rank:synchronise()
    rank:record("layer", rank:now() - start)
  end }
  local r = w:run()
  return quantity(r.layer_max or r.layer)
end

return study {
  title = "Dispatch to experts, hidden behind their kernels",
  machine = h200_cluster { nodes = 4 },
  vary = {
    { "tokens", { 256, 1024, 4096 } },
    { "parts", { 1, 2, 4, 8, 16 } },
  },
  run = function(p)
    p = { tokens = p.tokens, parts = p.parts, nodes = 4 }
    local layer, dispatch, experts = layer_of(p, true, true), layer_of(p, true, false), layer_of(p, false, true)
    return { layer = layer .. "ps", dispatch = dispatch .. "ps", experts = experts .. "ps",
             exposed = (layer - experts) / dispatch }
  end,
  plot = { x = "parts", y = "layer_us", by = "tokens", style = "semilogx", x_label = "Parts", y_label = "Time of a layer" },
}
