-- SPDX-License-Identifier: BSD-3-Clause
-- The data of a pattern that is checked: a message's data wait here from its send until its receiver has seen it arrive.
local carried = {}
carried.__index = carried

-- `where`: the word for a place in the note of a fault, such as "GPU".
function carried.new(where)
  return setmetatable({ where = where, flows = {}, left = 0, wrong = nil }, carried)
end

-- Notes the first fault (`wrong`).
function carried:note_wrong(what, place)
  self.wrong = self.wrong or ("the pattern is wrong: %s, at %s %d"):format(what, self.where, place)
end

local function flow_of(self, ...)
  local key = table.concat({ ... }, " ")
  self.flows[key] = self.flows[key] or {}
  return self.flows[key]
end

-- A message of the flow that has the numbers `...`, such as its ends.
function carried:give(message, ...)
  table.insert(flow_of(self, ...), message)
  self.left = self.left + 1
end

-- Takes the flow's oldest message; nil: there is none.
function carried:take(...)
  local message = table.remove(flow_of(self, ...), 1)
  self.left = self.left - (message and 1 or 0)
  return message
end

-- When the pattern is over: notes messages that were given and not taken.
function carried:finish()
  if self.left ~= 0 then
    self:note_wrong("messages were sent that nobody received", 0)
  end
end

return carried
