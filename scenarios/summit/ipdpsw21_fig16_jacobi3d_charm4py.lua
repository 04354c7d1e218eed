-- SPDX-License-Identifier: BSD-3-Clause
-- IPDPSW21, Fig 16: Jacobi3D in Charm4py on Summit, the runs of ParCo22's Fig 17, whose claims it restates.

local jacobi = require "parts.jacobi3d"

return jacobi.parco_figure { title = "IPDPSW21, Fig 16: Jacobi3D in Charm4py", host = "charm4py-h", direct = "charm4py-d", designs = { "charm4py-h", "charm4py-d" } }
