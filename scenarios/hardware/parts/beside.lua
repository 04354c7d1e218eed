-- SPDX-License-Identifier: BSD-3-Clause
-- Rings of an allreduce beside a kernel of the same GPUs, and backward passes whose buckets NCCL reduces, as the probe's experiment
-- `overlap` has them.
local collective = require "benchmarks.parts.collective"
local nccl = require "configs.nccl"
local two_gpus = require "parts.two_gpus"

local ALONE <const> = 8 -- pieces from which the rate of a kernel alone is taken

-- Blocks of 1,024 threads that do one piece after another until `is_over`, given their number: of so many bytes that a block copies, or
-- multiplications with additions. A thread loads 16 B and stores them before it goes on, so that a wavefront has 1 KiB under way.
local function kernel(what, blocks, piece, done, is_over)
  local w = program { design = "rocshmem-ipc", nodes = 1, gpus_per_node = 2, once = true }
  w:parties { work_groups = blocks, threads = 1024, program = function(me)
    local start, pieces = me:now(), 0
    repeat
      if what == "memory" then
        me:compute { elements = piece // 16, bytes = "32B", working_set = "512MiB", in_flight = "1KiB", mixed = true }
      else
        me:compute { elements = piece, flops = 2 }
      end
      me:finish()
      pieces = pieces + 1
    until is_over(pieces)
    done.pieces, done.ps = done.pieces + pieces, quantity(me:now() - start)
  end }
  return w
end

-- What the kernel of a GPU moves or does in a nanosecond.
local function rate_of(done, piece) return done.pieces * piece * 1e3 / done.ps end

-- A round of the rings alone and beside the kernel, and the kernel's rate alone and beside them.
local function rings_beside(what, blocks, bytes, rings)
  local done, left, piece = { pieces = 0 }, 2 * rings, math.max(1 << 20, quantity(bytes) // (4 * rings))
  kernel(what, blocks, piece, done, function(pieces) return pieces >= ALONE end):run()
  local rate_alone = rate_of(done, piece)
  done.pieces = 0
  local both = two_gpus.rings(bytes, rings, 512, function() left = left - 1 end)
  local result = both:run(kernel(what, blocks, piece, done, function() return left <= 0 end))
  return { alone = two_gpus.ring_round(bytes, rings, 512), time = result.round, rate_alone = rate_alone, rate = rate_of(done, piece) }
end

local LAYERS <const>, GRADIENT <const>, COPIED <const>, MULTIPLICATIONS <const> = 16, 8 << 20, 192 << 20, 1 << 15

-- A layer's kernel. Of one that computes the time follows from 128 multiplications a cycle of a multiprocessor (CUDA C programming guide,
-- throughput of instructions, compute capability 9.0).
local function layer(rank, kind, blocks, machine)
  if kind == "memory" then
    rank:launch { work_groups = blocks, threads = 256, bytes = 2 * COPIED // blocks .. "B", in_flight = "1KiB", mixed = true }
  else
    local on_unit = blocks // tonumber(machine:value "gpu.compute_units")
    local ps = on_unit * 256 * MULTIPLICATIONS / 128 / quantity(machine:value "gpu.clock") * 1e12
    rank:launch { work_groups = blocks, threads = 256, time = ps // 1 .. "ps" }
  end
end

-- One pass of both GPUs: when the layers are over, and when the allreduces are, too. NCCL's allreduce is a kernel that takes the time of its
-- model alone; beside others it takes no less, and its places and its share of the memory: by Simple a GPU's blocks load two times the bytes and store
-- them once in its memory.
local function pass(kind, blocks, bucket, computes, reduces, of, took, machine)
  local w = program { design = "openmpi-d", nodes = 1, gpus_per_node = 2, channels = true, once = true }
  w:parties { program = function(rank)
    local stream, start = rank:stream(), rank:now()
    for done = 1, LAYERS do
      if computes then layer(rank, kind, blocks, machine) end
      if reduces and done % bucket == 0 then
        rank:wait_event(rank:event(), stream)
        rank:compute(nccl.call * 1e12 // 1 .. "ps")
        rank:launch { work_groups = of.channels, threads = of.threads, bytes = 3 * of.bytes // of.channels .. "B", in_flight = 2 * 16 * 32 * nccl.unroll .. "B",
                      time = took * 1e12 // 1 .. "ps", stream = stream }
      end
    end
    rank:synchronise()
    if rank.rank == 0 then rank:record("computed", rank:now() - start) end
    rank:synchronise(stream)
    if rank.rank == 0 then rank:record("pass", rank:now() - start) end
  end }
  return w:run()
end

local function backward(kind, blocks, bucket, machine)
  local of = collective.plan { operation = "all_reduce", gpus = 2, bytes = bucket * GRADIENT, element = 4, version = "2.28", launched = true,
                               in_place = true }
  local time = collective.time(of, collective.machine(machine))
  local took = time.setup + time.moved + nccl.ended
  local function run(computes, reduces) return pass(kind, blocks, bucket, computes, reduces, of, took, machine) end
  local both = run(true, true)
  return { compute = run(true, false).pass, allreduce = run(false, true).pass, computed = both.computed, pass = both.pass }
end

return { rings_beside = rings_beside, backward = backward }
