-- SPDX-License-Identifier: BSD-3-Clause
-- A checked plan as text for benchmarks/parts/plan.lua: one line for the plan, one for each threadblock (B), one for each of
-- its steps (S).
local steps = {}

local function connections()
  local numbers, count = {}, 0
  return function(key)
    if not key then return 0 end
    if not numbers[key] then count, numbers[key] = count + 1, count + 1 end
    return numbers[key]
  end
end

local function waits_of(step, numbers)
  local list = {}
  for _, sides in ipairs { step.dependencies, step.after } do
    for _, on in ipairs(sides) do
      if on.step > 0 then list[#list + 1] = numbers[on.block] .. "." .. on.step end
    end
  end
  return #list > 0 and table.concat(list, ",") or "-"
end

-- How many sides of a step are on its own GPU, and the GPUs of the others.
local function count_own(block, sides)
  local own, others = 0, {}
  for _, side in ipairs(sides) do
    if side.gpu == block.gpu then own = own + 1 else others[#others + 1] = side.gpu end
  end
  return own, others
end

function steps.text(of, plan)
  local numbers, number_of = {}, connections()
  for i, block in ipairs(plan.blocks) do numbers[block] = i end
  local lines = { string.format("%s %s %d %d %s %s", plan.collective, plan.protocol, plan.gpus, plan.chunks,
    plan.places[1] and "in" or #plan.places == 2 and "both" or "out", plan.threads or "-") }
  for _, block in ipairs(plan.blocks) do
    lines[#lines + 1] = string.format("B %d %d", block.gpu, block.to or -1)
    for _, step in ipairs(block.steps) do
      if step.untimed then of.refuse(step.line, "the data are right, but what %s takes is not known: %s", step.name, step.untimed) end
      local loads, far = count_own(block, step.reads)
      local stores, to = count_own(block, step.writes)
      lines[#lines + 1] = string.format("S %.17g %d %d %d %d %s %s %s %s", step.count / plan.parts, loads, stores, number_of(step.gets), number_of(step.sends),
        #far > 0 and table.concat(far, ",") or "-", #to > 0 and table.concat(to, ",") or "-", step.fences and "f" or "-", (waits_of(step, numbers)))
    end
  end
  return table.concat(lines, "\n") .. "\n"
end

return steps
