-- SPDX-License-Identifier: BSD-3-Clause
-- Search over one parameter: first its range in steps, then the steps in which the measure passes the target.
local search = require "solve/search"

local STEPS = 8

-- The steps through the target among tries in the order of their values, nearest to the present first: { near, far } as
-- seen from the present value. A step skips tries that failed or whose spread reaches the target.
local function find_steps(of, tries)
  local knob, steps, last = of.knobs[1], {}, nil
  local present = search.place(knob, knob.parameter.now)
  if present ~= present or math.abs(present) == math.huge then present = 0 end
  local function distance(try) return math.abs(search.place(knob, try.values[1]) - present) end
  for _, try in ipairs(tries) do
    local side = search.side(try)
    if side ~= 0 and last and last ~= try and search.side(last) ~= side then
      local near, far = last, try
      if distance(try) < distance(last) then near, far = try, last end
      steps[#steps + 1] = { near = near, far = far, distance = distance(near), number = #steps }
    end
    last = side ~= 0 and try or last
  end
  table.sort(steps, function(a, b) return a.distance < b.distance or a.distance == b.distance and a.number < b.number end)
  return steps
end

return function(of)
  local sets = {}
  for i = 0, STEPS do sets[i + 1] = { search.value(of.knobs[1], i / STEPS) } end
  for _, step in ipairs(find_steps(of, of:try_values(sets))) do
    of:cut(step.near, step.far)
    if of:take_end() then return end
  end
end
