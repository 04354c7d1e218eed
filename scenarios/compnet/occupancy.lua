-- SPDX-License-Identifier: BSD-3-Clause
-- ComPNet18, section 5.2: 480 work-groups of 64 work-items saturate the 12 CUs. More than 480 are launched; how
-- many run at a time is what dispatch finds room for.

local node = require "configs.gcn3_node"

return study {
  title = "ComPNet18, section 5.2: work-groups at a time",
  machine = node { nodes = 2 },
  vary = { work_groups = { 120, 240, 480, 600, 960 } },
  run = function(p)
    return queue_service { design = design { from = "comp-net", service_threads = 2 }, operation = "nop",
                           work_groups = p.work_groups, operations = 2 }
  end,
  plot = { x = "work_groups", y = "work_groups_at_once", style = "lines",
           x_label = "Work-groups launched", y_label = "Work-groups at a time",
           published = { { "N-43" } } },
  claims = {
    ["N-01"] = function(r)
      local boundary = r:value { work_groups = 480 }.kernel_boundary_us
      return { obtained = boundary, holds = boundary >= 10,
               note = "from the host's launch to the first work-group, and from the last one to the host" }
    end,
    ["N-43"] = function(r)
      return { obtained = r:value { work_groups = 960 }.work_groups_at_once,
               note = "work-groups at a time of 960 launched" }
    end,
    ["D-17"] = function(r)
      local row = r:value { work_groups = 480 }
      return { obtained = row.queue_memory_bytes / 2 ^ 20,
               holds = row.queue_memory_bytes == 1.875 * 2 ^ 20 and row.queue_memory_of_l2 > 1
                 and row.work_groups_at_once == 480,
               note = string.format("queues of %d work-groups that run at a time; %.3f times what the L2 holds",
                 row.work_groups_at_once, row.queue_memory_of_l2) }
    end,
  },
}
