-- SPDX-License-Identifier: BSD-3-Clause
-- The points of ComPNet18's Fig 8a without its bands.
local points = require "scenarios.compnet.parts.get_points"

return study { title = "Gets of one work-group", machine = points.machine, vary = points.vary, run = points.run }
