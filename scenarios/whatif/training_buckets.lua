-- SPDX-License-Identifier: BSD-3-Clause
-- Data-parallel training: the backward pass computes gradients layer by layer, the last layer's first; as soon as a bucket of them is
-- full, a ring of processes reduces it, beside the kernels of the layers that are left (PyTorch's DistributedDataParallel; its buckets
-- have 25 MiB). Small buckets begin sooner and pay each step's latency more often; one large one begins when nothing is left to hide it.
--
-- `compute` and `communication` are the same program without the other half. A step is never shorter than the longer of them, and never
-- longer than both one after the other: `exposed` says how much of the communication nothing hides.
local h200_cluster = require "configs.h200_cluster"

local LAYERS, GRADIENT = 24, 8 << 20 -- bytes of a layer's gradients
local LAYER_BYTES = 800 << 20        -- that a layer's kernels move in memory: some 170 us

local function ceil(a, b) return (a + b - 1) // b end

-- Buckets in the order in which they fill: after which layer, and how many bytes.
local function buckets_of(size)
  local buckets, bytes = {}, 0
  for layer = 1, LAYERS do
    bytes = bytes + GRADIENT
    while bytes >= size or (layer == LAYERS and bytes > 0) do
      buckets[#buckets + 1] = { layer = layer, bytes = math.min(size, bytes) }
      bytes = bytes - buckets[#buckets].bytes
    end
  end
  return buckets
end

-- An event behind each layer's kernels; without them, events of an empty stream.
local function backward(rank, computes)
  local done = {}
  for layer = 1, LAYERS do
    if computes then
      rank:launch { work_groups = 1056, threads = 256, bytes = LAYER_BYTES // 1056 .. "B" }
    end
    done[layer] = rank:event()
  end
  return done
end

-- Reduce-scatter and allgather of blocks; a kernel adds what has come.
local function ring(rank, data, bytes, stream)
  local next, before, ranks = (rank.rank + 1) % rank.ranks, (rank.rank - 1) % rank.ranks, rank.ranks
  local block = ceil(bytes, ranks)
  for step = 1, 2 * (ranks - 1) do
    local come = rank:receive { from = before, buffer = data, bytes = block .. "B" }
    rank:wait(come, rank:send { to = next, buffer = data, bytes = block .. "B" })
    if step < ranks then
      rank:launch { work_groups = 132, threads = 512, bytes = ceil(3 * block, 132) .. "B", stream = stream }
      rank:synchronise(stream)
    end
  end
end

local function step_of(p, computes, communicates)
  local size = quantity(p.bucket)
  local w = program { design = "openmpi-d", nodes = p.nodes, gpus_per_node = 1, channels = true, barrier = true }
  local data = w:buffer(ceil(math.min(size, LAYERS * GRADIENT), p.nodes) .. "B")
  w:parties { program = function(rank)
    local stream, start = rank:stream(), nil
    ring(rank, data, 1 << 20, stream) -- the first one registers memory
    rank:barrier()
    start = rank:now()
    local done = backward(rank, computes)
    for _, bucket in ipairs(communicates and buckets_of(size) or {}) do
      rank:wait_event(done[bucket.layer], stream)
      rank:synchronise(stream)
      ring(rank, data, bucket.bytes, stream)
    end
    rank:synchronise()
    rank:record("step", rank:now() - start)
  end }
  local r = w:run()
  return quantity(r.step_max or r.step)
end

return study {
  title = "A training step whose allreduces are hidden behind the backward pass",
  machine = function(p) return h200_cluster { nodes = p.nodes } end,
  vary = {
    { "nodes", { 2, 4 } },
    { "bucket", { "1MiB", "4MiB", "8MiB", "24MiB", "64MiB", "192MiB" } },
  },
  run = function(p)
    local step, compute, communication = step_of(p, true, true), step_of(p, true, false), step_of(p, false, true)
    return { step = step .. "ps", compute = compute .. "ps", communication = communication .. "ps",
             exposed = (step - compute) / communication }
  end,
  plot = { x = "bucket", y = "step_us", by = "nodes", style = "semilogx", x_label = "Bucket", y_label = "Time of a step" },
}
