-- SPDX-License-Identifier: BSD-3-Clause
-- Summit: up to 4,608 nodes of two sockets with three GPUs each (configs/ac922.lua) in a fat tree.

local ac922 = require "configs.ac922"

return ac922 { name = "summit" }
