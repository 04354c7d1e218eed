-- SPDX-License-Identifier: BSD-3-Clause
-- Cross-validation of calibrate MACHINE DATA...: each row for calibration is predicted by a machine found without it.

-- The fold (from 1) of each row for calibration. They are dealt out in turn, so that each fold has some rows of every experiment.
local function deal(fit, folds)
  local fold, dealt = {}, 0
  for _, row in ipairs(fit.rows) do
    if row.is_for_fit then fold[row], dealt = dealt % folds + 1, dealt + 1 end
  end
  if dealt < folds then
    error { sentence = ("--folds %d: there are %d rows for calibration"):format(folds, dealt) }
  end
  return fold
end

-- Runs the rows of the fold at fit.x and sets their `held_out` to the times; infinite for rows that fail.
local function predict(fit, fold, number)
  local planned = {}
  for _, row in ipairs(fit.rows) do
    planned[#planned + 1] = fold[row] == number and { row = row, x = fit.x } or nil
  end
  for place, time in ipairs(fit:times(planned)) do planned[place].row.held_out = time > 0 and time or math.huge end
end

-- For each fold, repeats the search from the original machine with the rows of the other folds (`determine`, then `round`),
-- and sets `held_out` of the fold's rows, in seconds. The fit is restored afterwards.
return function(fit, folds, determine, round)
  local fold, start, simulated = deal(fit, folds), fit.x, {}
  for k, row in ipairs(fit.rows) do simulated[k] = row.simulated end
  for number = 1, folds do
    for _, row in ipairs(fit.rows) do row.is_for_fit = fold[row] ~= nil and fold[row] ~= number end
    fit.x = table.move(start, 1, #start, 1, {})
    round(fit, determine(fit, false))
    predict(fit, fold, number)
    for k, row in ipairs(fit.rows) do row.simulated, row.is_for_fit = simulated[k], fold[row] ~= nil end
  end
  fit.x = start
end
