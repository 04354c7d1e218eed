-- SPDX-License-Identifier: BSD-3-Clause
-- How well the rows determine each value at the end of the search (docs/use/calibrate.md: what is known).
-- What is known of a value:
--   is_determined
--   is_bound        only by `row`: moved to where no row depends on it, and `row` would be worse at its old value; also determined
--   is_shared       one of a sum of which only the sum is known; each value moved as little as the sum asks for
--   is_at_end       at an end of its range, and the rows would move it beyond
--   is_alone        its row depends on nothing else that is determined
--   deviation       standard deviation, as a part of the value
--   low, high       places between which all rows that are met stay met, with the other values as they are
--   row             the row that says most about it; nil: no row depends on it
--   rows            how many rows say at least a fifth as much
--   residual        median of |simulated / measured - 1| over these rows
--   together_with   if not determined or shared: the value on which the same rows depend; if bound: the value that limits its row
local fits = require "calibrate/fit"
local statistics = require "statistics"

local DETERMINED_BEFORE = 0.02 -- of likeness
local SLOPE_LEAST = 0.05       -- tolerances that a row moves when a value doubles; less does not count

local function strength(of, k, i) return math.abs(of.slopes[k][i]) * math.sqrt(of.weights[k]) end

local function off(of, k) return math.abs(of.simulated[k] / of.fit.rows[k].measured - 1) end

local function find_rows(of, i, known)
  local most, offs = SLOPE_LEAST, {}
  for k in ipairs(of.fit.rows) do
    if strength(of, k, i) > most then known.row, most = k, strength(of, k, i) end
  end
  for k in ipairs(known.row and of.fit.rows or {}) do
    if strength(of, k, i) >= most / 5 then offs[#offs + 1] = off(of, k) end
  end
  known.rows, known.residual = #offs, statistics.median(offs) or 0
end

-- Whether the row that says most about value `i` depends on the other searched values by less than a tenth as much.
local function is_its_own(of, i, row)
  local others = 0
  for j in ipairs(of.fit.values) do
    if j ~= i and of.active[j] then others = others + strength(of, row, j) end
  end
  return others < strength(of, row, i) / 10
end

-- How alike the slopes of two values are, from 0 to 1.
local function likeness(of, i, j)
  local ij, ii, jj = 0, 0, 0
  for k, slopes in ipairs(of.slopes) do
    local weight, a, b = of.weights[k], slopes[i], slopes[j]
    ij = ij + weight * a * b
    ii = ii + weight * a * a
    jj = jj + weight * b * b
  end
  return ii > 0 and jj > 0 and math.abs(ij) / math.sqrt(ii * jj) or 0
end

-- The value whose slopes are most like those of value `i`; among equally like ones, a determined one.
local function find_companion(of, i)
  local best, most = nil, 0.5
  for j in ipairs(of.fit.values) do
    local alike = j ~= i and likeness(of, i, j) or 0
    if alike > 0 and of.active[j] then alike = alike + DETERMINED_BEFORE end
    if alike > most then best, most = j, alike end
  end
  return best
end

-- The value that limits a row which binds value `i`: another bound value of the same unit (such as two rates of which the
-- lesser counts), or else the one on which the row depends most; nil: none.
local function find_limit(of, i, row)
  local limit, alike, most = nil, nil, SLOPE_LEAST
  for j, value in ipairs(of.fit.values) do
    local slope = math.abs(of.slopes[row][j])
    local is_alike = value.parameter.unit == of.fit.values[i].parameter.unit
    local is_bound = j ~= i and of.fit.rows[row].reads[j] and of.bound_by[j]
    if is_bound and is_alike and (not alike or of.bound_by[j] == row) then alike = j end
    if j ~= i and slope > most then limit, most = j, slope end
  end
  return alike or limit
end

-- The places between which every row that is met stays met, by its slope.
local function find_span(of, i, known)
  local value, x = of.fit.values[i], of.fit.x[i]
  known.low, known.high = fits.place(value, value.low), fits.place(value, value.high)
  for k, slopes in ipairs(of.slopes) do
    local slope, residual = slopes[i], of.residuals[k]
    if of.weights[k] > 0 and math.abs(residual) <= 1 and math.abs(slope) >= SLOPE_LEAST then
      local towards = slope > 0 and residual or -residual
      known.low = math.max(known.low, x - (1 + towards) / math.abs(slope))
      known.high = math.min(known.high, x + (1 - towards) / math.abs(slope))
    end
  end
end

-- Whether value `i` is at an end of its range and the rows would move it beyond.
local function is_at_end(of, i)
  local pull = 0
  for k, slopes in ipairs(of.slopes) do pull = pull - of.weights[k] * of.residuals[k] * slopes[i] end
  return of:wants_beyond(i, pull)
end

-- A bound value is only known to be as good as its present place or better.
local function conclude_bound(of, i, known)
  local row = of.bound_by[i]
  if known.is_determined or not row then return end
  known.is_determined, known.is_bound = true, true
  known.row, known.rows, known.deviation = row, 1, 1
  known.together_with = find_limit(of, i, row)
  known.residual = off(of, row)
end

-- Of a value that shares, only the sum is known.
local function conclude_shared(of, i, known)
  if known.is_determined or not of.shares[i] or not known.row then return end
  known.is_determined, known.is_shared = true, true
  known.together_with = find_companion(of, i)
  known.deviation = 1
end

local function conclude_one(of, i, deviation)
  local known = { deviation = deviation }
  find_rows(of, i, known)
  find_span(of, i, known)
  known.is_determined = of.active[i] and known.row ~= nil
  known.is_at_end = known.is_determined and is_at_end(of, i)
  known.together_with = not known.is_determined and known.row and find_companion(of, i) or nil
  known.is_alone = known.is_determined and is_its_own(of, i, known.row)
  conclude_bound(of, i, known)
  conclude_shared(of, i, known)
  return known
end

-- What is known of each value at the present place of the search (determine.lua), which must have the slopes by all values.
return function(of, deviations)
  local known = {}
  for i in ipairs(of.fit.values) do known[i] = conclude_one(of, i, deviations[i]) end
  return known
end
