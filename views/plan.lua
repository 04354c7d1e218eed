-- SPDX-License-Identifier: BSD-3-Clause
-- Plans of collectives (MSCCL's XML, MSCCL++'s JSON) for gpunetsim collective --plan: checked with data, then as a text of steps.
local carry = require "plan/carry"
local msccl = require "plan/msccl"
local mscclpp = require "plan/mscclpp"
local steps = require "plan/steps"
local plan = {}

local function refuser(file)
  return { file = file, refuse = function(line, ...) error({ sentence = string.format("%s:%d: %s", file, line, string.format(...)) }, 0) end }
end

local function read(of, text, file)
  if text:find "^%s*[{%[]" then return mscclpp.read(of, text) end
  local root = core.xml(text, file)
  if root.name ~= "algo" then of.refuse(root.line, "<%s> begins no algorithm of MSCCL, which is <algo>", root.name) end
  return msccl.read(of, root)
end

-- The steps of the plan in `text`, which is to be of `operation`.
function plan.steps(text, file, operation)
  local of = refuser(file:gsub("%c", "?"))
  local made = read(of, text, file)
  carry.check(of, made)
  if made.collective ~= operation then of.refuse(made.line, "the plan is of %s, and %s is asked for", made.collective, operation) end
  return { steps.text(of, made) }
end

return plan
