-- SPDX-License-Identifier: BSD-3-Clause
-- All wait for the slowest: an allreduce of 8 B by recursive doubling among the six processes of each of Summit's nodes, without noise of the
-- operating system, with ticks 1,000 times a second as configs/ac922.lua has them, and 100 times. Each core loses 0.6 % and 0.06 %
-- of its time; the more processes, the more often one of them is late. `-s study.nodes=512` goes on to 3,072 processes.

local summit = require "configs.summit"

local own = settings { nodes = 64 }
local machines = { ["no noise"] = { nodes = 65536 }, ["1,000 a second"] = { period = "1ms", nodes = 1 }, ["100 a second"] = { period = "10ms", nodes = 1 } }

return study {
  title = "An allreduce of 8 B among many processes whose cores are interrupted",
  machine = function(p) return summit { nodes = p.processes // 6, noise = machines[p.ticks] } end,
  vary = { { "ticks", { "no noise", "100 a second", "1,000 a second" } }, { "processes", { 6, 48, 384, 3072 } } },
  where = function(p) return p.processes <= 6 * own.nodes end,
  run = function(p)
    return allreduce { design = "openmpi-h", nodes = p.processes // 6, gpus_per_node = 6, bytes = "8B", algorithm = "doubling", warmup = 2,
                       repeats = 20 }
  end,
  plot = { x = "processes", y = "duration_us", by = "ticks", style = "semilogx", x_label = "Processes", y_label = "Time of an allreduce",
           title = "8 B, recursive doubling" },
}
