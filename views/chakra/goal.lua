-- SPDX-License-Identifier: BSD-3-Clause
-- Writes GOAL: a rank's lines, each with its own label. Dependencies are lists of labels; for a label below 0 the line waits
-- for the start of that operation, not for its end.
local goal = {}

-- CPU streams of a rank: the process that passes messages, kernels, host code, and what goes on beside them.
goal.MESSAGES, goal.KERNELS, goal.HOST, goal.BESIDE = 0, 1, 2, 3

local methods = {}
methods.__index = methods

function goal.new(rank) return setmetatable({ rank = rank, lines = {}, count = 0 }, methods) end

function methods:add(text, after)
  self.count = self.count + 1
  local lines, label = self.lines, self.count
  lines[#lines + 1] = string.format("l%d: %s", label, text)
  for _, on in ipairs(after) do
    lines[#lines + 1] = string.format("l%d %s l%d", label, on < 0 and "irequires" or "requires", math.abs(on))
  end
  return label
end

function methods:calc(ns, stream, after) return self:add(string.format("calc %d cpu %d", ns, stream), after) end
function methods:send(to, bytes, tag, after) return self:add(string.format("send %db to %d tag %d", bytes, to, tag), after) end
function methods:receive(from, bytes, tag, after) return self:add(string.format("recv %db from %d tag %d", bytes, from, tag), after) end

-- All labels of the lists, each once.
function goal.join(all)
  local list, seen = {}, {}
  for _, labels in ipairs(all) do
    for _, label in ipairs(labels) do
      if not seen[label] then list[#list + 1], seen[label] = label, true end
    end
  end
  return list
end

function goal.text(ranks)
  local parts = { string.format("num_ranks %d", #ranks) }
  for _, of in ipairs(ranks) do
    parts[#parts + 1] = string.format("rank %d {\n%s\n}", of.rank, table.concat(of.lines, "\n"))
  end
  return table.concat(parts, "\n") .. "\n"
end

return goal
