-- SPDX-License-Identifier: BSD-3-Clause
-- One small message with a signal, one way of a ping-pong; and what a signal costs with 96 puts in flight. A proxy on
-- ordered queues loses a tenth of its rate; IBRC, whose signals are messages to the other proxy, loses 0.4 of it; a
-- proxy that waits before each signal loses nearly all. Published: round trips of 16.0, 18.0, 24.3 and 16.7 us (V-104
-- to V-107); on libfabric, 2 % of the throughput remain (V-246).

local h200 = require "configs.h200_cx7"

return study {
  title = "Small messages of today's libraries",
  machine = h200 {},
  vary = {
    library = { "nvshmem-ibrc", "nvshmem-libfabric", "nccl-gin-proxy", "rocshmem-ro", "uccl-ep", "nvshmem-ibgda",
                "nccl-gin-gdaki" },
  },
  run = function(p)
    local one = osu_latency { design = p.library, placement = "inter-node", bytes = "8B", iterations = 20 }
    local function rate(signals)
      return message_rate { design = p.library, warps = 32, lanes = 1, messages = 24, window = 3, signals = signals }
    end
    local plain, signalled = rate(false).puts_per_us, rate(true).puts_per_us
    return { latency = one.latency, plain = plain, signalled = signalled, kept = signalled / plain }
  end,
}
