-- SPDX-License-Identifier: BSD-3-Clause
-- gpunetsim solve FILE.lua --point AXIS=VALUE,... --target T --vary COMPONENT.PARAMETER,... : the other way round.
local answers = require "answers"
local command = require "command"

local FAILURE = 4 -- the text of the answer that says what failed

return {
  options = {
    { "target", "text", "Target of the measure: a value, or the measure at another point whose other axes are the same; or least: the " ..
      "smallest value, and all sets of values that do about as well", "VALUE|AXIS=VALUE|least" },
    { "vary", "texts", "Parameters that may change, and within which range", "COMPONENT.PARAMETER[=LOW..HIGH],..." },
    { "constraint", "texts", "A condition that the solution must also meet", "MEASURE<=VALUE" },
    { "predict", "texts", "With --target least: also show the range of this measure over all sets of values that do about as well",
      "MEASURE" },
    { "output", "files", "Write everything that was tried", "FILE.csv|json", short = "o" },
    "point", "measure", "set", "workers", "seed", "store", "progress", "force", "json",
  },
  least = 1,
  most = 1,
  run = function(given, path)
    if not given.target then command.fail("solve needs --target: a value, or AXIS=VALUE of another point") end
    if not given.vary then command.fail("solve needs --vary: the parameters that may change") end
    answers.check(given, ".csv or .json")
    local variants = answers.variants(given, path)
    local asked = { target = given.target, measure = given.measure, knobs = given.vary, constraints = given.constraint or {},
                    predicted = given.predict or {}, seed = require "run_options".seed(given),
                    point = answers.points(variants.study, given.point, 1, "solved at a time")[1] }
    local texts = require "solve".answer(variants, asked)
    answers.give(given, path, texts)
    if texts[FAILURE] then command.fail_running("%s", texts[FAILURE]) end
  end,
}
