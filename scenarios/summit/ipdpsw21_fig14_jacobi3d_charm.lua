-- SPDX-License-Identifier: BSD-3-Clause
-- IPDPSW21, Fig 14: Jacobi3D in Charm++ on Summit, the runs of ParCo22's Fig 15, whose claims it restates.

local jacobi = require "parts.jacobi3d"

return jacobi.parco_figure { title = "IPDPSW21, Fig 14: Jacobi3D in Charm++", host = "charm-h", direct = "charm-messaging", designs = { "charm-h", "charm-messaging" } }
