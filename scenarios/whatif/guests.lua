-- SPDX-License-Identifier: BSD-3-Clause
-- What if a kernel that talks from inside and a job of ranks share two nodes of Summit? Work-groups get from the other
-- node (comp-net), ranks play ping-pong (charm-channel, and cp-channel, which takes the GPU's other command processor),
-- each alone and both at once. docs/learn/whatif.md reads the figures.

local summit = require "configs.summit"

return study {
  title = "A kernel and a job on one machine",
  machine = summit { nodes = 2 },
  vary = {
    { "job_design", { "charm-channel", "cp-channel" } },
    { "bytes", { "8B", "512B", "4KiB", "32KiB", "128KiB", "512KiB", "1MiB" } },
  },
  run = function(p)
    local function run(running)
      return guests {
        kernel_design = "comp-net", job_design = p.job_design, running = running, work_groups = 8,
        kernel_bytes = p.bytes, job_bytes = p.bytes, gets = 20, messages = 20,
      }
    end
    local kernel, job, both = run "kernel", run "job", run "both"
    return {
      get_alone = kernel.get_latency, get = both.get_latency, message_alone = job.message_latency,
      message = both.message_latency, host_cores_left = both.host_cores_left, cp_cores_left = both.cp_cores_left,
    }
  end,
  plot = {
    x = "bytes", y = { "get_alone_us", "get_us", "message_alone_us", "message_us" }, panels = "job_design",
    style = "loglog", x_label = "Payload", y_label = "Latency",
    title = "Gets of 8 work-groups and messages of two ranks",
  },
}
