-- SPDX-License-Identifier: BSD-3-Clause
-- A figure's axes: their ends, and their ticks, which are few, round and readable. All panels share them. (gnuplot itself
-- would label an axis from 8 B to 1 MiB with 10, 100, 1000, and each panel differently.)
--
-- An axis has `scale` ("linear", "log", "named"), `is_bytes` (ticks are powers of two, with their unit), its ends `low`
-- and `high`, `unit` (labels count in so many of the values' unit: 1000 for values in µs shown in ms), `last` (no tick
-- stands beyond it), `values` (distinct and growing once settled; of a named axis none) and `names` (labels of a named
-- axis: the first stands at 0, the next one at 1).
local text = require "text"
local axis = {}
axis.__index = axis

local LABEL_GAP = 1.0     -- em between two labels side by side
local LABEL_HEIGHT = 1.9  -- em for a label above another one
local WIDE_DECADES = 3    -- from so many decades on, ticks are 1, 10, 100; below 1, 2, 5, 10
local NAME_MOST = 24.0    -- em of the longest text that is a value
local MOST_TICKS = 200
local MOST_VALUES_AS_TICKS = 16
local USUAL_PARTS = 5
local MARGIN = 0.02

-- As C's floor: a zero keeps its sign.
local function floor(x) return math.floor(x) == 0 and 0.0 * x or math.floor(x) + 0.0 end
local function ceil(x) return math.ceil(x) == 0 and 0.0 * x or math.ceil(x) + 0.0 end

local function log10(x) return math.log(x, 10) end

function axis.new(scale, is_bytes)
  return setmetatable({ scale = scale, is_bytes = is_bytes, unit = 1, last = math.huge,
                        low = 0, high = 0, values = {}, names = {}, places = {} }, axis)
end

