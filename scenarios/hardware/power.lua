-- SPDX-License-Identifier: BSD-3-Clause
-- The power of a GPU at rest, with kernels that poll or stream, and during copies. Rates are simulated; four rows set the values.
local cuda = require "benchmarks.parts.cuda"
local h200x2 = require "configs.h200x2"

-- The rate of a kernel each of whose work-groups reads `bytes`.
local function streamed(groups)
  local bytes = 64 << 20
  local w = program { design = "openmpi-d", nodes = 1, gpus_per_node = 1 }
  w:parties { program = function(me)
    local start = me:now()
    me:launch { work_groups = groups, threads = 1024, bytes = bytes .. "B" }
    me:synchronise()
    me:record("duration", me:now() - start)
  end }
  return groups * bytes / (quantity(w:run().duration) * 1e-12)
end

-- What a kernel that copies within the GPU's memory reads and writes.
local function copied_within(groups)
  local bytes = 256 << 20
  local r = kernel_copy { work_groups = groups, bytes = bytes .. "B", passes = 4 }
  return 2 * bytes / (quantity(r.time) * 1e-12)
end

local function copied(direction, bytes)
  local r = cuda.copy { direction = direction, bytes = bytes, window = 16, repeats = 2 }
  return quantity(bytes) / (quantity(r.time) * 1e-12)
end

local function Bps(rate) return string.format("%.0fB/s", rate) end

local activities = {
  { "idle_with_context", function() return {} end },
  { "1_block_sleeping", function() return {} end },
  { "1_block_polls_host_memory", function() return { spinning = 1 } end },
  { "1_block_polls_device_memory", function() return { spinning = 1 } end },
  { "132_blocks_poll_device_memory", function() return { spinning = 132 } end },
  { "480_blocks_poll_device_memory", function() return { spinning = 480 } end },
  { "stream_read_132x1024", function() return { memory_rate = Bps(streamed(132)) } end },
  { "stream_copy_132x1024", function() return { memory_rate = Bps(copied_within(132)) } end },
  { "stream_copy_16x1024", function() return { memory_rate = Bps(copied_within(16)) } end },
  { "launch_and_sync_1x32", function() return {} end },
  { "copy_D2H_64MiB_pinned", function() return { link_rate = Bps(copied("device-to-host", "64MiB")) } end },
  { "copy_peer_256MiB", function() return { link_rate = Bps(copied("device-to-device", "256MiB")) } end },
}

local names, calls = {}, {}
for i, activity in ipairs(activities) do names[i], calls[activity[1]] = activity[1], activity[2] end

return study {
  title = "Power of a GPU by activity",
  -- A streaming kernel has more under way than the stencil from which h200x2's value is: one to eight loads of 16 B a thread.
  machine = function(p)
    local streaming = { wave_in_flight = estimated("2KiB", "512B", "4KiB", "four loads of 16 B; not known of the measured kernels") }
    return h200x2 { gpu = p.activity:find "stream_read" and streaming or nil }
  end,
  vary = { activity = names },
  measured = { file = "data/h200x2/power.tsv", activity = "activity", W = "gpu0_power_W" },
  run = function(p) return { W = quantity(gpu_power(calls[p.activity]()).power) / 1e3 } end,
  band = 8,
  plot = { x = "activity", y = "W", y_label = "Power (W)", style = "bars" },
}
