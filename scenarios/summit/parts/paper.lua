-- SPDX-License-Identifier: BSD-3-Clause
-- What the figures of ParCo22 and IPDPSW21 call the designs.

local names = {
  ["charm-h"] = "Charm-H", ["charm-messaging"] = "Messaging-D", ["charm-channel"] = "Channel-D", ["ampi-h"] = "AMPI-H",
  ["ampi-d"] = "AMPI-D", ["openmpi-h"] = "OpenMPI-H", ["openmpi-d"] = "OpenMPI-D", ["charm4py-h"] = "Charm4py-H",
  ["charm4py-d"] = "Charm4py-D",
}

local paper = {}

-- The labels of a plot of these designs.
function paper.labels(designs)
  local own = {}
  for _, design in ipairs(designs) do own[design] = names[design] end
  return own
end

return paper
