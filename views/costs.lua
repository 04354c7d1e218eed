-- SPDX-License-Identifier: BSD-3-Clause
-- What a run would take (--dry-run): its points, those that the store has, time and memory.
local command = require "command"
local costs = {}

local TRIED_S = 5 -- a tried point is ended after this time (study/run/runner.h)

local function time_text(seconds)
  return seconds < 100 and string.format("%.0f s", seconds) or seconds < 6000 and string.format("%.0f min", seconds / 60) or
         string.format("%.1f h", seconds / 3600)
end

-- Prints a line on a study, or on several together; with a sentence on the memory of the largest point, if it is known, in
-- place of the memory of those that were tried.
function costs.tell(name, of, memory)
  local line = string.format("%s: %d points", name, of.points)
  if of.known > 0 then line = line .. string.format(", %d of them in the store, %d to run", of.known, of.queued) end
  if of.tried > 0 then
    local at_a_time = math.max(math.min(of.workers, of.queued), 1)
    line = line .. string.format(": %s %s with %d workers%s (%d points were tried)", of.unfinished > 0 and "more than" or "about",
                                 time_text(of.queued_s / at_a_time), of.workers,
                                 memory and "" or string.format(", up to %d MiB a worker", of.memory_bytes >> 20), of.tried)
  end
  core.print(line .. "\n")
  if memory and of.queued > 0 then core.print(memory) end
  if of.unfinished > 0 then
    core.print(string.format("%d of the tried points were ended after %d s.\n", of.unfinished, TRIED_S))
  end
  io.flush()
end

-- Prints the costs of a study and adds them to the total.
function costs.add(study, total, memory)
  local about, of = program.about(study), require "experiment".costs(study)
  if not of.failure then costs.tell(about.name, of, memory) end
  for _, field in ipairs { "points", "known", "queued", "tried", "unfinished", "queued_s" } do
    total[field] = (total[field] or 0) + of[field]
  end
  total.workers, total.memory_bytes = of.workers, math.max(total.memory_bytes or 0, of.memory_bytes)
  if of.failure then command.fail_running("%s: a point that was tried failed: %s", about.path, of.failure) end
end

return costs
