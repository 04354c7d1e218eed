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
    if #data == 0 then
      program.calibrate_study { path = path, band = given.band, evaluations = evaluations, keep = given.keep }
    else
      program.calibrate_machine { path = path, data = data, output = given.output, rows = given.rows, folds = folds,
                                  keep = given.keep }
    end
  end,
}
