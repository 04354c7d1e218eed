-- SPDX-License-Identifier: BSD-3-Clause
-- Texts that are quantities ("8B", "1.5us") compute as such: script/machine/quantity_lua.h says how.
local quantities = {}

local function unit_of(text)
  local _, unit = core.read_quantity(text)
  return unit
end

local TIME, BYTES, RATE, FREQUENCY = unit_of "1s", unit_of "1B", unit_of "1B/s", unit_of "1Hz"
local POWER, ENERGY = unit_of "1W", unit_of "1J"

-- Products of two kinds: left * right / by = result; without a result it is a plain number.
local PRODUCTS = {
  { left = RATE, right = TIME, result = BYTES, by = 1000000000000 },
  { left = POWER, right = TIME, result = ENERGY, by = 1 },
  { left = FREQUENCY, right = TIME, by = 1000000000000 },
}

-- One side of an operator: a quantity of base units with its unit; or a number, and that as a whole one if it is one; or neither.
local function operand(value)
  local quantity, unit = core.read_quantity(value)
  if quantity then return { quantity = quantity, unit = unit } end
  local number = (type(value) == "number" or type(value) == "string") and tonumber(value) or nil
  return { number = number, whole = number and math.tointeger(number) }
end

local function are_alike(a, b) return a.unit ~= nil and a.unit == b.unit end

-- --- refusals -----------------------------------------------------------------------------------

local function kind_of(of) return of.unit and core.kind_name(of.unit) or of.number and "plain number" or "no quantity" end

-- The value as a script would write it, or its type if it has no text.
local function shown(value)
  if type(value) == "string" then return '"' .. value:match("^[^\0]*") .. '"' end
  return type(value) == "number" and tostring(value) or type(value)
end

function quantities.refuse(sign, left, right)
  local is, other = kind_of(operand(left)), kind_of(operand(right))
  local both = is == other and "both are " .. is or "one is " .. is .. ", the other " .. other
  core.fail(shown(left) .. " " .. sign .. " " .. shown(right) .. " has no meaning: " .. both)
end

function quantities.refuse_unit(value, suffix)
  core.fail(shown(value) .. " is " .. kind_of(operand(value)) .. " and cannot be told in " .. suffix)
end

-- --- results ------------------------------------------------------------------------------------

-- The whole number as the text of a quantity; `number` is nil if it is too large.
local function text(number, unit)
  if not number then core.fail("the result is larger than a quantity of " .. core.kind_name(unit) .. " can be") end
  return core.quantity_text(number, unit)
end

-- left * factor / by, exactly: to the nearest, halves away from 0, or down.
local function divided(left, factor, by, is_floored)
  if by == 0 then core.fail("a quantity is divided by 0") end
  return core.exact(left, factor, 0, by, is_floored)
end

local function scaled(of, number)
  if number.whole then return text(core.exact(of.quantity, number.whole, 0, 1), of.unit) end
  return text(core.rounded(of.quantity * number.number), of.unit)
end

local function multiplied(a, b)
  for _, product in ipairs(PRODUCTS) do
    if product.left == a.unit and product.right == b.unit or product.left == b.unit and product.right == a.unit then
      if not product.result then return core.product(a.quantity, b.quantity) / product.by end
      return text(core.exact(a.quantity, b.quantity, 0, product.by), product.result)
    end
  end
end

-- The other factor, where the left side is the result of a product and the right side is one of its factors.
local function factor(a, b)
  for _, product in ipairs(PRODUCTS) do
    local is_left, value = product.left == b.unit, a.quantity
    if not product.result then value = a.whole end
    if value and product.result == a.unit and (is_left or product.right == b.unit) then
      return text(divided(value, product.by, b.quantity), is_left and product.right or product.left)
    end
  end
end

-- --- operators ----------------------------------------------------------------------------------

local operators = {}

operators["+"] = function(a, b) return are_alike(a, b) and text(core.exact(a.quantity, 1, b.quantity, 1), a.unit) end

operators["-"] = function(a, b) return are_alike(a, b) and text(core.exact(b.quantity, -1, a.quantity, 1), a.unit) end

operators["*"] = function(a, b)
  if b.number then return scaled(a, b) end
  if a.number then return scaled(b, a) end
  return a.unit and b.unit and multiplied(a, b)
end

operators["/"] = function(a, b)
  if are_alike(a, b) then
    if b.quantity == 0 then core.fail("a quantity is divided by 0") end
    return a.quantity / b.quantity
  end
  if b.unit then return factor(a, b) end
  if b.whole then return text(divided(a.quantity, 1, b.whole), a.unit) end
  return b.number and text(core.rounded(a.quantity / b.number), a.unit)
end

operators["//"] = function(a, b)
  if are_alike(a, b) then return divided(a.quantity, 1, b.quantity, true) end
  return a.unit and b.whole and text(divided(a.quantity, 1, b.whole, true), a.unit)
end

operators["%"] = function(a, b)
  return are_alike(a, b) and text(a.quantity - divided(a.quantity, 1, b.quantity, true) * b.quantity, a.unit)
end

-- Operates on two values of which at least one is a quantity.
function quantities.operate(sign, left, right)
  local operator = operators[sign]
  return operator and operator(operand(left), operand(right)) or quantities.refuse(sign, left, right)
end

function quantities.negate(value)
  local of = operand(value)
  return text(core.exact(of.quantity, -1, 0, 1), of.unit)
end

return quantities