-- Adds a value to the axis; values that are not finite are ignored.
function axis:add(value)
  if value - value == 0 then self.values[#self.values + 1] = value end
end

-- The number of a label on a named axis, which is added if it is new.
function axis:add_name(label)
  if not self.places[label] then
    self.places[label] = #self.names
    self.names[#self.names + 1] = label
  end
  return self.places[label]
end

local function least(self) return self.values[1] or 0 end
local function most(self) return self.values[#self.values] or 1 end

-- To be called when all values have been added, before the functions below: a logarithmic axis without values becomes linear.
function axis:settle()
  local kept = {}
  table.sort(self.values)
  for _, value in ipairs(self.values) do
    if #kept == 0 or value > kept[#kept] then kept[#kept + 1] = value end
  end
  self.values = kept
  if #kept == 0 and self.scale == "log" then self.scale = "linear" end
end

-- Whether the axis can be drawn: not if it is logarithmic and has a value that is not above 0.
function axis:can_be_drawn()
  for _, value in ipairs(self.scale == "log" and self.values or {}) do
    if value <= 0 then return false end
  end
  return true
end

-- Makes a linear axis logarithmic if its values are above zero and the largest is `ratio` times the smallest or more.
function axis:log_if_wide(ratio)
  if self.scale == "linear" and #self.values > 0 and least(self) > 0 and
     most(self) >= ratio * least(self) then
    self.scale = "log"
  end
end

-- Adds a value below all others by that factor, so that bars which begin at the low end can be seen.
function axis:leave_room(factor) table.insert(self.values, 1, least(self) / factor) end

-- Step `n` of the ladder 1, 2, 5, 10, 20, ... or 1, 10, 100, ...; n may be negative.
local function rung(n, wide)
  if wide then return 10 ^ n end
  return ({ 1, 2, 5 })[n % 3 + 1] * 10 ^ (n // 3)
end

local function is_wide(low, high) return log10(high / low) > WIDE_DECADES end

-- The first rung that is not below the number.
local function rung_from(number, wide)
  local n = (wide and 1 or 3) * math.floor(log10(number))
  while rung(n, wide) < number * (1 - 1e-9) do n = n + 1 end
  return n
end

-- The smallest round step that cuts the stretch into no more than `parts`.
local function round_step(stretch, parts)
  return stretch > 0 and rung(rung_from(stretch / parts)) or 1
end

local function end_log(self)
  local wide = is_wide(least(self), most(self))
  local first, last = rung_from(least(self), wide), rung_from(most(self), wide)
  if rung(first, wide) > least(self) * (1 + 1e-9) or first == last then first = first - 1 end
  self.low, self.high = rung(first, wide), rung(math.max(last, first + 1), wide)
end

-- Ends the axis at round numbers around its values; with `from_zero`, a linear one at zero if all values are on one side of it.
function axis:end_round(from_zero)
  if self.scale == "log" then return end_log(self) end
  local low, high = least(self), most(self)
  if from_zero then low, high = low < 0 and low or 0, high > 0 and high or 0 end
  local step = round_step(high - low, USUAL_PARTS)
  self.low, self.high = floor(low / step + 1e-9) * step, ceil(high / step - 1e-9) * step
  if self.high <= self.low then self.high = self.low + step end
end

-- Ends the axis just outside of its values, so that no mark is cut.
function axis:end_near()
  local low, high = least(self), most(self)
  if self.scale == "named" then
    self.low, self.high = -0.6, math.max(#self.names, 1) - 0.4
  elseif self.scale == "log" then
    local factor = high > low and (high / low) ^ MARGIN or 2
    self.low, self.high = low / factor, high * factor
  else
    local more = high > low and MARGIN * (high - low) or math.max(math.abs(high), 1) / 2
    self.low, self.high = low - more, high + more
  end
end

-- Ends the axis where a study says; nil leaves an end as it is.
function axis:end_at(low, high)
  low, high = low or self.low, high or self.high
  if low >= high then
    error({ sentence = string.format("an axis of the plot would go from %g to %g", low, high) })
  end
  self.low, self.high = low, high
end

-- The place of a value on the axis, from 0 at the low end to 1 at the high end.
function axis:share(value)
  if self.scale == "log" then return math.log(value / self.low) / math.log(self.high / self.low) end
  return (value - self.low) / (self.high - self.low)
end

-- --- ticks ---------------------------------------------------------------------------------------

-- Adds a tick, unless it is outside of the axis. A minor tick has the label "".
local function append_tick(ticks, self, label, place)
  local share = self:share(place)
  if share >= -1e-6 and share <= 1 + 1e-6 and place <= self.last then
    ticks[#ticks + 1] = { label = label, place = place }
  end
end

-- The width in em of the widest label.
function axis.ticks_width(ticks)
  local width = 0.0
  for _, tick in ipairs(ticks) do width = math.max(width, text.width(tick.label)) end
  return width
end

-- Whether every `step`th label from the first on has room beside the next one.
local function labels_fit(ticks, step, self, length, is_vertical)
  for i = 1, #ticks - step, step do
    local one, next = ticks[i], ticks[i + step]
    local apart = math.abs(self:share(next.place) - self:share(one.place)) * length
    local widths = text.width(one.label) + text.width(next.label)
    if apart < (is_vertical and LABEL_HEIGHT or widths / 2 + LABEL_GAP) then return false end
  end
  return true
end

-- Removes labels evenly, beginning at the first, until the others have room.
local function thin_out(ticks, self, length, is_vertical)
  local step = 1
  while step < #ticks and not labels_fit(ticks, step, self, length, is_vertical) do
    step = step + 1
  end
  for i, tick in ipairs(ticks) do
    if (i - 1) % step ~= 0 then tick.label = "" end
  end
end

local DIGITS = { ["0"] = "⁰", ["1"] = "¹", ["2"] = "²", ["3"] = "³", ["4"] = "⁴", ["5"] = "⁵",
                 ["6"] = "⁶", ["7"] = "⁷", ["8"] = "⁸", ["9"] = "⁹", ["-"] = "⁻" }

-- The label of a number on an axis with numbers from `smallest` to `largest`: all are plain decimals, or all have powers of ten.
local function number_label(self, number, smallest, largest)
  number, smallest, largest = number / self.unit, smallest / self.unit, largest / self.unit
  if (largest < 1e6 and smallest >= 1e-4) or number == 0 then
    return string.format("%.7g", number + 0.0)
  end
  local power = math.floor(log10(math.abs(number)) + 1e-9)
  local tens = "10" .. tostring(power):gsub(".", DIGITS)
  local factor = number / 10 ^ power
  return math.abs(factor - 1) < 1e-9 and tens or string.format("%.3g·%s", factor, tens)
end

local function label_of(self, number, smallest, largest)
  return self.is_bytes and core.size_text(number) or number_label(self, number, smallest, largest)
end

local function byte_ticks(self)
  local ticks = {}
  local power = self.low >= 1 and math.floor(math.log(self.low, 2)) or 0
  while power < 62 and 2.0 ^ power <= self.high do
    append_tick(ticks, self, core.size_text(2.0 ^ power), 2.0 ^ power)
    power = power + 1
  end
  return ticks
end

local function rung_ticks(self, wide)
  local ticks = {}
  for n = rung_from(self.low, wide), rung_from(self.high, wide) do
    if #ticks >= MOST_TICKS then break end
    append_tick(ticks, self, number_label(self, rung(n, wide), self.low, self.high), rung(n, wide))
  end
  return ticks
end

-- The ticks of a logarithmic axis: the values themselves if there are few, such as counts of threads; else 1, 2, 5 if there
-- is room; else decades, or every second one.
local function log_ticks(self, length, is_vertical)
  local wide = is_wide(self.low, self.high)
  local ticks = rung_ticks(self, wide)
  if wide or labels_fit(ticks, 1, self, length, is_vertical) then
    thin_out(ticks, self, length, is_vertical)
    return ticks
  end
  for _, tick in ipairs(ticks) do
    local power = log10(tick.place)
    if math.abs(power - floor(power + 0.5)) > 1e-6 then tick.label = "" end
  end
  return ticks
end

local function value_ticks(self)
  local ticks = {}
  for _, value in ipairs(self.values) do
    append_tick(ticks, self, label_of(self, value, least(self), most(self)), value)
  end
  return ticks
end

local function linear_ticks(self, parts)
  local ticks, step = {}, round_step(self.high - self.low, parts)
  local largest = math.max(math.abs(self.low), math.abs(self.high))
  local n = ceil(self.low / step - 1e-6) + 0.0
  while n * step <= self.high * (1 + 1e-9) + step * 1e-6 do
    append_tick(ticks, self, label_of(self, n * step, step, largest), n * step)
    n = n + 1
  end
  return ticks
end

local function name_ticks(self)
  local ticks = {}
  for i, name in ipairs(self.names) do
    append_tick(ticks, self, text.fitting(name, NAME_MOST), i - 1)
  end
  return ticks
end

-- Ticks ({ label, place }) for an axis of that length in em, as many as have room for their labels. Along a vertical
-- axis labels stand above each other.
function axis:ticks(length, is_vertical)
  local is_log, count = self.scale == "log", #self.values
  local has_few = count > 0 and count <= MOST_VALUES_AS_TICKS
  if self.scale == "named" then return name_ticks(self) end
  if is_log and not self.is_bytes and (is_vertical or count > MOST_VALUES_AS_TICKS) then
    return log_ticks(self, length, is_vertical)
  end
  if not is_log and not (self.is_bytes and has_few and not is_vertical) then
    local parts = 8
    local ticks = linear_ticks(self, parts)
    while parts >= 1 and not labels_fit(ticks, 1, self, length, is_vertical) do
      parts = parts / 1.5
      ticks = linear_ticks(self, parts)
    end
    return ticks
  end
  local ticks = is_log and self.is_bytes and byte_ticks(self) or value_ticks(self)
  thin_out(ticks, self, length, is_vertical)
  return ticks
end

return axis
