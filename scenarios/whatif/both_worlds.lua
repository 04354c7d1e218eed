-- SPDX-License-Identifier: BSD-3-Clause
-- One axis for both worlds, ten designs between two nodes of Summit: work-groups that talk from inside a kernel (a command
-- processor, a wavefront, a SmartNIC or a host thread serves them, or they post to the NIC themselves) and ranks that pass
-- messages (Charm++ channels, Open MPI; on CPU cores or a command processor). Once a get, which a rank has to ask its peer
-- for, once a message, OSU's ping-pong, which a work-group sends as a put with a signal behind it, and once a neighbour
-- exchange. docs/learn/whatif.md reads the figure.

local summit = require "configs.summit"

local runs = {
  ["get"] = function(design, bytes)
    return get_latency { design = design, bytes = bytes, repeats = 20 }.latency
  end,
  ["message"] = function(design, bytes)
    return osu_latency { design = design, bytes = bytes, placement = "inter-node", iterations = 20 }.latency
  end,
  ["neighbour exchange"] = function(design, bytes)
    return neighbour_exchange { design = design, bytes = bytes, iterations = 20 }.turn
  end,
}

local wavefronts = design { from = "comp-net", server = "gpu_warp", queue = { memory = "host" }, name = "wavefronts, host queue" }

return study {
  title = "In-kernel queues and message passing on Summit",
  machine = summit { nodes = 2 },
  vary = {
    { "transfer", { "get", "message", "neighbour exchange" } },
    { "design", { "comp-net", "gpu-verbs", "gpu-warp", wavefronts, "smart-nic", "dgpu", "nvshmem-ibrc", "cp-channel",
                  "charm-channel", "openmpi-d" } },
    { "bytes", { "8B", "64B", "512B", "4KiB", "8KiB", "16KiB", "64KiB", "256KiB", "1MiB", "2MiB" } },
  },
  run = function(p) return { latency = runs[p.transfer](p.design, p.bytes) } end,
  plot = { x = "bytes", y = "latency_us", by = "design", panels = "transfer", style = "loglog",
           x_label = "Payload", y_label = "Latency",
           title = "Between two nodes of Summit" },
}
