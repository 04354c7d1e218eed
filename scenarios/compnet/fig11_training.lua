-- SPDX-License-Identifier: BSD-3-Clause
-- ComPNet18, Fig 11: five CNTK workloads on 8 nodes, projected: told computation, simulated allreduces (M-087).
--
-- The paper measured computation on Stampede and prints neither that nor the sizes of gradients. Both are estimated here from
-- the networks of CNTK's examples (parameters of 4 B; floating-point operations of a minibatch on a K20 at a tenth to a
-- half of its 3.5 TFLOP/s), none of it by looking at a claim; `low` and `high` are the band that comes of it. Only
-- AN4 LSTM and CIFAR are named in the text.

local paper = require "parts.paper"
local node = require "configs.gcn3_node"

local workloads = {
  ["AN4 LSTM"] = { gradient = "15MB", messages = 12, low = 8e-3, mid = 15e-3, high = 40e-3 },     -- 3 layers of 512 cells
  ["CIFAR"] = { gradient = "580kB", messages = 10, low = 3e-3, mid = 6e-3, high = 15e-3 },        -- 3 convolutions, 2 dense
  ["MNIST Conv"] = { gradient = "860kB", messages = 8, low = 0.5e-3, mid = 1e-3, high = 3e-3 },   -- 2 convolutions, 2 dense
  ["MNIST Hidden"] = { gradient = "636kB", messages = 4, low = 0.15e-3, mid = 0.4e-3, high = 1.5e-3 }, -- 784, 200, 10
  ["Large Synth"] = { gradient = "8MB", messages = 8, low = 2e-3, mid = 5e-3, high = 15e-3 },     -- dense layers
}
local names = { "AN4 LSTM", "CIFAR", "Large Synth", "MNIST Conv", "MNIST Hidden" }
local on_gpu = { "inter-kernel", "dgpu", "apu", "comp-net" }

-- Seconds of an iteration's allreduces, all of the same size: one after warm-up stands for all. A kernel's have the best number of
-- rings (section 5.4: a function of size, chunk and bandwidth). GPUs train, so gradients lie in their memory: where CPUs reduce
-- them, they are copied to the host and back (designs differ by the device that reduces).
local function reduce(p, design)
  local w = workloads[p.workload]
  local bytes = (quantity(w.gradient) + w.messages - 1) // w.messages
  local best = math.huge
  for _, rings in ipairs { 1, 2, 4, 8 } do
    local r = allreduce { design = design, nodes = 8, bytes = bytes .. "B", algorithm = "ring", rings = rings, tolerance = 0.02,
                          warmup = w.messages > 1 and 1 or 0, memory = design == "cpu" and "copied" or "design" }
    best = math.min(best, quantity(r.duration) * w.messages / 1e12)
    if design == "cpu" or design == "inter-kernel" then break end
  end
  return best
end

local function speedup(r, name, design, column)
  return r:value { workload = name, design = design }[column or "speedup"]
end

local function gain(r, name, column)
  return 100 * (speedup(r, name, "comp-net", column) - 1)
end

local function band(r, name)
  return string.format("%.1f to %.1f %% over the band of computing times", gain(r, name, "speedup_high"), gain(r, name, "speedup_low"))
end

return study {
  title = "ComPNet18, Fig 11: CNTK workloads on 8 nodes, against dGPU",
  machine = node { nodes = 8 },
  vary = {
    { "workload", names },
    { "design", { "cpu", "inter-kernel", "dgpu", "apu", "comp-net" } },
  },
  run = function(p)
    local w = workloads[p.workload]
    local base, own = reduce(p, "dgpu"), reduce(p, p.design)
    local function against(compute) return (compute + base) / (compute + own) end
    return { reduce_us = own * 1e6, speedup = against(w.mid), speedup_low = against(w.low), speedup_high = against(w.high),
             reduce_share = own / (own + w.mid) }
  end,
  plot = { x = "workload", y = "speedup", by = "design", style = "bars", order = paper.order,
           labels = paper.labels, x_label = "Workload", y_label = "Speedup over dGPU",
           published = { { "N-61", x = "AN4 LSTM", by = "comp-net", y = 1.11 }, { "N-62", x = "CIFAR", by = "comp-net", y = 1.02 } } },
  claims = {
    ["N-59"] = function(r)
      local to_gpu, among = 0, 0
      for _, name in ipairs(names) do
        local least, most = math.huge, 0
        for _, design in ipairs(on_gpu) do
          least, most = math.min(least, speedup(r, name, design)), math.max(most, speedup(r, name, design))
        end
        to_gpu, among = to_gpu + least / speedup(r, name, "cpu") - 1, among + most / least - 1
      end
      return { obtained = 100 * to_gpu / #names, limits = { 100 * among / #names }, holds = to_gpu > among,
               note = string.format("percent from cpu to the slowest GPU design, mean; from that to the fastest %.1f", 100 * among / #names) }
    end,
    ["N-60"] = function(r)
      local sum = 0
      for _, name in ipairs(names) do sum = sum + gain(r, name) end
      local value = sum / #names
      return { obtained = value, limits = { 4.5, 5.5 }, holds = value > 4.5 and value < 5.5, note = "percent, mean of five; holds within 10 %" }
    end,
    ["N-03"] = function(r)
      local most = 0
      for _, name in ipairs(names) do most = math.max(most, gain(r, name)) end
      return { obtained = most, limits = { 22 }, holds = most <= 22, note = "percent, the most that comp-net is better than dgpu in any workload; holds up to 22" }
    end,
    ["N-61"] = function(r)
      local value = gain(r, "AN4 LSTM")
      return { obtained = value, limits = { 9.9, 12.1 }, holds = value > 9.9 and value < 12.1, note = "percent; " .. band(r, "AN4 LSTM") .. "; holds within 10 %" }
    end,
    ["N-62"] = function(r)
      local value = gain(r, "CIFAR")
      return { obtained = value, limits = { 1.8, 2.2 }, holds = value > 1.8 and value < 2.2, note = "percent; " .. band(r, "CIFAR") .. "; holds within 10 %" }
    end,
    ["D-20"] = function(r)
      -- share = (1 - 1 / (1 + g)) / (1 - 1 / (1 + a)), of the dgpu baseline, must be what was simulated
      local worst = 0
      for _, name in ipairs(names) do
        local base = r:value { workload = name, design = "dgpu" }
        local own = r:value { workload = name, design = "comp-net" }
        local a, g = base.reduce_us / own.reduce_us - 1, own.speedup - 1
        local share = (1 - 1 / (1 + g)) / (1 - 1 / (1 + a))
        worst = math.max(worst, math.abs(share / base.reduce_share - 1))
      end
      return { obtained = gain(r, "AN4 LSTM"), holds = worst < 1e-6,
               note = string.format("percent of AN4 LSTM; the Amdahl relation holds for all five to %.1g", worst) }
    end,
  },
}
