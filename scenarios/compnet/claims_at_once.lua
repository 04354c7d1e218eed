-- SPDX-License-Identifier: BSD-3-Clause
-- Can the numbers of ComPNet18, section 5.2, be met at once? A Latin hypercube over everything of the machine file and
-- of the designs that is estimated, fitted or read into the text. Each point is one machine, on which all three
-- designs are measured; which of N-39 to N-47 it meets is in its columns. docs/trust/validation.md reads the result.
--
--   gpunetsim run scenarios/compnet/claims_at_once.lua

local node = require "configs.gcn3_node"

local samples = 400

local ranged = {
  host = { "instructions_per_cycle", "memory_latency", "bus_latency", "loads_in_flight", "device_loads_in_flight",
           "uncached_load", "directory_latency", "active_power", "stalled_power", "polling_power" },
  gpu = { "memory_latency", "bus_outbound", "bus_inbound", "directory_latency", "barrier_cycles" },
  cp = { "instructions_per_cycle", "loads_in_flight", "private_data", "private_data_a_queue",
         "active_power", "stalled_power", "polling_power" },
  nic = { "doorbell_latency", "command_latency", "command_gap", "packet_latency", "fetch_depth" },
  bus = { "latency", "switch_latency" },
  network = { "latency" },
  software = { "post_instructions", "wait_instructions", "poll_instructions", "dispatch_instructions",
               "library_instructions", "complete_instructions", "mark_instructions" },
}

-- What is drawn, by a name that an axis may have; two that are no range of a quantity, drawn between 0 and 1.
local drawn = {
  rounds_exponent = { 0.0, 6.0 },
  device_writes = { 0.0, 1.0 }, poll_loop = { 0.0, 1.0 }, network_library = { 0.0, 1.0 }, quiet_by = { 0.0, 1.0 },
  gpu_queue_polling = { 0.0, 1.0 },
}
for component, names in pairs(ranged) do
  for _, name in ipairs(names) do
    drawn[component .. "_" .. name] = node:range(component .. "." .. name)
  end
end

local function machine(p)
  local changes = { nodes = 2 }
  for component, names in pairs(ranged) do
    changes[component] = {}
    for _, name in ipairs(names) do
      changes[component][name] = p[component .. "_" .. name]
    end
  end
  changes.host.device_writes = p.device_writes < 0.5 and "last_level" or "memory"
  changes.cp.cores = 16
  return node(changes)
end

local function drawn_design(p, name)
  return design {
    from = name,
    polling_rounds = 2 ^ p.rounds_exponent // 1 | 0,
    poll_loop = p.poll_loop < 0.5 and "single" or "unrolled",
    nic_queue = { sharers = p.network_library < 0.5 and 0 or 1 },
    quiet_by = p.quiet_by < 0.5 and "counter" or "entries",
    queue = { polling = name == "dgpu" and p.gpu_queue_polling > 0.5 and "runtime_call" or "loads" },
  }
end

local sizes, threads = { "8B", "512B", "1MiB" }, { 2, 16 }

local function measured(p, name)
  local this = { small = {}, loaded = {} }
  for _, bytes in ipairs(sizes) do
    this.small[bytes] = get_latency { design = drawn_design(p, name), bytes = bytes, repeats = 10 }.latency
  end
  for _, count in ipairs(threads) do
    local result = queue_service { design = design { from = drawn_design(p, name), service_threads = count },
                                   operation = "get", bytes = "8B", work_groups = 480, operations = 3 }
    this.loaded[count] = quantity(result.duration)
    this.energy = this.energy or quantity(result.service_energy)
  end
  for bytes, latency in pairs(this.small) do
    this.small[bytes] = quantity(latency)
  end
  return this
end

local function within(value, low, high)
  return value >= low and value <= high and 1 or 0
end

local function run(p)
  local dgpu, apu, compnet = measured(p, "dgpu"), measured(p, "apu"), measured(p, "comp-net")
  local r = { small = math.huge, loaded = math.huge, poor = math.huge }
  local alike = 0
  for _, bytes in ipairs(sizes) do
    if bytes ~= "1MiB" then
      r.small = math.min(r.small, dgpu.small[bytes] / apu.small[bytes], dgpu.small[bytes] / compnet.small[bytes])
    end
    alike = alike + within(compnet.small[bytes] / apu.small[bytes], 0.8, 1.25)
  end
  for _, count in ipairs(threads) do
    r.loaded = math.min(r.loaded, dgpu.loaded[count] / apu.loaded[count], dgpu.loaded[count] / compnet.loaded[count])
    r.poor = math.min(r.poor, dgpu.loaded[count] / compnet.loaded[count])
    alike = alike + within(compnet.loaded[count] / apu.loaded[count], 0.8, 1.25)
  end
  r.large = dgpu.small["1MiB"] / math.min(apu.small["1MiB"], compnet.small["1MiB"])
  r.alike = alike / (#sizes + #threads)
  r.loaded_compnet_apu = compnet.loaded[2] / apu.loaded[2]
  r.loaded_dgpu_apu = dgpu.loaded[2] / apu.loaded[2]
  r.energy_compnet_dgpu = compnet.energy / dgpu.energy
  r.energy_compnet_apu = compnet.energy / apu.energy
  r.energy_apu_dgpu = apu.energy / dgpu.energy
  r.n39, r.n40 = within(r.small, 2, math.huge), within(r.large, 0, 1.15)
  r.n41, r.n42 = within(r.loaded, 1, math.huge), within(r.poor, 2, math.huge)
  r.n44 = within(r.energy_compnet_dgpu, 0.3, 0.367)
  r.n45 = within(r.energy_compnet_apu, 0.45, 0.55)
  r.n46 = within(r.energy_apu_dgpu, 0.6, 0.733)
  r.n47 = within(r.alike, 0.5, 1)
  r.held = r.n39 + r.n40 + r.n41 + r.n42 + r.n44 + r.n45 + r.n46 + r.n47
  -- How far from the three energies and from APU and ComP-Net alike: the largest factor by which one is missed.
  r.off_by = math.exp(math.max(math.abs(math.log(3 * r.energy_compnet_dgpu)),
    math.abs(math.log(2 * r.energy_compnet_apu)), math.abs(math.log(1.5 * r.energy_apu_dgpu)),
    math.abs(math.log(r.loaded_compnet_apu))))
  return r
end

return study {
  long = true,
  title = "ComPNet18, section 5.2: which numbers hold together",
  machine = machine,
  vary = latin(samples, drawn),
  run = run,
  plot = { x = "energy_apu_dgpu", y = "energy_compnet_apu", style = "points",
           x_label = "Energy, APU over dGPU (paper: 2/3)", y_label = "Energy, ComP-Net over APU (paper: 1/2)" },
}
