-- SPDX-License-Identifier: BSD-3-Clause
-- Low-latency dispatch (FP8) and combine (BF16) of 128 tokens a GPU, 7,168 numbers each, to 8 experts, as three libraries published them
-- (data/expert_backends.tsv). Nothing is set by these rows: their order and slope are meant. -s study.tokens=1,16,128 has other numbers of tokens.
--
--   MORI      MI300X, ConnectX-7. A token goes once to each GPU that has one of its experts: within a node by XGMI; beyond it in chunks
--             of a wavefront's 64 tokens, all of them, to the GPU of the same rail in each other node, which passes them on. Answers come back
--             the same way, summed in each node (src/ops/dispatch_combine/internode_v1.cpp). Here these are stages, one behind the other,
--             and a node's own tokens go beside the first. The kernel posts.
--   UCCL-EP   MI300X with ConnectX-7, H200 with EFA. A token goes to each expert by itself: by stores within the node, beyond it by four
--             host threads, which write with immediate data (ep/src/internode_ll.cu, rdma.cpp).
--   DeepEP    H800 with ConnectX-7: here H200 with its NVLink and memory. As UCCL-EP, but the kernel posts. Its table (docs/legacy.md) is headed pure
--             RDMA, but eight GPUs pass 98 GB/s, twice what a NIC does: within a node by stores.
--
-- Dispatches over EFA are missed by a factor of two: the test by which configs/h200_efa.lua sets the time between messages bounds how many
-- are under way, and dispatches have more. Counts of tokens are told to every expert by a signal. Left out: routing, the cast to FP8, and
-- what follows in the kernel but copies.
local mi300x, efa, h200 = require "configs.mi300x_cx7", require "configs.h200_efa", require "configs.h200_cluster"

-- NVIDIA's H800: 3.35 TB/s, NVLink of 400 GB/s in both directions together.
local h800 = h200 { gpu = { memory_rate = "3.35TB/s" }, nvlink = { rate = "200GB/s" } }

local set = settings { tokens = "128", gpus = "8,16,24,32" }
local CHUNK, TOP_K, EXPERTS = 64, 8, 256
local token_bytes, answer_bytes = 7408, 14336
local BLOCKS = 128
local gdaki = "nccl-gin-gdaki" -- its instructions of a post were measured with DeepEP's own (V-040)

local backends = {
  ["MORI"] = { machine = mi300x, design = { from = gdaki, peer = "work_group" } },
  ["UCCL-EP"] = { machine = mi300x, design = { from = "uccl-ep", peer = "work_group", signal = "with_put" }, experts = 288 },
  ["UCCL-EP, EFA"] = { machine = efa, design = { from = "uccl-ep", peer = "work_group", signal = "with_put", nic_queue = { order = "none" } }, experts = 288 },
  ["DeepEP"] = { machine = h800, design = { from = gdaki, signal = "with_put", signal_by = "put" }, experts = 288 },
}

-- EFA's rows are of 16, 24 and 32 GPUs, all others of 8, 16 and 32.
local function is_published(p) return p.gpus ~= (p.backend == "UCCL-EP, EFA" and 8 or 24) end

local function numbers(text)
  local list = {}
  for number in text:gmatch "%d+" do list[#list + 1] = math.tointeger(tonumber(number)) end
  return list
end

-- Dispatch and combine in ps, as `values` change what all have. The time of both has the meeting of all GPUs behind the kernels, too, which is
-- what a dispatch of one token lacks to its own.
local function both(backend, values)
  local all = { design = design(backend.design), top_k = TOP_K, token = token_bytes .. "B", combine = answer_bytes .. "B", packing = "token",
                posting = "choice", work_groups = BLOCKS, threads = 1024, repeats = 1, warmup = 0 }
  for name, value in pairs(values) do all[name] = value end
  local r = moe(all)
  local dispatch = quantity(r.dispatch)
  all.tokens, all.phase, all.combine = 1, "dispatch", nil
  local alone = moe(all)
  return dispatch, quantity(r.duration) - dispatch - (quantity(alone.duration) - quantity(alone.dispatch))
end

-- The mean number of a node's GPUs to which a token goes that is drawn as moe draws it.
local function distinct(nodes)
  local missed, own = 1, EXPERTS // (8 * nodes)
  for k = 0, TOP_K - 1 do missed = missed * (EXPERTS - own - k) / (EXPERTS - k) end
  return 8 * (1 - missed)
end

-- Tokens of a GPU that go to the node's GPUs by stores, each to one of them.
local function within(backend, tokens)
  local values = { nodes = 1, gpus_per_node = 8, tokens = math.floor(tokens + 0.5), top_k = 1, experts = 8 }
  local dispatch = both(backend, values)
  values.copies = true
  return dispatch, select(2, both(backend, values))
end

local function mori(backend, nodes, tokens)
  local copies = tokens * distinct(nodes)
  local own_there, own_back = within(backend, copies)
  if nodes == 1 then return own_there, own_back end
  local chunk = math.min(CHUNK, tokens)
  local there, back = both(backend, { nodes = nodes, tokens = -(-tokens // chunk), top_k = nodes, experts = nodes,
                                      token = chunk * token_bytes .. "B", combine = chunk * answer_bytes .. "B" })
  local on, summed = within(backend, copies * (nodes - 1))
  return math.max(there, own_there) + on, math.max(back, own_back) + summed
end

local function direct(backend, nodes, tokens)
  return both(backend, { nodes = nodes, gpus_per_node = 8, tokens = tokens, experts = backend.experts, telling_groups = BLOCKS, copies = true })
end

return study {
  long = true,
  title = "Dispatch and combine of tokens by three libraries",
  machine = function(p) return backends[p.backend].machine { nodes = p.gpus // 8 } end,
  vary = { { "backend", { "MORI", "UCCL-EP", "UCCL-EP, EFA", "DeepEP" } }, { "gpus", numbers(set.gpus) }, { "tokens", numbers(set.tokens) } },
  measured = { backend = "backend", gpus = "gpus", tokens = "tokens", dispatch = "dispatch_us", combine = "combine_us", file = "data/expert_backends.tsv" },
  run = function(p)
    if not is_published(p) then return { unmeasured = 1 } end
    local dispatch, combine = (p.backend == "MORI" and mori or direct)(backends[p.backend], p.gpus // 8, p.tokens)
    return { dispatch = dispatch // 1 .. "ps", combine = combine // 1 .. "ps" }
  end,
  plot = { x = "gpus", x_label = "GPUs", y = "dispatch_us", by = "backend", panels = "tokens" },
}
