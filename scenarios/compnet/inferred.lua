-- SPDX-License-Identifier: BSD-3-Clause
-- ComPNet18, section 5.2: the values of Table 1's node that nobody printed, inferred from N-39 to N-47. `off` is the sum of the
-- distances to the eight claims, each the logarithm of the factor by which it is missed, 0 where it holds; `held` is how many hold.
-- The readings that are not numbers are the study's axes, of which claims/readings.lua has the words; numbers are searched by
--
--   gpunetsim solve scenarios/compnet/inferred.lua --point "looks=overlapping,library=one a thread,rounds=8" --measure off
--     --target least --vary nic.command_gap=5ns..200ns,nic.fetch_depth=1..64,software.library_instructions=50..2000
--     --vary cp.loads_in_flight=1..16,host.device_loads_in_flight=1..16,cp.private_data_a_queue=16B..192B
--     --vary cp.active_power=1W..7W,cp.stalled_power=300mW..5W,host.stalled_power=1W..9W,gpu.bus_outbound=60ns..320ns --predict held
--
-- which tells the whole set of machines that do as well as the best: configs/gem5_node.lua has what came of it. It began at 100 ns, 32, 200,
-- 8, 10, 64 B, 5 W, 1 W, 6 W and 220 ns; cp.polling_power stays 4 W.

local node = require "configs.gem5_node"

local sizes, threads = { "8B", "512B", "1MiB" }, { 2, 16 }

local function measured(p, name)
  local this, of = { energy = {} }, design {
    from = name, polling_rounds = p.rounds, poll_loop = p.looks == "overlapping" and "unrolled" or "single",
    nic_queue = { sharers = p.library == "one a thread" and 1 or 0 },
  }
  for _, bytes in ipairs(sizes) do
    this[bytes] = quantity(get_latency { design = of, bytes = bytes, repeats = 10 }.latency)
  end
  for _, count in ipairs(threads) do
    local r = queue_service { design = design { from = of, service_threads = count }, operation = "get", bytes = "8B",
                              work_groups = 480, operations = 3 }
    this[count], this.energy[count] = quantity(r.duration), quantity(r.service_energy)
  end
  return this
end

-- The logarithm of the factor by which a ratio lies outside of a range.
local function beside(ratio, low, high) return math.max(0, math.log(low / ratio), math.log(ratio / high)) end

local function alike(compnet, apu)
  local offs = {}
  for i, key in ipairs { "8B", "512B", "1MiB", 2, 16 } do offs[i] = beside(compnet[key] / apu[key], 0.8, 1.25) end
  table.sort(offs)
  return offs[1] + offs[2] + offs[3] -- more than half of the five
end

local function run(p)
  local dgpu, apu, compnet = measured(p, "dgpu"), measured(p, "apu"), measured(p, "comp-net")
  local function least(keys, others)
    local ratio = math.huge
    for _, key in ipairs(keys) do
      for _, other in ipairs(others) do ratio = math.min(ratio, dgpu[key] / other[key]) end
    end
    return ratio
  end
  local small, loaded = least({ "8B", "512B" }, { apu, compnet }), least(threads, { apu, compnet })
  local poor, large = least(threads, { compnet }), dgpu["1MiB"] / math.min(apu["1MiB"], compnet["1MiB"])
  local third, half = compnet.energy[2] / dgpu.energy[2], compnet.energy[2] / apu.energy[2]
  local two_thirds = apu.energy[2] / dgpu.energy[2]
  local offs = {
    n39 = beside(small, 2, math.huge), n40 = beside(large, 0.01, 1.15), n41 = beside(loaded, 1, math.huge),
    n42 = beside(poor, 2, math.huge), n44 = beside(third, 0.3, 0.3667), n45 = beside(half, 0.45, 0.55),
    n46 = beside(two_thirds, 0.6, 0.7333), n47 = alike(compnet, apu),
  }
  local r = { small = small, large = large, loaded = loaded, poor = poor, third = third, half = half, two_thirds = two_thirds,
              dgpu_us = dgpu[2] / 1e6, apu_us = apu[2] / 1e6, compnet_us = compnet[2] / 1e6, off = 0, held = 0 }
  for name, off in pairs(offs) do
    r[name] = off
    r.off, r.held = r.off + off, r.held + (off == 0 and 1 or 0)
  end
  return r
end

return study {
  long = true,
  title = "ComPNet18, section 5.2: what its numbers say about the machine that it did not print",
  machine = node { nodes = 2, cp = { cores = 16 }, software = { phases = "fixed" } },
  vary = {
    { "looks", { "one by one", "overlapping" } },
    { "library", { "shared by all threads", "one a thread" } },
    { "rounds", { 1, 8, 32 } },
  },
  run = run,
}
