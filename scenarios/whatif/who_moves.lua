-- SPDX-License-Identifier: BSD-3-Clause
-- What if somebody else moves data between two GPUs of a node: the work-group itself, a wavefront or command processor that serves it, a
-- host thread by the copy engine, or the NIC?
local h200x2 = require "configs.h200x2"

local function of(from, peer) return design { from = from, peer = peer, polling_rounds = 1 } end

local movers = {
  ["work-group"] = of("gpu-warp", "work_group"),
  ["GPU wavefront"] = of("gpu-warp", "server"),
  ["command processor"] = of("comp-net", "server"),
  ["peer copies"] = of("dgpu-host-queue", "peer_copy"),
  ["copy engine"] = of("dgpu-host-queue", "copy_engine"),
  ["NIC"] = of("dgpu-host-queue", "nic"),
}

local TURNS = 4

return study {
  title = "Who moves data between two GPUs of a node",
  machine = h200x2,
  vary = {
    { "mover", { "work-group", "GPU wavefront", "command processor", "peer copies", "copy engine", "NIC" } },
    { "work_groups", { 1, 8 } },
    { "bytes", { "8B", "1KiB", "16KiB" } },
  },
  run = function(p)
    local w = program { design = movers[p.mover], nodes = 1, gpus_per_node = 2, kernels = 1 }
    local data = w:buffer(p.bytes)
    w:gpu(0):kernel { work_groups = p.work_groups, threads = 256, program = function(wg)
      for turn = 0, TURNS do
        if turn == 1 then wg:reset() end
        local start = wg:now()
        wg:put { to = 1, buffer = data }
        wg:record("put", wg:now() - start)
      end
    end }
    return { put = w:run().put }
  end,
  plot = {
    { x = "bytes", y = "put_us", by = "mover", panels = "work_groups", style = "loglog", x_label = "Payload", y_label = "Put",
      title = "Who moves data between two GPUs of a node" },
  },
}
