-- SPDX-License-Identifier: BSD-3-Clause
-- gpunetsim explain FILE.lua --point AXIS=VALUE,... : where the time of a point goes, and why (views/explain.lua).
local answers = require "answers"
local command = require "command"
local explain = require "explain"
local machine_values = require "machine_values"
local points = require "points"

local MOST_POINTS = 64 -- more would not be read, and each is simulated

-- A text like "gpu.clock (1GHz, 2GHz)" for each parameter in which the machines of two points differ.
local function differing(study, chosen)
  local one, other = machine_values.of(program.point_machine(study, chosen[1])), machine_values.of(program.point_machine(study, chosen[2]))
  local values, has, texts = {}, {}, {}
  for _, row in ipairs(other) do values[row[1]] = row[2] end
  for _, row in ipairs(one) do
    local value = values[row[1]] or "not said"
    if row[2] ~= value then texts[#texts + 1] = string.format("%s (%s, %s)", row[1], row[2], value) end
    has[row[1]] = true
  end
  for _, row in ipairs(other) do
    if not has[row[1]] then texts[#texts + 1] = string.format("%s (not said, %s)", row[1], row[2]) end
  end
  return texts
end

-- Runs each point. An operation named by --of that a run does not have is reported before the next run.
local function run_all(study, chosen, asked)
  local runs = {}
  for i, point in ipairs(chosen) do
    local name = points.label(study, point)
    runs[i] = require "watched".observe(study, point, name, "observed")
    explain.read(runs[i])
    runs[i].name = name
    if asked.of then explain.check(runs[i], asked) end
    if runs[i].mean then runs[i].groups = require "watched".groups(study, point, name, runs[i].mean) end
  end
  return runs
end

return {
  options = {
    { "point", "texts", "The points with these values of axes; given twice with one point each, the two are compared",
      "AXIS=VALUE,..." },
    { "of", "text", "Explain other measured operations: messages within iterations, gets beside messages", "PATH" },
    { "by", "text", "For an application: one row for each place (its rank or kernel, and GPU), or for each iteration",
      "place|iteration" },
    { "output", "files", "Draw the stages as stacked bars, one for each point, or write them as a table", "FILE.svg|png|pdf|csv|json",
      short = "o" },
    "set", "seed", "force",
  },
  least = 1,
  most = 1,
  run = function(given, path)
    if given.by and given.by ~= "place" and given.by ~= "iteration" then
      command.fail("--by %s: accepted are place and iteration", given.by)
    end
    program.set_seed(require "run_options".seed(given))
    answers.check(given, ".svg, .png, .pdf, .csv or .json")
    local study = program.load_study(path, given.set)
    program.keep_statistics(study)
    require "rehearsal".apart(study)
    answers.prepare(given, study, path)
    local about = program.about(study)
    local chosen = answers.points(study, given.point, MOST_POINTS, "explained at a time")
    local are_two = #chosen == 2 and #(given.point or {}) == 2 -- two points, each with its own --point: they are compared
    local asked = { of = given.of, by = given.by, title = about.title, draws = answers.draw(given),
                    machines = are_two and differing(study, chosen) or nil }
    answers.give(given, about.path, explain.answer(run_all(study, chosen, asked), asked))
  end,
}
