-- SPDX-License-Identifier: BSD-3-Clause
-- gpunetsim osu latency|bw|bibw|mbw_mr: the study benchmarks/osu.lua, in the layout in which the OSU suite prints.
local command = require "command"

return {
  options = {
    { "design", "text", 'Runtime, and how GPU data travel (default: openmpi-d; "gpunetsim list designs" has them all)', "DESIGN",
      short = "d" },
    { "placement", "text", "Where the ranks are: intra-socket, cross-socket, inter-node (default: intra-socket)", "PLACEMENT",
      short = "p" },
    { "buffers", "text", "Memory of the messages: device, host (default: device)", "MEMORY", short = "b" },
    { "machine", "file", "Machine file, or a machine of the project (default: summit)", "MACHINE", short = "m" },
    { "window", "text", "Messages of an iteration (default: 64)", "COUNT", short = "W" },
    { "pairs", "text", "Pairs that communicate at a time (default: 2)", "COUNT" },
    { "sizes", "text", "Sizes of the messages: powers of two from one to another, such as 8B:1MiB, or a list, such as " ..
      "8B,1000B,1MiB (default: 1B:4MiB)", "FROM:TO|SIZE,..." },
    { "exact", "flag", "Simulate every iteration, even if they repeat" },
    "set", "workers",
  },
  least = 1,
  most = 1,
  run = function(given, benchmark)
    local settings = {}
    for i, name in ipairs { "design", "placement", "buffers", "machine", "window", "pairs", "sizes" } do
      settings[i] = { name, given[name] }
    end
    table.move({ { "benchmark", benchmark }, { "exact", given.exact and "true" } }, 1, 2, #settings + 1, settings)
    command.run_study("benchmarks/osu.lua", { "osu:-" }, settings, given)
  end,
}
