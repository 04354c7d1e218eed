-- SPDX-License-Identifier: BSD-3-Clause
-- The options of a replay, `--trace KEY=VALUE,...`: the file of groups, the speed of computation, the algorithms of collectives.
local options = {}

local function fail(...) error({ sentence = string.format(...) }, 0) end

local function positive(key, text)
  local number = tonumber(text)
  if not number or not (number > 0 and number < math.huge) then fail("--trace %s=%s: a number above 0 is needed", key, text) end
  return number
end

local function one_of(first, second)
  return function(key, text)
    if text == first or text == second then return text end
    fail("--trace %s=%s: accepted are %s and %s", key, text, first, second)
  end
end

local function whole(key, text)
  local number = math.tointeger(tonumber(text))
  if not number or number < 1 or number > 65536 then fail("--trace %s=%s: a whole number from 1 to 65536 is needed", key, text) end
  return number
end

local function shape(key, text)
  local dims = {}
  for part in (text .. "x"):gmatch("([^x]*)x") do dims[#dims + 1] = whole(key, part) end
  return dims
end

local KEYS = {
  groups = function(_, text) return text end, -- a file
  compute = one_of("duration", "roofline"),
  flops = positive, memory = positive, -- per second, in place of the machine's
  all_reduce = one_of("ring", "doubling"),
  control = one_of("ignore", "wait"), -- for control dependencies, too
  dims = shape, ranks = whole,
}

-- The options of a text (nil: none); `machine` is what a machine's GPU does in a second, or empty.
function options.parse(text, machine)
  local of = { compute = "duration", all_reduce = "ring", flops = machine.flops, memory = machine.memory }
  for part in (text or ""):gmatch("[^,]+") do
    local key, value = part:match("^([^=]+)=(.*)$")
    local parse = key and KEYS[key]
    if not parse then
      fail("--trace %s: it has groups=FILE, compute=duration|roofline, flops=N, memory=N, all_reduce=ring|doubling, control=ignore|wait, dims=NxN, ranks=N",
        part)
    end
    of[key] = parse(key, value)
  end
  return of
end

return options
