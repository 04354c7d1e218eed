-- SPDX-License-Identifier: BSD-3-Clause
-- A GPU thread sets a flag that a stream waits for (cuStreamWaitValue), and the stream answers (cuStreamWriteValue): the front end
-- looks every 8 to 9 us, so the round trip depends on when the flag is set.
local h200x2 = require "configs.h200x2"

local places = { device = "gpu", host = "host" }

return study {
  title = "A stream that waits for a flag of a kernel",
  machine = h200x2,
  vary = { { "flags_in", { "device", "host" } }, { "delay_us", { 0, 2, 5, 10, 20, 50, 100, 500 } } },
  measured = { file = "data/h200x2/front_end.tsv", flags_in = "flags_in", delay_us = "delay_us", time = "median_ns" },
  run = function(p)
    return { time = flag_round_trip { partner = "stream", place = places[p.flags_in], delay = p.delay_us .. "us" }.time_median }
  end,
  band = 8,
  plot = { x = "delay_us", y = "time_us", by = "flags_in", style = "bars", x_label = "From an answer to the next flag" },
}
