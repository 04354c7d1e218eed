-- SPDX-License-Identifier: BSD-3-Clause
-- gpunetsim trace FILE.lua --point AXIS=VALUE,... -o trace.json: a timeline for Perfetto or Chrome.
local answers = require "answers"
local command = require "command"
local files = require "files"
local points = require "points"

local MOST_POINTS, LEAST_BYTES, MOST_BYTES = 8, 4096, 100 << 20

-- The time window and the size that were asked for.
local function filter_of(given)
  local function quantity(option, unit) return given[option] and program.quantity("--" .. option, unit, given[option]) end
  local from, to, most = quantity("from", "time") or 0, quantity("to", "time"), quantity("limit", "bytes") or MOST_BYTES
  if from < 0 or (to or 0) < 0 then command.fail("--from and --to: times of a simulation are 0 or more") end
  if to and from > to then command.fail("--from, --to: the window ends before it begins") end
  if most < LEAST_BYTES then command.fail("--limit: a file has %d bytes at least", LEAST_BYTES) end
  return from, to, most
end

return {
  options = {
    { "point", "texts", "The points with these values of axes; if given several times, the timelines are overlaid", "AXIS=VALUE,..." },
    { "output", "file", "Where to write", "FILE.json", short = "o" },
    { "from", "text", "Leave out what begins before", "TIME" },
    { "to", "text", "Leave out what begins after", "TIME" },
    { "only", "texts", "Tracks whose path and name (node0.nic0/pipeline) contain TEXT; may be given again", "TEXT" },
    { "limit", "text", "Size of the file beyond which later events are left out (100MiB)", "BYTES" },
    "set", "seed", "force",
  },
  least = 1,
  most = 1,
  run = function(given, path)
    program.set_seed(require "run_options".seed(given))
    local output = given.output or command.fail("trace needs -o FILE.json")
    local from, to, most = filter_of(given)
    local study = program.load_study(path, given.set)
    local rules = { force = given.force, inputs = files.inputs(study, path) }
    local timeline = program.timeline(from, to, given.only)
    require "rehearsal".apart(study)
    files.prepare(output, rules)
    local chosen = answers.points(study, given.point, MOST_POINTS, "drawn over each other")
    for _, point in ipairs(chosen) do
      require "watched".draw(study, point, points.label(study, point), timeline, #chosen > 1)
    end
    local records, tracks = program.drawn(timeline)
    local said
    files.write(output, function(file)
      said = require "timeline".write(file, records, tracks, most)
      return true
    end, rules)
    if output ~= "-" then core.print(output .. ": " .. said) end
  end,
}
