-- SPDX-License-Identifier: BSD-3-Clause
-- Async22, Fig 7b, on some of its points; async22_fig7b_jacobi3d_weak_small_whole.lua has all.

local small = require "parts.jacobi3d_small"

return small.figure { nodes = { 1, 2, 8, 32 }, odfs = { 1, 2, 4 } }
