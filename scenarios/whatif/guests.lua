-- SPDX-License-Identifier: BSD-3-Clause
-- What if a kernel that talks from inside and a job of ranks share two nodes of Summit? Work-groups get from the other
-- node (comp-net), ranks play ping-pong (charm-channel, and cp-channel, which takes the GPU's other command processor),
-- each alone and both at once. docs/learn/whatif.md reads the figures.

local summit = require "configs.summit"
local guests = require "parts.guests"

return study {
  title = "A kernel and a job on one machine",
  machine = summit { nodes = 2 },
  vary = {
    { "job_design", { "charm-channel", "cp-channel" } },
    { "bytes", { "8B", "512B", "4KiB", "32KiB", "128KiB", "512KiB", "1MiB" } },
  },
  run = function(p)
    local function run(kernel_design, job_design)
      return guests {
        kernel_design = kernel_design, job_design = job_design, work_groups = 8,
        kernel_bytes = p.bytes, job_bytes = p.bytes, gets = 20, messages = 20,
      }
    end
    local both = run("comp-net", p.job_design)
    return {
      get_alone = run("comp-net").get, get = both.get, message_alone = run(nil, p.job_design).message, message = both.message,
    }
  end,
  plot = {
    x = "bytes", y = { "get_alone_us", "get_us", "message_alone_us", "message_us" }, panels = "job_design",
    style = "loglog", x_label = "Payload", y_label = "Latency",
    title = "Gets of 8 work-groups and messages of two ranks",
  },
}
