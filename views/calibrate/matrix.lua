-- SPDX-License-Identifier: BSD-3-Clause
-- Small matrices that are symmetric and positive, as lists of rows.
local matrix = {}

local function identity(size)
  local rows = {}
  for i = 1, size do
    rows[i] = {}
    for j = 1, size do rows[i][j] = i == j and 1 or 0 end
  end
  return rows
end

local function divide(row, by)
  for j = 1, #row do row[j] = row[j] / by end
end

local function subtract(row, factor, other)
  for j = 1, #row do row[j] = row[j] - factor * other[j] end
end

-- The inverse, by Gauss and Jordan without pivoting; the matrix is used up.
function matrix.invert(of)
  local size = #of
  local inverse = identity(size)
  for p = 1, size do
    local pivot = of[p][p]
    divide(of[p], pivot)
    divide(inverse[p], pivot)
    for i = 1, size do
      local factor = of[i][p]
      if i ~= p and factor ~= 0 then
        subtract(of[i], factor, of[p])
        subtract(inverse[i], factor, inverse[p])
      end
    end
  end
  return inverse
end

return matrix
