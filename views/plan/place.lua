-- SPDX-License-Identifier: BSD-3-Clause
-- Where the chunks of a plan lie: buffers i, o and s of each GPU, which share memory in place, and what each collective starts and ends with.
local place = {}

-- Chunks of a GPU's input and output, of the `chunks` that a plan divides the larger of both into.
local WHOLE = function(chunks) return chunks end
local PART = function(chunks, gpus) return chunks // gpus end
local ALL = function(plan, gpu, chunk)
  local list = {}
  for other = 0, plan.gpus - 1 do list[other + 1] = place.origin(other, chunk) end
  return list
end

-- result(plan, gpu, chunk): origins that a chunk of the output is the sum of.
local collectives = {
  all_reduce = { input = WHOLE, output = WHOLE, result = ALL },
  all_gather = { input = PART, output = WHOLE, result = function(plan, _, chunk)
    return { place.origin(chunk // (plan.chunks // plan.gpus), chunk % (plan.chunks // plan.gpus)) }
  end },
  reduce_scatter = { input = WHOLE, output = PART, result = function(plan, gpu, chunk)
    return ALL(plan, gpu, gpu * (plan.chunks // plan.gpus) + chunk)
  end },
  alltoall = { input = WHOLE, output = WHOLE, result = function(plan, gpu, chunk)
    local part = plan.chunks // plan.gpus
    return { place.origin(chunk // part, gpu * part + chunk % part) }
  end },
  broadcast = { input = WHOLE, output = WHOLE, result = function(plan, _, chunk) return { place.origin(plan.root, chunk) } end },
}

-- The names that plans have for them.
place.names = { allreduce = "all_reduce", allgather = "all_gather", reducescatter = "reduce_scatter", reduce_scatter = "reduce_scatter",
  alltoall = "alltoall", broadcast = "broadcast" }

-- A chunk of a GPU's input as a number.
function place.origin(gpu, chunk) return gpu << 32 | chunk end

function place.origin_text(origin) return string.format("GPU %d's i[%d]", origin >> 32, origin & 0xffffffff) end

function place.sizes(plan, gpu)
  local of = collectives[plan.collective]
  return { i = of.input(plan.chunks, plan.gpus), o = of.output(plan.chunks, plan.gpus), s = plan.scratch[gpu] or 0 }
end

-- First cell of each buffer of `gpu`; in place the smaller one lies at the GPU's part of the larger one.
function place.bases(plan, gpu, in_place)
  local sizes = place.sizes(plan, gpu)
  if not in_place then return { i = 0, o = sizes.i, s = sizes.i + sizes.o } end
  local base = { i = 0, o = 0, s = math.max(sizes.i, sizes.o) }
  if sizes.i < sizes.o then base.i = gpu * sizes.i end
  if sizes.o < sizes.i then base.o = gpu * sizes.o end
  return base
end

function place.result(plan, gpu, chunk) return collectives[plan.collective].result(plan, gpu, chunk) end

return place
