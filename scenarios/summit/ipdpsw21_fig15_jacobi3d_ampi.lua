-- SPDX-License-Identifier: BSD-3-Clause
-- IPDPSW21, Fig 15: Jacobi3D in AMPI on Summit, the runs of ParCo22's Fig 16, whose claims it restates.

local jacobi = require "parts.jacobi3d"

return jacobi.parco_figure { title = "IPDPSW21, Fig 15: Jacobi3D in AMPI", host = "ampi-h", direct = "ampi-d", designs = { "ampi-h", "ampi-d", "openmpi-h", "openmpi-d" } }
