-- SPDX-License-Identifier: BSD-3-Clause
-- What test_rehearsal.c calls: a rehearsal before a run.
local rehearsal = require "rehearsal"

local function apart(...)
  rehearsal.apart(...)
  return {}
end

return { apart = apart }
