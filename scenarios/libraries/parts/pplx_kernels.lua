-- SPDX-License-Identifier: BSD-3-Clause
-- What pplx-kernels' benchmark runs (github.com/perplexityai/pplx-kernels at 2bd6e30, tests/bench_all_to_all.py and csrc/all_to_all):
-- one token a GPU, 8 of 256 experts, 7,168 numbers of a byte and 56 scales of 4 B, with an index rounded up to 7,408 B.
--
--   dispatch     26 blocks (256 experts by ten warps). A warp of each tells every expert of every GPU how many tokens come, by
--                a signal that is set, 256 of a GPU; nine warps of the token's block put it, one expert each, with a
--                signal that is added to. Who receives waits for all signals, then for tokens.
--   all to all   NVSHMEM's, of one block: each GPU has a buffer of 7,392 B for each expert of each other one. Lanes put
--                to GPUs of other nodes, one each; then the block copies to those of its node.
--
-- Nodes have 8 GPUs. Neither the GPUs nor the NICs are named. Since the code is built for compute capability 9.0 and
-- compared with numbers of a 400 Gbit/s ConnectX-7, one NIC for each GPU at 400 Gbit/s on PCIe 5 x16 is likely. The
-- costs of primitives are those of configs/h200_cx7.lua, with the NVLink of
-- scenarios/libraries/allreduce_within_node.lua; none of them is fitted to these rows. Left out: routing.

local h200 = require "configs.h200_cx7"

-- Microseconds: V-126, V-129, V-130, V-133 and V-142, V-145, V-146, V-149.
local reached = {
  ["dispatch"] = { ["nvshmem-ibgda"] = { [16] = 102.7, [128] = 125.9 }, ["nvshmem-ibrc"] = { [16] = 290.5, [128] = 488.4 } },
  ["all to all"] = { ["nvshmem-ibgda"] = { [16] = 71.7, [128] = 132.4 }, ["nvshmem-ibrc"] = { [16] = 55.4, [128] = 258.8 } },
}

local pplx = {}

-- A machine of `gpus` GPUs; `changes` are components' values that depart from it.
function pplx.machine(gpus, changes)
  local values = {
    nodes = gpus // 8,
    node = { gpus_per_socket = 8, nics_per_socket = 8, nic_policy = "spread", peer_link = "nvswitch" },
    bus = { rate = published("63GB/s", "PCIe 5.0 x16") },
    network = { rate = estimated("400Gbit/s", "200Gbit/s", "400Gbit/s", "a ConnectX-7") },
    nvlink = { rate = "450GB/s", efficiency = 0.874, latency = "87ns" },
  }
  for component, change in pairs(changes or {}) do
    values[component] = values[component] or {}
    for name, value in pairs(change) do values[component][name] = value end
  end
  return h200(values)
end

-- GPUs of a node are reached by stores (NVLink), whatever the transport. NVSHMEM's copy is a plain loop over restricted
-- pointers, which compilers unroll: four loads under way (estimated, 1 to 4).
-- The signals after its puts are added to words, which NICs do themselves, for IBRC as well.
function pplx.design(library)
  return design { from = library, peer = "work_group", copy_unroll = 4, signal_by = "atomic" }
end

function pplx.dispatch(library, gpus, changes)
  local values = { design = pplx.design(library), nodes = gpus // 8, gpus_per_node = 8, tokens = 1, token = "7408B",
                   combine = changes and changes.phase == "both" and "14336B" or nil, packing = "token", posting = "choice",
                   work_groups = 35, telling_groups = 26, phase = "dispatch", repeats = 1, warmup = 0, copies = true, timed_by = "events" }
  for name, value in pairs(changes or {}) do values[name] = value end
  return moe(values)
end

function pplx.all_to_all(library, gpus)
  return all_to_all { design = pplx.design(library), nodes = gpus // 8, gpus_per_node = 8, sharing = "peers",
                      groups = math.min(gpus - 8, 64), threads = 1024, bytes = 256 // gpus * 7392 .. "B", repeats = 1, timed_by = "events" }
end

-- A study of both: values.title, values.gpus (their numbers), values.long.
function pplx.study(values)
  local most = 0
  for _, gpus in ipairs(values.gpus) do most = math.max(most, gpus) end
  return study {
    long = values.long,
    title = values.title,
    machine = pplx.machine(most),
    vary = {
      { "what", { "dispatch", "all to all" } },
      { "gpus", values.gpus },
      { "library", { "nvshmem-ibrc", "nvshmem-ibgda" } },
    },
    run = function(p)
      local took = p.what == "dispatch" and pplx.dispatch(p.library, p.gpus).dispatch
        or pplx.all_to_all(p.library, p.gpus).exchange
      return { took = took, published_us = reached[p.what][p.library][p.gpus] }
    end,
  }
end

return pplx
