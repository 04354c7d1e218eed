-- SPDX-License-Identifier: BSD-3-Clause
-- Values that a parameter can take, as searches vary it (script/searches/vary_lua.h).
local parameter = {}

local DIGITS = 5 -- caches have whole numbers of sets, which five binary digits are

-- The nearest value that it can take: whole base units, within the bounds of its table.
function parameter.nearest(of, number)
  number = math.max(math.min(number, of.most), of.least)
  local is_ratio = of.is_number and not of.is_whole
  return is_ratio and number or core.round(number)
end

-- The power of two that is the last of the number's binary digits.
local function last_digit(number)
  local exponent = math.floor(math.log(number, 2)) -- the rounding of a logarithm is put right
  if 2.0 ^ exponent > number then exponent = exponent - 1 end
  if 2.0 ^ (exponent + 1) <= number then exponent = exponent + 1 end
  return 2.0 ^ (exponent + 1 - DIGITS)
end

-- The nearest value that it can take with its machine, of a size of a cache within 3 %.
function parameter.taken(of, number)
  number = parameter.nearest(of, number)
  if number == 0 or of.is_taken(number) then return number end
  local digit = last_digit(math.abs(number))
  return parameter.nearest(of, core.round(number / digit) * digit)
end

return parameter
