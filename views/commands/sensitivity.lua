-- SPDX-License-Identifier: BSD-3-Clause
-- gpunetsim sensitivity FILE.lua --point AXIS=VALUE,... : what a measure depends on, and how far it can be trusted.
local answers = require "answers"
local command = require "command"

local MOST_POINTS = 64 -- more tables would not be read
local STEP_PERCENT, MOST_STEP_PERCENT, MOST_SAMPLES = 10.0, 50, 100000

local function check(given)
  local step, samples = given.step or STEP_PERCENT, given.band
  if not (step > 0 and step <= MOST_STEP_PERCENT) then
    command.fail("--step %g: accepted is more than 0 and up to %d percent", step, MOST_STEP_PERCENT)
  end
  if samples and (samples < 2 or samples > MOST_SAMPLES) then
    command.fail("--band %d: the number of samples is 2 to %d", samples, MOST_SAMPLES)
  end
  answers.check(given, ".csv, .json, .svg, .png or .pdf")
  return step, samples or 0
end

return {
  options = {
    { "output", "files", "Write the table, or draw it as a tornado plot", "FILE.csv|json|svg|png|pdf", short = "o" },
    { "step", "number", "Change parameters by this much, up and down (default: 10)", "PERCENT" },
    { "band", "whole", "Also draw all estimated parameters from their ranges, this many times, and print the band of the measure",
      "SAMPLES" },
    "point", "measure", "set", "workers", "seed", "store", "progress", "force", "json",
  },
  least = 1,
  most = 1,
  run = function(given, path)
    local step_percent, samples = check(given)
    local variants = answers.variants(given, path)
    local asked = { measure = given.measure, title = variants.title, draws = answers.draw(given), step_percent = step_percent,
                    samples = samples, points = answers.points(variants.study, given.point, MOST_POINTS, "changed at a time") }
    answers.give(given, path, require "sensitivity".answer(variants, asked))
  end,
}
