-- SPDX-License-Identifier: BSD-3-Clause
-- What if a work-group's queue were shallower or deeper than the 64 entries of section 5.1? 8 work-groups post
-- 512 gets of 8 B without blocking and then wait for all of them: how many can be under way is
-- software.queue_entries, which is also the depth of a service thread's NIC queue. docs/learn/whatif.md reads the figure.

local node = require "configs.gcn3_node"

local gets = 512

return study {
  title = "Depth of a work-group's queue",
  machine = function(p) return node { nodes = 2, software = { queue_entries = p.queue_entries } } end,
  vary = {
    { "design", { "dgpu", "dgpu-host-queue", "apu", "comp-net" } },
    { "queue_entries", { 4, 8, 16, 32, 64, 128, 256 } },
  },
  run = function(p)
    return queue_service { design = p.design, operation = "get", bytes = "8B", work_groups = 8,
                           operations = gets, posts = gets }
  end,
  plot = { x = "queue_entries", y = "operations_per_us", by = "design", style = "loglog",
           x_label = "Entries of a work-group's queue", y_label = "Gets per µs",
           title = "Rate of non-blocking gets by depth of the queues" },
}
