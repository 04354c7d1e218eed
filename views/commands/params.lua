-- SPDX-License-Identifier: BSD-3-Clause
-- gpunetsim params MACHINE, and gpunetsim params STUDY --point AXIS=VALUE,...
local answers = require "answers"
local export = require "export"
local machine_values = require "machine_values"
local terminal = require "terminal"

local MOST_POINTS = 64 -- more tables would not be read

return {
  options = { "point", "measure", "set", "workers", "seed", "store", "progress", "json" },
  least = 1,
  most = 1,
  run = function(given, path)
    if given.point or given.measure then -- the estimated values that points of a study depend on
      local variants = answers.variants(given, path)
      local points = answers.points(variants.study, given.point, MOST_POINTS, "changed at a time")
      local asked = { measure = given.measure, points = points }
      return answers.give(given, path, require "sensitivity".unsourced(variants, asked))
    end
    local values = machine_values.of(program.machine(path, given.set))
    local shown = terminal.of_texts(machine_values.COLUMNS, values, 5, 0)
    io.write(given.json and export.json(shown) or terminal.whole(shown)[1])
  end,
}
