-- SPDX-License-Identifier: BSD-3-Clause
-- The values that a parameter can take in a search (script/searches/vary_lua.h).
local parameter = {}

local DIGITS = 5 -- binary digits of a tried size: caches have whole numbers of sets

-- The nearest value that the parameter can take: whole base units, within the bounds of its table.
function parameter.nearest(of, number)
  number = math.max(math.min(number, of.most), of.least)
  local is_ratio = of.is_number and not of.is_whole
  return is_ratio and number or core.round(number)
end

-- The value of the last binary digit of a number that is kept.
local function last_digit(number)
  local exponent = math.floor(math.log(number, 2)) -- corrected for the logarithm's rounding
  if 2.0 ^ exponent > number then exponent = exponent - 1 end
  if 2.0 ^ (exponent + 1) <= number then exponent = exponent + 1 end
  return 2.0 ^ (exponent + 1 - DIGITS)
end

-- The nearest value that its machine accepts; for the size of a cache, within 3 %.
function parameter.taken(of, number)
  number = parameter.nearest(of, number)
  if number == 0 or of.is_taken(number) then return number end
  local digit = last_digit(math.abs(number))
  return parameter.nearest(of, core.round(number / digit) * digit)
end

return parameter
