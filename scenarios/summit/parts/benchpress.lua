-- SPDX-License-Identifier: BSD-3-Clause
-- What BenchPress measured on Summit and Lassen (github.com/bienz2/BenchPress, benchmarks/, Sept 2020; companion
-- paper arXiv 2010.10378): times in microseconds.

local benchpress = {}

benchpress.sizes = { "4B", "1KiB", "4KiB", "16KiB", "64KiB", "128KiB", "256KiB", "512KiB" }

-- One-way time of a ping-pong under Spectrum MPI on Summit, by size.
benchpress.ping_pong = {
  ["CPU on-socket"] = { 0.48, 0.76, 1.22, 3.94, 7.01, 11.4, 20.69, 36.67 },
  ["CPU off-socket"] = { 0.95, 1.42, 2.43, 7.05, 15.98, 27.72, 46.48, 83.64 },
  ["CPU off-node"] = { 1.61, 2.3, 3.68, 7.2, 12.41, 19.11, 29.8, 51.04 },
  ["GPU on-socket"] = { 17.46, 17.44, 17.5, 17.38, 17.58, 18.85, 21.64, 27.22 },
  ["GPU off-socket"] = { 18.79, 18.77, 18.79, 18.81, 18.99, 20.53, 23.61, 29.78 },
  ["GPU off-node"] = { 6.31, 6.42, 7.33, 9.41, 14.16, 19.92, 30.57, 105.65 },
}
benchpress.paths = { "CPU on-socket", "CPU off-socket", "CPU off-node", "GPU on-socket", "GPU off-socket",
                     "GPU off-node" }

local placements = { ["on-socket"] = "intra-socket", ["off-socket"] = "cross-socket", ["off-node"] = "inter-node" }

-- What osu_latency calls such a path: buffers and placement.
function benchpress.arguments(path)
  local unit, distance = path:match("^(%u+) (%S+)$")
  return unit == "CPU" and "host" or "device", placements[distance]
end

-- cudaMemcpyAsync and synchronize of pinned memory on Summit, as far as it is printed.
benchpress.copies = {
  ["same-socket"] = { ["4B"] = 11.1, ["1KiB"] = 11.1, ["128KiB"] = 15.5, ["512KiB"] = 23.8 },
  ["cross-socket"] = { ["4B"] = 12.5, ["1KiB"] = 12.5 },
}

-- Ping-pong under MVAPICH2-GDR on Lassen, as far as it is printed; "small" is 4 B.
benchpress.lassen = {
  { path = "GPU off-node", bytes = "4B", measured = 2.15 }, { path = "GPU off-node", bytes = "2KiB", measured = 3.16 },
  { path = "GPU off-node", bytes = "4KiB", measured = 6.6 }, { path = "GPU off-node", bytes = "256KiB", measured = 21.8 },
  { path = "GPU off-node", bytes = "512KiB", measured = 32.9 }, { path = "GPU on-socket", bytes = "4B", measured = 0.73 },
  { path = "GPU on-socket", bytes = "4KiB", measured = 1.03 }, { path = "GPU on-socket", bytes = "256KiB", measured = 19 },
  { path = "GPU off-socket", bytes = "4B", measured = 1.09 }, { path = "GPU off-socket", bytes = "4KiB", measured = 2.1 },
  { path = "CPU off-node", bytes = "4B", measured = 1.55 },
}

-- A total split over 1 to 6 pairs of processes of two nodes, GPU to GPU (node_pong), Summit under Spectrum MPI: medians of three jobs. In one of
-- them all that is short takes 4 us more.
benchpress.split = {
  ["4KiB"] = { 7.57, 7.10, 8.03, 8.94, 6.81, 6.66 }, ["64KiB"] = { 14.44, 12.25, 12.04, 11.06, 13.21, 9.90 },
  ["256KiB"] = { 31.63, 24.54, 24.35, 22.63, 21.36, 20.75 }, ["512KiB"] = { 110.97, 38.69, 37.34, 31.69, 31.26, 30.06 },
}

-- The same by 1 to 4 pairs on Lassen under MVAPICH2-GDR, medians of three jobs; a fourth, half a year later, took 1.7 times as long. What three pairs take
-- is not explained.
benchpress.split_lassen = {
  ["4KiB"] = { 6.44, 3.20, 3.12, 3.05 }, ["64KiB"] = { 10.62, 9.15, 15.10, 8.70 },
  ["256KiB"] = { 21.64, 16.73, 58.74, 13.37 }, ["512KiB"] = { 32.63, 30.62, 100.31, 21.50 },
}

-- A process that sends to one or two of another node, 512 KiB each (mult_pong).
benchpress.fan = { [1] = 111, [2] = 257 }

-- cudaMemcpyAsync from the GPU and synchronize, by processes that share it (memcpy_mult).
benchpress.shared_copies = {
  [1] = { ["4B"] = 13.16, ["4KiB"] = 14.37, ["512KiB"] = 30.77 },
  [2] = { ["4B"] = 14.18, ["4KiB"] = 14.89, ["512KiB"] = 59.31 },
  [6] = { ["4B"] = 38.13, ["4KiB"] = 38.76, ["512KiB"] = 154.06 },
}

-- What was measured beside the simulated times by processes, for a figure of them: `measured` gives it of a row, or nil.
function benchpress.marks(r, measured, panels)
  local marks = {}
  for _, row in ipairs(r.rows) do
    local was = measured(row)
    if was then marks[#marks + 1] = { by = row.processes, panel = panels and row[panels], x = row.bytes, y = was } end
  end
  return marks
end

-- The number of a size in the list.
function benchpress.number_of(bytes)
  for i, size in ipairs(benchpress.sizes) do
    if size == bytes then return i end
  end
end

-- By how many percent a simulated value is beyond a measured one.
function benchpress.deviation(simulated, measured)
  return 100 * (simulated / measured - 1)
end

return benchpress
