-- SPDX-License-Identifier: BSD-3-Clause
-- The programs of perftest between two nodes, in perftest's own form with -o osu:- (its latencies as with a given duration: their mean).
-- gpunetsim run perftest -o osu:- --no-plot -s study.benchmark=ib_read_bw; settings are those below.

local sizes_of = require "benchmarks.parts.sizes"

local set = settings {
  benchmark = "ib_write_lat", -- ib_write_lat, ib_read_lat, ib_send_lat, ib_atomic_lat, ib_write_bw, ib_read_bw, ib_send_bw
  machine = require "configs.gpu_host",
  sizes = "2B:8MiB", -- powers of two from one to another, or a list such as 8B,1000B,1MiB; an atomic has 8 bytes
  memory = "host", -- or gpu
  inline = "220B", -- largest size inside a command
  iterations = 1000,
  tx_depth = 128, -- these four of bandwidths
  cq_mod = 100,
  queues = 1,
  both_ways = false,
}

local operation, kind = set.benchmark:match("^ib_(%a+)_(%a+)$")
local title = ({ write = "RDMA_Write", read = "RDMA_Read", send = "Send", atomic = "Atomic" })[operation]
local is_latency = kind == "lat"
if not title or not (is_latency or kind == "bw" and operation ~= "atomic") then
  error('there is no benchmark "' .. set.benchmark .. '"; accepted are ib_write, ib_read, ib_send with _lat and _bw, and ib_atomic_lat', 0)
end

local facts = { ("                    %s %s Test (simulated by gpunetsim: %s)"):format(title,
  is_latency and "Latency" or set.both_ways and "Bidirectional BW" or "BW", set.machine.name),
  " Number of qps   : " .. (is_latency and 1 or set.queues) }
if not is_latency then
  facts[#facts + 1] = " TX depth        : " .. set.tx_depth
  facts[#facts + 1] = " CQ Moderation   : " .. set.cq_mod
end
facts[#facts + 1] = " Max inline data : " .. math.tointeger(quantity(set.inline)) .. "[B]"
if set.memory == "gpu" then
  facts[#facts + 1] = " GPU buffer"
end

local function rounded(value, digits)
  return tonumber(("%." .. digits .. "f"):format(value))
end

local measures = is_latency and { "t_avg[usec]", "tps average" } or { "BW average[MB/sec]", "MsgRate[Mpps]" }

return study {
  title = "perftest: " .. set.benchmark,
  machine = set.machine,
  vary = { bytes = operation == "atomic" and { "8B" } or sizes_of(set.sizes) },
  run = function(p)
    local asked = { operation = operation .. "_" .. kind, bytes = p.bytes, memory = set.memory, inline = set.inline, iterations = set.iterations }
    if is_latency then
      local us = perftest(asked).latency:us()
      return { ["#iterations"] = set.iterations, [measures[1]] = rounded(us, 2), [measures[2]] = rounded(1e6 / us, 2) }
    end
    asked.tx_depth, asked.cq_mod, asked.queues, asked.both_ways = set.tx_depth, set.cq_mod, set.queues, set.both_ways
    local r = perftest(asked)
    return { ["#iterations"] = set.iterations, ["BW peak[MB/sec]"] = 0,
      [measures[1]] = rounded(quantity(r.bandwidth) / 2 ^ 20, 2), [measures[2]] = rounded(r.messages_per_us, 6) }
  end,
  plot = { x = "bytes", y = "#iterations," .. (is_latency and "" or "BW peak[MB/sec],") .. table.concat(measures, ","),
    title = table.concat(facts, "\n"), style = "semilogx", x_label = "#bytes" },
}
