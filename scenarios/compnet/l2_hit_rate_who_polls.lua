-- SPDX-License-Identifier: BSD-3-Clause
-- ComPNet18, Fig 7, otherwise: NOT the paper's text, but how far its two curves (N-13: almost zero without locking;
-- N-14: at least 80 % of the undisturbed rate with it) hang on who polls what. A sensitivity, judged by no claim.
--
--   queues   who has one, which the command processor polls: all work-groups of the grid (as the paper says), or those
--            alone that put and get, so that it finds an entry at more of its looks
--   wait_on  what a waiting work-group polls: the status of its entries (as the paper says), which keeps their lines in
--            the L2 for the command processor, or the read index
--   rounds   polling rounds before operations are completed: with 1 the command processor finds an entry sooner

local node = require "configs.gcn3_node"

local places = 40

return study {
  long = true,
  title = "L2 hit rate of the command processor, by who polls what (sensitivity)",
  machine = function(p)
    return node { nodes = 2, gpu = { compute_units = 1, l2_size = "85KiB", l2_locking = p.locking == "on" } }
  end,
  vary = {
    { "queues", { "grid", "networking" } },
    { "wait_on", { "entries", "read_index" } },
    { "rounds", { 1, 8 } },
    { "locking", { "off", "on" } },
    { "streaming", { 0, 2, 8, 20, 32, 36, 39 } },
  },
  run = function(p)
    return l2_hit_rate { design = design { from = "comp-net", queue = { wait_on = p.wait_on }, polling_rounds = p.rounds },
                         queues = p.queues, networking = places - p.streaming, streaming = p.streaming }
  end,
  plot = {
    { x = "streaming", y = "hit_rate", by = "locking", over = "rounds", panels = "queues",
      x_label = "Streaming work-groups of 40", y_label = "L2 hit rate of the CP" },
    { x = "streaming", y = "hit_rate", by = "locking", over = "rounds", panels = "wait_on",
      x_label = "Streaming work-groups of 40", y_label = "L2 hit rate of the CP" },
  },
}
