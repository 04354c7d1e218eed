-- Summit as large as the largest runs of Jacobi3D on it, for bench_jacobi3d. Nodes that a run does not use are not made.
local summit = require "configs.summit"

return summit { nodes = 512, transport = { kind = "segment", segment = "16KiB" }, ucx = { gpu_direct = "1TiB" } }
