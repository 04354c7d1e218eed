-- SPDX-License-Identifier: BSD-3-Clause
-- Published measurements of today's libraries, one in each row, beside what is simulated with one set of costs
-- (configs/h200_cx7.lua): times (took, against took_published), or puts per microsecond and shares (number, against
-- number_published). Rows of 128 GPUs are in pplx_kernels_128.lua.

local h200 = require "configs.h200_cx7"
local mi300a = require "configs.mi300a"
local pplx = require "scenarios.libraries.parts.pplx_kernels"
local bare_proxy = require "scenarios.libraries.parts.bare_proxy"

local ibgda, ibrc = "nvshmem-ibgda", "nvshmem-ibrc"

-- From a put to its quiet, one after the other.
local function put_quiet(library, bytes)
  return queue_service { design = library, operation = "put", bytes = bytes, work_groups = 1, operations = 10, warmup = 2 }.latency
end

-- A proxy by itself, without a library: the kernel sets a flag, and the host thread does no more than post (V-029: 0.075 us).
local bare = { software = { library_instructions = 225 } }
local function flag_and_put(bytes)
  return queue_service { design = bare_proxy, operation = "put", bytes = bytes, work_groups = 1, operations = 10, warmup = 2, post = "line" }
    .latency
end

local function rate(library, blocks)
  local d = library == ibgda and design { from = library, nic_queue = { sharers = 32 } } or library
  return message_rate { design = d, blocks = blocks, messages = 32 }.puts_per_us
end

local function round_trip(library)
  return 2 * osu_latency { design = library, placement = "inter-node", bytes = "8B", iterations = 20 }.latency
end

local function kept(library)
  local function puts(signals)
    return message_rate { design = library, warps = 32, lanes = 1, messages = 24, window = 3, signals = signals }.puts_per_us
  end
  return puts(true) / puts(false)
end

local function tokens(library, packing)
  return moe { design = library, posting = library == bare_proxy and "last" or "each", nodes = 8, packing = packing, work_groups = 20,
               repeats = 2, phase = "dispatch", copies = true, timed_by = "events" }.dispatch
end

local rows = {
  { "V-005", "get of 8 B", 14.06, function() return get_latency { design = ibgda, bytes = "8B" }.latency end },
  { "V-006", "put of 8 B and quiet", 12.598, function() return put_quiet(ibgda, "8B") end },
  { "V-023", "proxy, put of 8 B and done", 5.44, function() return flag_and_put("8B") end, bare },
  { "V-025", "proxy, put of 4 KiB and done", 6.27, function() return flag_and_put("4KiB") end, bare },
  { "V-026", "proxy, put of 64 KiB and done", 8.93, function() return flag_and_put("64KiB") end, bare },
  { "V-027", "proxy, put of 1 MiB and done", 69.15, function() return flag_and_put("1MiB") end, bare },
  { "V-047", "rate, IBGDA, 1 block", 12.7, function() return rate(ibgda, 1) end, is_number = true },
  { "V-051", "rate, IBGDA, 4 blocks", 42.8, function() return rate(ibgda, 4) end, is_number = true },
  { "V-055", "rate, IBGDA, 16 blocks", 87.2, function() return rate(ibgda, 16) end, is_number = true },
  { "V-048", "rate, proxy, 1 block", 2.6, function() return rate(ibrc, 1) end, is_number = true },
  { "V-052", "rate, proxy, 4 blocks", 3.2, function() return rate(ibrc, 4) end, is_number = true },
  { "V-056", "rate, proxy, 16 blocks", 3.2, function() return rate(ibrc, 16) end, is_number = true },
  { "V-104", "round trip, GDAKI", 16.7, function() return round_trip("nccl-gin-gdaki") end },
  { "V-105", "round trip, GIN proxy", 18.0, function() return round_trip("nccl-gin-proxy") end },
  { "V-106", "round trip, IBRC", 16.0, function() return round_trip(ibrc) end },
  { "V-107", "round trip, IBGDA", 24.3, function() return round_trip(ibgda) end },
  { "V-246", "share kept with signals, libfabric", 0.02, function() return kept("nvshmem-libfabric") end, is_number = true },
  { "V-063", "dispatch, kernel, packed", 43.1, function() return tokens(ibgda, "packed") end },
  { "V-064", "dispatch, proxy, packed", 189.8, function() return tokens(bare_proxy, "packed") end },
  { "V-065", "dispatch, kernel, by token", 77.2, function() return tokens(ibgda, "token") end },
  { "V-066", "dispatch, proxy, by token", 196.1, function() return tokens(bare_proxy, "token") end },
  { "V-126", "dispatch, IBGDA, 16 GPUs", 102.7, function() return pplx.dispatch(ibgda, 16).dispatch end },
  { "V-130", "dispatch, IBRC, 16 GPUs", 290.5, function() return pplx.dispatch(ibrc, 16).dispatch end },
  { "V-142", "all to all, IBGDA, 16 GPUs", 71.7, function() return pplx.all_to_all(ibgda, 16).exchange end },
  -- rocSHMEM's ping-pong (ROCm/rocSHMEM, tests/functional_tests/ping_pong_tester.cpp): a put of the word that the other
  -- side polls, without fence or signal. The offload puts it, too; the time that the host's MPI adds is not simulated.
  { "V-271", "word by stores, MI300A", 0.78, function() return flag_round_trip { partner = "peer", ordered = false }.time / 2 end },
  { "V-272", "word by the offload, MI300A", 11.6, function()
    return osu_latency { design = "rocshmem-ro", placement = "cross-socket", bytes = "4B", iterations = 20 }.latency
  end },
  { "V-146", "all to all, IBRC, 16 GPUs", 55.4, function() return pplx.all_to_all(ibrc, 16).exchange end },
}

local ids, by_id = {}, {}
for _, row in ipairs(rows) do
  ids[#ids + 1] = row[1]
  by_id[row[1]] = row
end

return study {
  title = "Published rows of today's libraries",
  machine = function(p)
    if p.row >= "V-126" and p.row < "V-200" then return pplx.machine(16) end
    if p.row > "V-270" then return mi300a {} end
    return h200 { nodes = 8, software = (by_id[p.row][5] or {}).software }
  end,
  vary = { row = ids },
  run = function(p)
    local row = by_id[p.row]
    local simulated = row[4]()
    if row.is_number then return { what = row[2], number = simulated, number_published = row[3] } end
    return { what = row[2], took = simulated, took_published_us = row[3] }
  end,
}
