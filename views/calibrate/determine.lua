-- SPDX-License-Identifier: BSD-3-Clause
-- Finds values by least squares, and which of them the rows of measurements determine.
--
-- A residual is r = ln(simulated / measured) / TOLERANCE. Near a place it is linear in the values' places x:
-- r(x + d) = r + J d. The slopes J are found by differences, for each row only by the values that it reads. Steps are Levenberg's
-- and Marquardt's, with residuals weighted by 1 / (1 + (r / c)^2) (Cauchy: rows that no values can meet do not pull the others
-- away); c shrinks from the worst residual to 2, so that at first all rows count.
--
-- The covariance of the values is (J' W J)^-1. A value counts as determined if it is known within DETERMINED_WITHIN of
-- itself while the other determined values are free to move with it. As long as some are not, the one about which the rows
-- say least, compared with what was known of it before, is set aside and keeps its old value. So of two values of which only
-- the sum is known one is found. A value that was moved to where something else limits its rows stays there if the rows
-- would be worse at its old value: it is bound. If rows become worse because several values were set aside whose sum they
-- need, these share: they move from their old values to the least of sum((x - start)^2 / width^2) + sum(r^2), so that a
-- value moves further the less was known of it before and the more the rows say about it.
local conclude = require "calibrate/conclude"
local fits = require "calibrate/fit"
local matrix = require "calibrate/matrix"
local system = {}
system.__index = system

local DETERMINED_WITHIN = 0.25
local PHASES, ROUNDS = 3, 6  -- rounds of a phase
local SCALE_LEAST = 2.0      -- of residuals, c
local SCALE_SHRINKS = 6.0    -- by round, from the worst residual on: at first all rows count
local DIFFERENCE = 0.06      -- of x, for slopes
local STEP_MOST = 1.0        -- of x, in one round
local STEP_LEAST = 0.004     -- the last round is one that moves every value by less,
local GAIN_LEAST = 0.02      -- or that lowers the cost by a smaller fraction
local DAMPINGS = 6
local SHARE_LEAST = 0.03     -- of x: a sharing value that moves less keeps its old value
local BOUND_GAIN = 1.0       -- of the cost: how much a bound value must improve its rows
local RIDGE, AT_END = 1e-9, 1e-6

local function clamp(number, low, high) return math.max(low, math.min(number, high)) end
local function copy(list) return table.move(list, 1, #list, 1, {}) end

-- --- residuals and slopes ------------------------------------------------------------------------

local function residual_of(row, simulated) return math.log(simulated / row.measured) / fits.TOLERANCE end

-- Fills in the residuals of the simulated times; false if a row for calibration failed.
local function set_residuals(fit, simulated, residuals)
  for k, row in ipairs(fit.rows) do
    residuals[k] = 0
    if row.is_for_fit then
      if not (simulated[k] > 0) then return false end
      residuals[k] = residual_of(row, simulated[k])
    end
  end
  return true
end

-- What a residual adds to the sum that the search minimises.
function system:loss(residual)
  local part = residual / self.scale
  return core.log1p(part * part)
end

-- How far sharing value `i` is from its old place, as a part of its width; 0 for values that do not share.
function system:departure(i, x)
  return self.is_sharing and self.shares[i] and (x - self.start[i]) / self.fit.values[i].width or 0
end

function system:cost(x, residuals)
  local sum = 0
  for i in ipairs(self.fit.values) do
    sum = sum + self:departure(i, x[i]) * self:departure(i, x[i]) / (self.scale * self.scale)
  end
  for k in ipairs(self.fit.rows) do sum = sum + self:loss(residuals[k]) end
  return sum
end

-- Rows for tests have no weight.
function system:set_weights()
  for k, row in ipairs(self.fit.rows) do
    local part = self.residuals[k] / self.scale
    self.weights[k] = row.is_for_fit and 1 / (1 + part * part) or 0
  end
end

function system:worst_residual()
  local worst = 0
  for _, residual in ipairs(self.residuals) do worst = math.max(worst, math.abs(residual)) end
  return worst
end

-- The place to which value `i` is moved to find its slope.
local function moved_place(fit, i)
  local value, x = fit.values[i], fit.x[i]
  local here, there = fit:number(i, x), fit:number(i, x + DIFFERENCE)
  local unit = value.parameter.is_whole and 1 or 0
  if x + DIFFERENCE > fits.place(value, value.high) then
    there = math.min(fit:number(i, x - DIFFERENCE), math.max(here - unit, value.low))
  else
    there = math.max(there, math.min(here + unit, value.high))
  end
  return fits.place(value, there)
end

-- Whether the slope of row `k` by value `i` is needed: the row is for calibration and reads the value, and the value is
-- searched for (or `all` is true).
function system:has_slope(all, k, i)
  local row, is_open = self.fit.rows[k], not self.locked[i]
  if self.is_sharing then is_open = self.shares[i] end
  return row.is_for_fit and row.reads[i] and (all or is_open)
end

-- Lists runs: for each value i for which is_wanted(i) holds, the rows that depend on it, with the value at place_of(i). Each
-- entry has its row's number k and its value's number i.
function system:plan(all, is_wanted, place_of)
  local planned = {}
  for i in ipairs(self.fit.values) do
    if is_wanted(i) then
      local at = copy(self.fit.x)
      at[i] = place_of(i)
      for k, row in ipairs(self.fit.rows) do
        if self:has_slope(all, k, i) then planned[#planned + 1] = { row = row, x = at, k = k, i = i } end
      end
    end
  end
  return planned
end

-- Fills in the slopes at fit.x, for all values or for those that are searched for.
function system:set_slopes(all)
  local fit, values = self.fit, self.fit.values
  local planned = self:plan(all, function() return true end, function(i) return moved_place(fit, i) end)
  for k in ipairs(fit.rows) do
    self.slopes[k] = {}
    for i in ipairs(values) do self.slopes[k][i] = 0 end
  end
  local moved = {}
  for i, value in ipairs(values) do
    moved[i] = moved_place(fit, i) - fits.place(value, fit:number(i, fit.x[i]))
  end
  for number, time in ipairs(fit:times(planned)) do
    local k, i = planned[number].k, planned[number].i
    if time > 0 and math.abs(moved[i]) > 0 then
      self.slopes[k][i] = (residual_of(fit.rows[k], time) - self.residuals[k]) / moved[i]
    end
  end
end

-- --- linear algebra ------------------------------------------------------------------------------

-- J' W J over all values. Unless `is_weighted`, each row for calibration has the weight of one that is met.
function system:gram(is_weighted)
  local sums, count = {}, #self.fit.values
  for i = 1, count do
    sums[i] = {}
    for j = 1, count do sums[i][j] = 0 end
  end
  for k, row in ipairs(self.fit.rows) do
    local slopes, weight = self.slopes[k], is_weighted and self.weights[k] or 1
    for i = 1, row.is_for_fit and count or 0 do
      local weighted = weight * slopes[i]
      for j = 1, weighted ~= 0 and count or 0 do sums[i][j] = sums[i][j] + weighted * slopes[j] end
    end
  end
  return sums
end

-- The inverse of `gram`, restricted to the values i with is_in[i], with its diagonal multiplied by 1 + damping: a list of
-- lists, both by value.
function system:inverse(gram, is_in, damping)
  local chosen, rows = {}, {}
  for i in ipairs(self.fit.values) do chosen[#chosen + 1] = is_in[i] and i or nil end
  for a, i in ipairs(chosen) do
    rows[a] = {}
    for b, j in ipairs(chosen) do rows[a][b] = gram[i][j] end
    local width = self.fit.values[i].width
    if self.is_sharing then rows[a][a] = rows[a][a] + 1 / (width * width) end
    rows[a][a] = rows[a][a] * (1 + damping) + RIDGE
  end
  local by_value = {}
  for a, row in ipairs(matrix.invert(rows)) do
    local to = {}
    for b, j in ipairs(chosen) do to[j] = row[b] end
    by_value[chosen[a]] = to
  end
  return by_value
end

-- Standard deviation of value `i` on its scale.
local function deviation_of(inverse, i) return math.sqrt(math.max(0, inverse[i][i])) end

-- A standard deviation of a place as a part of the value (if the value has come near 0, of its old value).
function system:part(i, deviation)
  local fit = self.fit
  local number, start = fit:number(i, fit.x[i]), fit:number(i, self.start[i])
  local part = deviation * fit:relative(i, fit.x[i])
  return number < start and part * math.max(number, start / 100) / start or part
end

-- How far value `i` is from being known well enough, for this standard deviation of its place: above 1 it is set aside.
-- During the search it is enough to know it within half of its width.
function system:lack(i, deviation, is_search)
  if is_search then return 2 * (deviation / self.fit.values[i].width) end
  return self:part(i, deviation) / DETERMINED_WITHIN
end

-- Whether a step of value `i` would leave its range.
function system:wants_beyond(i, step)
  local value, x = self.fit.values[i], self.fit.x[i]
  return step < 0 and x <= fits.place(value, value.low) + AT_END or step > 0 and x >= fits.place(value, value.high) - AT_END
end

-- Leaves only determined values active. Rows that are not met count in full here, since the values that they depend on may
-- still have to move.
function system:set_aside(is_search)
  local gram, worst = self:gram(false), nil
  for i in ipairs(self.fit.values) do self.active[i] = not self.locked[i] end
  repeat
    local inverse, most = self:inverse(gram, self.active, 0), 0
    worst = nil
    for i, value in ipairs(self.fit.values) do
      local deviation = self.active[i] and deviation_of(inverse, i)
      if deviation and self:lack(i, deviation, is_search) > 1 and deviation / value.width > most then
        worst, most = i, deviation / value.width
      end
    end
    if worst then self.active[worst] = false end
  until not worst
end

-- --- the search ----------------------------------------------------------------------------------

-- The direction in which the cost falls, by value.
function system:downhill()
  local downhill = {}
  for i in ipairs(self.fit.values) do downhill[i] = 0 end
  for k in ipairs(self.fit.rows) do
    local pull = self.weights[k] * self.residuals[k]
    for i, slope in ipairs(self.slopes[k]) do downhill[i] = downhill[i] - pull * slope end
  end
  for i, value in ipairs(self.fit.values) do
    downhill[i] = downhill[i] - self:departure(i, self.fit.x[i]) / value.width
  end
  return downhill
end

-- The step of the values i with is_in[i]; 0 for others.
function system:step(gram, is_in, damping)
  local inverse, downhill, step = self:inverse(gram, is_in, damping), self:downhill(), {}
  for i in ipairs(self.fit.values) do
    step[i] = 0
    for j, slope in ipairs(downhill) do
      if is_in[i] and is_in[j] then step[i] = step[i] + inverse[i][j] * slope end
    end
  end
  return step
end

-- The places after one step, and by how much the value that moves furthest moves. Values that would leave their range stay
-- at its end, and the step of the others is found without them.
function system:step_to(gram, damping)
  local fit, is_in, to, most = self.fit, copy(self.active), {}, 0
  local step, is_good
  repeat
    step, is_good = self:step(gram, is_in, damping), true
    for i in ipairs(fit.values) do
      if is_in[i] and self:wants_beyond(i, step[i]) then is_in[i], is_good = false, false end
    end
  until is_good
  for i, value in ipairs(fit.values) do
    to[i] = clamp(fit.x[i] + clamp(step[i], -STEP_MOST, STEP_MOST), fits.place(value, value.low), fits.place(value, value.high))
    most = math.max(most, math.abs(to[i] - fit.x[i]))
  end
  return to, most
end

-- One round: finds the slopes, then a step that lowers the cost, damped more and more until one does. Returns whether
-- another round with the same scale of residuals is not worth while.
function system:improve()
  local fit, damping = self.fit, 0.001
  self:set_slopes(false)
  if self.is_sharing then self.active = copy(self.shares) else self:set_aside(true) end
  local before, gram = self:cost(fit.x, self.residuals), self:gram(true)
  for _ = 1, DAMPINGS do
    local residuals, to, moved = {}, self:step_to(gram, damping)
    if moved < STEP_LEAST then return true end
    local simulated = fit:run(to)
    if set_residuals(fit, simulated, residuals) and self:cost(to, residuals) < before then
      fit.x, self.simulated, self.residuals = to, simulated, residuals
      return self:cost(to, residuals) > before * (1 - GAIN_LEAST)
    end
    damping = damping * 10
  end
  return true
end

-- All rounds, while the scale of residuals shrinks from the worst residual to SCALE_LEAST.
function system:search()
  self.scale = math.max(SCALE_LEAST, self:worst_residual())
  for _ = 1, ROUNDS do
    self:set_weights()
    local is_last = self:improve() and self.scale <= SCALE_LEAST
    self.scale = math.max(SCALE_LEAST, self.scale / SCALE_SHRINKS)
    if is_last then break end
  end
  self.scale = SCALE_LEAST
  self:set_weights()
end

-- --- values that rows bound ----------------------------------------------------------------------

-- Whether the rows say too little of value `i`, even if all others were known.
function system:says_little(i)
  local sum = 0
  for k in ipairs(self.fit.rows) do sum = sum + self.slopes[k][i] * self.slopes[k][i] end
  return sum <= 0 or self:lack(i, 1 / math.sqrt(sum), false) > 1
end

-- Whether value `i` may be bound: the rows have moved it to where something else limits them, such as a link's rate that is
-- no less than the rate of the path behind it.
function system:may_be_bound(i)
  return not self.active[i] and not self.locked[i] and self:says_little(i)
    and math.abs(self.fit.x[i] - self.start[i]) > AT_END
end

-- Sets bound_by of values that may be bound if the rows would be worse at the value's old place.
function system:set_bounds()
  local fit, gains, worst = self.fit, {}, {}
  local planned = self:plan(true, function(i) return self:may_be_bound(i) end, function(i) return self.start[i] end)
  for i in ipairs(fit.values) do
    if self:may_be_bound(i) then gains[i], worst[i] = 0, { more = 0 } end
  end
  for number, time in ipairs(fit:times(planned)) do
    local k, i = planned[number].k, planned[number].i
    local residual = time > 0 and residual_of(fit.rows[k], time) or math.huge
    local more = self:loss(residual) - self:loss(self.residuals[k])
    gains[i] = gains[i] + more
    if more > worst[i].more then worst[i] = { more = more, row = k } end
  end
  for i, gain in pairs(gains) do self.bound_by[i] = gain > BOUND_GAIN and worst[i].row or nil end
end

-- --- values that share ---------------------------------------------------------------------------

-- To be called after all values with `is_back` have been set to their old values at once and the rows have been run. If a
-- row has become worse than its residual in `met`, sets `shares` of the values that it reads: each alone matters little to
-- the row, but their sum does. Returns whether there is such a row.
function system:find_sharing(is_back, met)
  local is_any = false
  for i in ipairs(self.fit.values) do self.shares[i] = self.shares[i] and self.locked[i] and not is_back[i] end
  for k, row in ipairs(self.fit.rows) do
    local is_worse = row.is_for_fit and self:loss(self.residuals[k]) - self:loss(met[k]) > BOUND_GAIN
    for i in ipairs(self.fit.values) do
      if is_worse and row.reads[i] and is_back[i] then self.shares[i], is_any = true, true end
    end
  end
  return is_any
end

-- Runs the rows with the present values.
function system:run_here()
  self.simulated = self.fit:run(self.fit.x)
  set_residuals(self.fit, self.simulated, self.residuals)
end

-- Moves the values that share, which were put back although rows need their sum: each by as much of its width as the rows'
-- slopes ask for, and none further.
function system:share()
  local fit = self.fit
  self.is_sharing = true
  self:search()
  self.is_sharing = false
  for i in ipairs(fit.values) do
    if self.shares[i] and math.abs(fit.x[i] - self.start[i]) < SHARE_LEAST then
      self.shares[i], fit.x[i] = false, self.start[i]
    end
  end
  self:run_here()
end

-- --- the whole -----------------------------------------------------------------------------------

-- Puts values that the rows do not determine back to their old places, the second time for good, or as near to them as the
-- rows permit; bound values stay. Returns whether any of them had moved, so that the others have to be searched for again.
function system:put_back()
  local fit, met, is_back, is_moved = self.fit, copy(self.residuals), {}, false
  self:set_aside(false)
  self:set_bounds()
  for i in ipairs(fit.values) do
    is_back[i] = not self.active[i] and not self.locked[i] and not self.bound_by[i]
    if is_back[i] then
      self.locked[i], self.was_put_back[i] = self.was_put_back[i], true
      is_moved = is_moved or math.abs(fit.x[i] - self.start[i]) > AT_END
      fit.x[i] = self.start[i]
    end
  end
  if is_moved then
    self:run_here()
    if self:find_sharing(is_back, met) then self:share() end
  end
  return is_moved
end

-- The state of the search. Lists by row: simulated, residuals, weights, and slopes (each a list by value). Lists by value:
-- `active`: it is searched for; `locked`: it is at its start for good, since the rows do not determine it; `shares`: it is
-- not determined, but stands where a sum needs it, between its old value and its range's end; `bound_by`: the row that moved
-- it to where no row depends on it. While `is_sharing` only values that share are searched for, each pulled back to its old
-- place in proportion to its width.
local function open(fit)
  local self = setmetatable({ fit = fit, simulated = {}, residuals = {}, weights = {}, slopes = {}, start = copy(fit.x),
                              active = {}, locked = {}, was_put_back = {}, shares = {}, bound_by = {}, is_sharing = false,
                              scale = SCALE_LEAST }, system)
  for k, row in ipairs(fit.rows) do self.simulated[k], self.residuals[k] = row.simulated, 0 end
  for i in ipairs(fit.values) do
    self.active[i], self.locked[i], self.was_put_back[i], self.shares[i] = false, false, false, false
  end
  set_residuals(fit, self.simulated, self.residuals)
  self:set_weights()
  return self
end

-- Searches from fit.x and leaves the best place there; with `keep` it stays at fit.x. Fills in the simulated times of rows for
-- calibration. Returns what is known of each value at that place (conclude.lua).
return function(fit, keep)
  local self, phase = open(fit), 0
  repeat
    phase = phase + 1
    local is_moved = false
    if not keep then
      self:search()
      self:set_slopes(false)
      is_moved = self:put_back()
    end
  until not is_moved or phase == PHASES
  self:set_weights()
  self:set_slopes(true)
  self:set_aside(false)
  local inverse, deviations = self:inverse(self:gram(true), self.active, 0), {}
  for i in ipairs(fit.values) do deviations[i] = self:part(i, self.active[i] and deviation_of(inverse, i) or 1) end
  local known = conclude(self, deviations)
  for k, row in ipairs(fit.rows) do
    if row.is_for_fit then row.simulated = self.simulated[k] end
  end
  return known
end
