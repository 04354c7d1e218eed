-- SPDX-License-Identifier: BSD-3-Clause
-- One axis for both worlds: work-groups that talk from inside a kernel (a command processor serves them, or they post
-- to the NIC themselves) and ranks that pass messages (Charm++ channels, Open MPI), between two nodes of Summit. Once
-- a get, which a rank has to ask its peer for, and once a message, OSU's ping-pong, which a work-group sends as a
-- put with a signal behind it. docs/whatif.md reads the figure.

local summit = require "configs.summit"

local runs = {
  ["get"] = function(design, bytes)
    return get_latency { design = design, bytes = bytes, repeats = 20 }
  end,
  ["message"] = function(design, bytes)
    return osu_latency { design = design, bytes = bytes, placement = "inter-node", iterations = 20 }
  end,
}

return study {
  title = "In-kernel queues and message passing on Summit",
  machine = summit { nodes = 2 },
  vary = {
    { "transfer", { "get", "message" } },
    { "design", { "comp-net", "gpu-verbs", "charm-channel", "openmpi-d" } },
    { "bytes", pow2("8B", "2MiB") },
  },
  run = function(p) return { latency = runs[p.transfer](p.design, p.bytes).latency } end,
  plot = { x = "bytes", y = "latency_us", by = "design", panels = "transfer", style = "loglog",
           x_label = "Payload", y_label = "Latency",
           title = "Between two nodes of Summit" },
}
