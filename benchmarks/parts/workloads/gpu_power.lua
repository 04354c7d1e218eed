-- SPDX-License-Identifier: BSD-3-Clause
-- The power of a GPU in a steady state: at rest, with work-groups that poll, with bytes that its memory moves, with bytes to
-- and from the host or another GPU. Rates are those that other workloads measure.
local p = workload {
  description = "Power of a GPU in a steady state.",
  { "spinning", "count", "0", "0", "1000000", "Work-groups that poll or serve." },
  { "memory_rate", "rate", "0B/s", "0B/s", "1000TB/s", "Rate at which kernels read and write the GPU's own memory." },
  { "link_rate", "rate", "0B/s", "0B/s", "1000TB/s", "Rate between the GPU's memory and the host or another GPU, by copies or kernels." },
}

-- A value in base units: mW for powers, fJ for energies.
local function read(name)
  run.uses("gpu", name)
  return run.value("gpu", name)
end

local power, moving = read "idle_power", 0.0 -- mW; fJ in a second
if p.spinning > 0 then
  power = power + p.spinning * read "spin_power"
end
if p.memory_rate > 0 or p.link_rate > 0 then
  moving = (0.0 + p.memory_rate) * read "memory_energy"
end
if p.link_rate > 0 then
  moving = moving + (0.0 + p.link_rate) * (run.value("gpu", "memory_energy") + read "link_energy")
end
run.power("power", math.floor(power + moving * 1e-12 + 0.5))
