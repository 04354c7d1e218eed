-- SPDX-License-Identifier: BSD-3-Clause
-- gpunetsim calibrate STUDY.lua [--band STUDY.lua]..., and MACHINE DATA...
local command = require "command"

local EVALUATIONS, MOST_FOLDS = 300, 100

local function check(given, is_machine)
  local folds, evaluations = given.folds or 0, given.evaluations or EVALUATIONS
  if not is_machine and (given.output or given.rows or folds ~= 0) then
    command.fail("--output, --rows and --folds are for calibrate MACHINE DATA...; a study's values are printed")
  end
  if is_machine and given.band then command.fail("--band is for calibrate STUDY.lua") end
  if folds ~= 0 and (folds < 2 or folds > MOST_FOLDS) then command.fail("--folds %d: 2 to %d", folds, MOST_FOLDS) end
  if folds ~= 0 and given.keep then command.fail("--folds searches for values, --keep for none") end
  if evaluations < 1 then command.fail("--evaluations %d: at least 1", evaluations) end
  return folds, evaluations
end

-- Runs the study with further overrides.
local function run(given, path, overrides)
  local set = table.move(given.set or {}, 1, #(given.set or {}), 1, {})
  table.move(overrides, 1, #overrides, #set + 1, set)
  return (require "experiment".run(program.load_study(path, set)))
end

-- Answers claims anew for each run, since a list takes each answer only once.
local function answer_claims(given, path, overrides)
  local session = require "claims/session"
  local claims = session.own()
  local experiment <close> = run(given, path, overrides)
  session.answer(claims, experiment)
  return claims, program.about(experiment.study).claims
end

-- The machine of the study's first point.
local function machine_of(given, path)
  local study <close> = program.read(path, given.set) or
    command.fail("%s is a machine; calibrate takes a study that has what was measured beside what is simulated on it", path)
  return program.parameters(program.point_machine(study, 0))
end

local function calibrate_study(given, path, evaluations)
  local machine = machine_of(given, path)
  local variants = require "variants".of(program.load_study(path, given.set))
  require "calibrate/study".answer {
    path = path, machine = machine, evaluations = evaluations, keep = given.keep, bands = given.band or {},
    evaluate = require "calibrate/targets".of(variants, path, function(point) return require "rehearsal".name_of(variants.study, point) end),
    claims = function(study, overrides) return answer_claims(given, study, overrides) end,
  }
end

return {
  options = {
    { "band", "files", "Answer this study's claims at both ends of each value's span", "FILE.lua" },
    { "evaluations", "whole", "Runs of the study that the search may take (default: 300)", "N" },
    { "keep", "flag", "Do not search; show how well the present values are determined" },
    { "output", "file", "With MACHINE DATA...: write the machine with the values found", "FILE.lua", short = "o" },
    { "folds", "whole", "With MACHINE DATA...: also predict each row that sets values without it, in N folds", "N" },
    { "rows", "file", "With MACHINE DATA...: write a line for each row of the measurements", "FILE.csv" },
    "set", "force", "workers",
  },
  least = 1,
  most = 64,
  run = function(given, path, ...)
    local data = { ... }
    local folds, evaluations = check(given, #data > 0)
    require "run_options".resolve({ workers = given.workers }, { silent = true })
    if #data == 0 then
      calibrate_study(given, path, evaluations)
    else
      require "calibrate/session".answer(given, path, data, folds)
    end
  end,
}
