-- SPDX-License-Identifier: BSD-3-Clause
-- Queues between work-groups and their servers, as in the micro-benchmarks: the server only sees an operation and spends some time on
-- it; a work-group posts several operations together and waits for each.

-- Each thread of a server looks at its part of the queues, one after the other. While a look of a host thread waits for its miss, the
-- core fetches the lines of the next looks.
local host_threads = design { from = "dgpu-host-queue", poll_loop = "ahead", nic_queue = { sharers = 1 } }
local gpu_thread = design { from = "gpu-thread", queue = { memory = "gpu" }, nic_queue = { sharers = 1 } }
local gpu_warp = design { from = "gpu-warp", queue = { memory = "gpu" }, nic_queue = { sharers = 1 } }

-- What the tables call the ways to post.
local posts = { fenced = "fenced", packed = "packed", line = "line", thread = "fenced", warp = "fenced",
                packed_thread = "packed", packed_warp = "packed" }

local function axes(values)
  return { { "variant", values.variant }, { "wgs", values.wgs }, { "servers", values.servers },
           { "service_ns", values.service_ns }, { "window", values.window } }
end

local function measured(file)
  return { file = file, variant = "variant", wgs = "wgs", servers = "servers", service_ns = "service_ns", window = "window",
           latency = "lat_mean_us" }
end

-- Enough operations for a stable mean, and few enough that many work-groups take no longer. Before them, each work-group goes once
-- through its queue of 64 entries, so that the lines are in the caches.
local function serve(server, p, think_time)
  local operations = math.max(math.min(200, 3200 // p.wgs), 12)
  operations = math.max(operations // p.window, 2) * p.window
  local r = queue_service {
    design = design { from = server, service_threads = p.servers }, operation = "nop", work_groups = p.wgs, operations = operations,
    posts = p.window, post = posts[p.variant], threads = 32, service_time = p.service_ns .. "ns",
    warmup = 64 // p.window * p.window, think_time = think_time,
  }
  return { latency = r.latency, operations_per_us = r.operations_per_us }
end

return { axes = axes, measured = measured, serve = serve, host_threads = host_threads, gpu_thread = gpu_thread, gpu_warp = gpu_warp }
