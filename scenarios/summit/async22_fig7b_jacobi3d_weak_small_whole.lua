-- SPDX-License-Identifier: BSD-3-Clause
-- Async22, Fig 7b, with the paper's node counts and overdecomposition factors. It takes long.

local async = require "parts.jacobi3d_async"
local small = require "parts.jacobi3d_small"

local nodes, odfs = async.most(512, 16)

return small.figure {
  long = true,
  nodes = nodes, odfs = odfs,
}
