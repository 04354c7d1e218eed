-- SPDX-License-Identifier: BSD-3-Clause
-- Plans of collectives (MSCCL's XML, MSCCL++'s JSON) for gpunetsim collective --plan: checked with data, then as a text of steps.
local carry = require "plan/carry"
local msccl = require "plan/msccl"
local mscclpp = require "plan/mscclpp"
local steps = require "plan/steps"
local plan = {}

local MOST_GPUS = 8

local function refuser(file)
  return { file = file, refuse = function(line, ...) error({ sentence = string.format("%s:%d: %s", file, line, string.format(...)) }, 0) end }
end

-- nccl-tests' 128M, or a size with its unit, in bytes; what is no size, the study refuses.
local function bytes_of(text)
  local count, letter = text:match "^(%d+)([KMG]?)$"
  local units = { K = "KiB", M = "MiB", G = "GiB", [""] = "B" }
  return core.parse("bytes", count and count .. units[letter] or text) or 0
end

local function read(of, text, file, largest)
  if text:find "^%s*[{%[]" then return mscclpp.read(of, text) end
  local root = core.xml(text, file)
  if root.name ~= "algo" then of.refuse(root.line, "<%s> begins no algorithm of MSCCL, which is <algo>", root.name) end
  return msccl.read(of, root, math.max(bytes_of(largest), 1))
end

local function check_gpus(of, made, gpus)
  if made.gpus > MOST_GPUS then
    of.refuse(made.line, "the plan's data are right, but it is for %d GPUs, and NCCL's kernels are known within a node of 2 to %d", made.gpus, MOST_GPUS)
  end
  if gpus and gpus ~= tostring(made.gpus) then of.refuse(made.line, "the plan is for %d GPUs, and %s are asked for", made.gpus, gpus) end
end

-- The steps of the plan in `text`, which is to be of `operation`, for so many GPUs (nil: as it has), and buffers of up to `largest`.
function plan.steps(text, file, operation, gpus, largest)
  local of = refuser(file:gsub("%c", "?"))
  local made = read(of, text, file, largest)
  carry.check(of, made)
  check_gpus(of, made, gpus)
  if made.collective ~= operation then of.refuse(made.line, "the plan is of %s, and %s is asked for", made.collective, operation) end
  return { steps.text(of, made) }
end

return plan
