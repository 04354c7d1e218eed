-- SPDX-License-Identifier: BSD-3-Clause
-- The update of a block of Jacobi3D as a kernel by itself, as the table `jacobi3d_kernels` has it: each work-group reads and writes its
-- 8 x 8 x 8 cells once. 20 launches in a row; the result's `update` is the time of one.
local function update(n)
  local w = program { design = "openmpi-d", nodes = 1 }
  w:host(0):process(function(p)
    local start = p:now()
    for _ = 1, 20 do p:launch { work_groups = (n // 8) ^ 3 // 1 | 0, threads = 512, bytes = 512 * 16 .. "B" } end
    p:synchronise()
    p:record("update", (p:now() - start) / 20)
  end)
  return w:run()
end

return { update = update }
