-- SPDX-License-Identifier: BSD-3-Clause
-- What Figs 7, 8b and 8c of ComPNet18 rest on that the paper does not print: polling rounds, and how many loads the
-- service threads have under way. "stated" is what designs and machine file say; the others span their ranges.

local assumptions = {}

assumptions.names = { "stated", "1 round", "64 rounds", "unrolled", "unrolled, 1 round" }

local changes = {
  ["stated"] = {},
  ["1 round"] = { polling_rounds = 1 },
  ["64 rounds"] = { polling_rounds = 64 },
  ["unrolled"] = { poll_loop = "unrolled" },
  ["unrolled, 1 round"] = { poll_loop = "unrolled", polling_rounds = 1 },
}

-- The design of this name under an assumption.
function assumptions.design(name, assumption)
  local axes = { from = name }
  for axis, value in pairs(changes[assumption]) do
    axes[axis] = value
  end
  return design(axes)
end

-- What of the machine goes with it: an unrolled loop keeps as many loads under way as the ranges allow.
function assumptions.machine(assumption, of_cp)
  if changes[assumption].poll_loop ~= "unrolled" then
    return {}
  end
  return of_cp and { cp = { loads_in_flight = 8 } } or { host = { loads_in_flight = 16, device_loads_in_flight = 10 } }
end

return assumptions
