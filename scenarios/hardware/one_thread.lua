-- SPDX-License-Identifier: BSD-3-Clause
-- One host thread that drives one GPU or two: in each round it starts the same on each of them in turn, then waits for each. No value of
-- the machine file comes from these measurements.
local h200x2 = require "configs.h200x2"

local acts = {
  launch = function(rank, stream) rank:launch { work_groups = 1, threads = 1, stream = stream } end,
  launch_8 = function(rank, stream)
    for _ = 1, 8 do rank:launch { work_groups = 1, threads = 1, stream = stream } end
  end,
  copy_64KiB = function(rank, stream, data, gpu)
    rank:copy { to = data, to_rank = 1 - gpu, from = data, from_rank = gpu, stream = stream }
  end,
}

local function round(p)
  local w = program { design = "openmpi-d", nodes = 1, gpus_per_node = 2 }
  local data = w:buffer("64KiB")
  w:host(0):process(function(rank)
    local streams = {}
    for gpu = 0, p.gpus - 1 do streams[gpu] = rank:stream(0, gpu) end
    for i = 1, 30 do
      if i == 11 then rank:reset() end
      local start = rank:now()
      for gpu = 0, p.gpus - 1 do acts[p.what](rank, streams[gpu], data, gpu) end
      for gpu = 0, p.gpus - 1 do rank:synchronise(streams[gpu]) end
      rank:record("round", rank:now() - start)
    end
  end)
  return w:run().round
end

return study {
  title = "One host thread that drives two GPUs",
  machine = h200x2 { nodes = 1 },
  vary = { { "what", { "launch", "launch_8", "copy_64KiB" } }, { "gpus", { 1, 2 } } },
  measured = { file = "data/h200x2/one_thread.tsv", what = "what", gpus = "gpus", round = "median_us" },
  run = function(p) return { round = round(p) } end,
  plot = { x = "what", y = "round_us", y_label = "A round", by = "gpus", style = "bars" },
}
