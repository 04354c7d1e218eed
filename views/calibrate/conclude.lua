-- SPDX-License-Identifier: BSD-3-Clause
-- How well the rows determine each value where the search has ended: what docs/use/calibrate.md calls known.
--
-- Of one value:
--   is_determined
--   is_bound        by `row` only: drawn to where no row depends on it, and worse where it was; it is determined, too
--   is_shared       one of a sum: only that is known, and each moved as little as it asks for
--   is_at_end       of its range: the rows want it beyond
--   is_alone        its row depends on nothing else that is determined
--   deviation       standard deviation, as a part of the value
--   low, high       places between which all rows that are met stay so, the others as they are
--   row             that says most of it; nil: none depends on it
--   rows            how many say at least a fifth as much
--   residual        median of |simulated / measured - 1| over these
--   together_with   not determined, or shared: the value that the same rows depend on; bound: the one that limits its row
local fits = require "calibrate/fit"
local statistics = require "statistics"

local DETERMINED_BEFORE = 0.02 -- of likeness
local SLOPE_LEAST = 0.05       -- tolerances by which a row moves when a value doubles: less is nothing

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

-- Whether the row that says most of value `i` depends on others that are searched for by less than a tenth of that.
local function is_its_own(of, i, row)
  local others = 0
  for j in ipairs(of.fit.values) do
    if j ~= i and of.active[j] then others = others + strength(of, row, j) end
  end
  return others < strength(of, row, i) / 10
end

-- How much the slopes of two values are alike, from 0 to 1.
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

-- The value whose slopes are most like those of value `i`; of several that are as much so, one that is determined.
local function find_companion(of, i)
  local best, most = nil, 0.5
  for j in ipairs(of.fit.values) do
    local alike = j ~= i and likeness(of, i, j) or 0
    if alike > 0 and of.active[j] then alike = alike + DETERMINED_BEFORE end
    if alike > most then best, most = j, alike end
  end
  return best
end

-- What a row that binds value `i` depends on there: another of its unit that is bound, such as two rates of which the
-- lesser counts, or the one that it depends on most; nil: on none.
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

-- The places between which every row that is met stays so, by its slope.
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

-- Whether value `i` stands at an end of its range and the rows draw it beyond.
local function is_at_end(of, i)
  local pull = 0
  for k, slopes in ipairs(of.slopes) do pull = pull - of.weights[k] * of.residuals[k] * slopes[i] end
  return of:wants_beyond(i, pull)
end

-- Of a value that is bound by a row nothing is known but that it is no worse than where it stands.
local function conclude_bound(of, i, known)
  local row = of.bound_by[i]
  if known.is_determined or not row then return end
  known.is_determined, known.is_bound = true, true
  known.row, known.rows, known.deviation = row, 1, 1
  known.together_with = find_limit(of, i, row)
  known.residual = off(of, row)
end

-- Of a value that has its part in a sum no more is known than that sum.
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

-- What is known of each value where the search (determine.lua) stands, whose slopes are of all values.
return function(of, deviations)
  local known = {}
  for i in ipairs(of.fit.values) do known[i] = conclude_one(of, i, deviations[i]) end
  return known
end
