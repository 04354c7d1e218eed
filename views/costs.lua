-- SPDX-License-Identifier: BSD-3-Clause
-- What a run would take (--dry-run): its points, those that the store has, time and memory.
local command = require "command"
local costs = {}

local TRIED_S = 5 -- a tried point is ended after this time (study/run/runner.h)

-- The estimated costs of a run of the study's points, or of the listed variants: how many points there are, how many of them are in
-- the store (known) or to be run (queued); how many of the queued ones were tried, and how many of these were ended after TRIED_S
-- (unfinished); the time of all queued ones, one after the other, a lower bound if one was ended (queued_s); the peak memory of a
-- point; the failure of the first one that failed for another reason; the number of workers, and whether the run is a shard.
function costs.of(study, listed)
  local of, seconds = { points = 0, known = 0, tried = 0, unfinished = 0, memory_bytes = 0 }, 0
  local function hear(run)
    of.points, of.known = run.points, run.known
    if run.event ~= "point" then return end
    local is_unfinished = run.failure and run.failure:find("^it took longer than the limit")
    of.tried, seconds = of.tried + 1, seconds + run.took_s
    if is_unfinished then of.unfinished = of.unfinished + 1 end
    of.failure = of.failure or not is_unfinished and run.failure or nil
    of.memory_bytes = math.max(of.memory_bytes, run.memory_bytes)
  end
  of.workers, of.is_shard = require "progress".heard(hear, program.try, study, listed)
  of.queued = of.points - of.known
  of.queued_s = of.tried > 0 and seconds / of.tried * of.queued or 0
  return of
end

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
