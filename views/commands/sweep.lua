-- SPDX-License-Identifier: BSD-3-Clause
-- gpunetsim sweep FILE.lua: run --only-store.
local run = require "commands/run"

return { options = run.options, least = 1, most = 1, run = function(given, path, is_helper) run.run(given, path, true, is_helper) end }
