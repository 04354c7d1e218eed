-- SPDX-License-Identifier: BSD-3-Clause
-- ComPNet18, Fig 5 (section 4.1): a ping-pong between two GPUs, from inside their kernels.
--
-- One work-group a node. Node 0 puts a value and behind it a signal into node 1 and waits for the answer; node 1
-- waits, then answers. The paper prints the program, not its time: so there is no claim. A turn is there and
-- back. docs/use/libraries.md goes through it.

local node = require "configs.gcn3_node"

return study {
  title = "ComPNet18, Fig 5: ping-pong of two work-groups",
  machine = node { nodes = 2 },
  vary = {
    { "design", { "dgpu", "dgpu-host-queue", "apu", "comp-net" } },
    { "bytes", pow2("1B", "1MiB") },
  },
  run = function(p)
    return neighbour_exchange { design = p.design, pattern = "ping_pong", bytes = p.bytes, iterations = 10 }
  end,
  plot = { x = "bytes", y = "turn_us", by = "design", style = "loglog",
           x_label = "Payload", y_label = "There and back" },
}
