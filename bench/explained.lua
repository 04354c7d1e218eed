-- SPDX-License-Identifier: BSD-3-Clause
-- A point of Jacobi3D for each runtime: what it costs to explain one (README.md).

local summit = require "configs.summit"

return study {
  title = "Jacobi3D on eight nodes",
  machine = summit { nodes = 8, transport = { kind = "segment", segment = "64KiB" } },
  vary = { design = { "charm-channel", "charm-messaging", "openmpi-h" } },
  run = function(p)
    return jacobi3d { design = p.design, nodes = 8, grid = 768, odf = p.design == "openmpi-h" and 1 or 4, warmup = 3,
                      tolerance = 0.005 }
  end,
}
