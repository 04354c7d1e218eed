-- SPDX-License-Identifier: BSD-3-Clause
-- gpunetsim check FILE.lua
local function print_json(path, points)
  io.write(string.format('{"file": %s, "kind": "%s"%s}\n', core.quoted(core.shown(path)), points and "study" or "machine",
                         points and string.format(', "points": %d', points) or ""))
end

-- Checks everything of a study that can be checked without running it. Returns how many points it has.
local function check_study(study)
  local about = program.about(study)
  require "claims/session".check(about)
  local doubt = require "rehearsal".check(study)
  if doubt then program.tell(doubt) end
  return about.points
end

return {
  options = { "json", "set" },
  least = 1,
  most = 1,
  run = function(given, path)
    local study = program.read(path, given.set)
    local points = study and check_study(study)
    if given.json then return print_json(path, points) end
    local of_points = points and string.format("; %d point%s", points, points == 1 and "" or "s") or ""
    core.print(path .. ": no faults found" .. of_points .. "\n")
  end,
}
