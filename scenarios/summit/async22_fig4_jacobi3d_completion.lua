-- SPDX-License-Identifier: BSD-3-Clause
-- Async22, Fig 4 and sections III-A and III-D: what a chare does while the GPU works, on one node of Summit. Completion by
-- callbacks or by a call that blocks the PE, with and without priorities of streams, by blocks a GPU; and threads of fused kernels.

local jacobi = require "parts.jacobi3d"

local odfs = { 1, 2, 4, 8 }

local function iteration(r, odf, completion, priorities)
  return r:value { odf = odf, completion = completion, priorities = priorities, fused = "none" }.iteration_us
end

local variants = zip {
  completion = { "async", "sync", "async", "async", "async" },
  priorities = { true, true, false, true, true },
  fused = { "none", "none", "none", "max", "sum" },
}

return study {
  title = "Async22, Fig 4: asynchronous and synchronous completion",
  machine = function(p) return jacobi.machine(1, jacobi.small, true, p.odf) end,
  vary = { { "odf", odfs }, variants },
  run = function(p)
    local is_fused = p.fused ~= "none"
    local r = jacobi.run {
      design = "charm-channel", nodes = 1, odf = p.odf, grid = 384, completion = p.completion, priorities = p.priorities,
      fusion = is_fused and "B" or "none", fused_threads = is_fused and p.fused or "max",
    }
    return { iteration = r.iteration, gpu_busy = r.gpu_busy, kernel_time = r.kernel_time, exposed = r.exposed,
             kernels = r.kernels, pe_utilisation = r.pe_utilisation }
  end,
  plot = { x = "odf", y = "iteration_us", by = "completion", panels = "fused", x_label = "Blocks a GPU",
           y_label = "Time per iteration",
           labels = { none = "not fused", max = "fused, by largest face", sum = "fused, by all faces" } },
  claims = {
    ["A-51"] = function(r)
      local function kernels(threads) return r:value { odf = 1, completion = "async", priorities = true, fused = threads }.kernel_time_us end
      local value = kernels("sum") / kernels("max")
      return { obtained = value, limits = { 1 }, holds = value > 1, note = "kernel time with as many threads as all faces have cells, over that with the largest" }
    end,
    ["A-56"] = function(r)
      local value = iteration(r, 2, "sync", true) / iteration(r, 2, "async", true)
      return { obtained = value, limits = { 1 }, holds = value > 1, note = "two chares: time with a blocking call over that with callbacks" }
    end,
    ["A-57"] = function(r)
      local value = iteration(r, 4, "async", false) / iteration(r, 4, "async", true)
      return { obtained = value, limits = { 1 }, holds = value > 1, note = "four chares: time without priorities over that with them" }
    end,
  },
}
