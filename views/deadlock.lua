-- SPDX-License-Identifier: BSD-3-Clause
-- The report of a deadlock among work-groups: who waits for whom or for what, and what would break it (script/deadlock/deadlock.h).
--
-- A scene has `now`, and a list of `nodes`, each with its work-groups that run, in the order of dispatch: their `index` and the `path`
-- of their GPU, and of one that waits `since`, `memory`, `offset`, `compared`, `value` and `word` (what it waits for, and is); if it is
-- known who writes the word, `sender_node` and `sender`. A node that has a kernel has how many of its work-groups were launched, were
-- dispatched, ended and have `room` at once; and its threads, the GPU's lanes, waves_per_cu, compute_units and resident_waves.

-- How many work-groups the report names: the others are usually alike.
local NAMED, CIRCLE_NAMED = 3, 6

local SENDERS = {
  unknown = "which nobody writes",
  waits = "which waits itself",
  not_dispatched = "which is not dispatched for want of room",
  ended = "which has ended or was never launched",
}

-- The running work-group that should send what this one waits for; else nil.
local function sender_of(scene, group)
  return group.sender and scene.nodes[group.sender_node + 1].by_index[group.sender]
end

local function kind_of_sender(scene, group)
  if not group.sender then return "unknown" end
  if sender_of(scene, group) then return "waits" end
  local node = scene.nodes[group.sender_node + 1]
  local is_to_come = node.launched and group.sender >= node.dispatched and group.sender < node.launched
  return is_to_come and "not_dispatched" or "ended"
end

local function name_of(group) return ("%s.wg%d"):format(group.path, group.index) end

local function wait_of(scene, node, group)
  local from = group.sender and (", from node%d.wg%d"):format(group.sender_node, group.sender) or ""
  return ("\n  node%d.wg%d waits since %s for the word at %s:0x%x to be %s%s (it is %s)%s, %s."):format(node, group.index, group.since,
    group.memory, group.offset, group.compared, group.value, group.word, from, SENDERS[kind_of_sender(scene, group)])
end

-- The first circle of waits, if there is one: whoever follows the waits of a work-group for long enough is in it.
local function circle_of(scene)
  local first
  for _, group in ipairs(scene.groups) do
    first = group
    for _ = 1, #scene.groups do first = first and sender_of(scene, first) end
    if first then break end
  end
  if not first then return "" end
  local names, group = { name_of(first) }, sender_of(scene, first)
  while group ~= first and #names < CIRCLE_NAMED do
    names[#names + 1] = name_of(group)
    group = sender_of(scene, group)
  end
  names[#names + 1] = group == first and name_of(first) .. "." or "..."
  return "\n  A circle: " .. table.concat(names, " -> ")
end

local function occupancy_of(number, node)
  if not node.launched then return "" end
  return ("\n  node%d.gpu: %d work-groups resident, %d launched, %d fit at once, %d not dispatched, %d ended."):format(number, #node,
    node.launched, node.room, node.launched - node.dispatched, node.ended)
end

local function divided_up(number, parts) return (number + parts - 1) // parts end

-- Whether all work-groups of the largest kernel have room at once.
local function room_of(scene)
  local node
  for _, other in ipairs(scene.nodes) do
    if other.launched and (not node or other.launched > node.launched) then node = other end
  end
  local waves = divided_up(node.threads, node.lanes)
  local in_all = node.launched + divided_up(node.resident_waves, waves)
  return ("\n  To break it: %d work-groups are resident all at once; for %d make room with gpu.waves_per_cu = %d or "
    .. "gpu.compute_units = %d; cooperative = true refuses what does not fit."):format(node.room, node.launched,
    divided_up(in_all, node.compute_units) * waves, divided_up(in_all, node.waves_per_cu // waves))
end

local CAUSES = {
  { "not_dispatched", "work-groups wait for work-groups that have no room", room_of },
  { "ended", "work-groups wait for work-groups that have ended or were never launched" },
  { "unknown", "work-groups wait for words that nobody writes" },
}
local NEEDS_PUT = "\n  To break it: each wait needs a put of its value to its word, by a work-group that does not wait for it first."

local function cause_of(scene)
  for _, cause in ipairs(CAUSES) do
    if scene.senders[cause[1]] then return cause[2], cause[3] and cause[3](scene) or NEEDS_PUT end
  end
  return "work-groups wait for each other in a circle", "\n  To break it: one of a circle must send before it waits."
end

-- The groups by their index in each node, all of them in one list, and the set of kinds of senders that they wait for.
local function survey(scene)
  scene.groups, scene.senders = {}, {}
  for _, node in ipairs(scene.nodes) do
    node.by_index = {}
    for _, group in ipairs(node) do
      node.by_index[group.index] = group
      scene.groups[#scene.groups + 1] = group
    end
  end
  for _, group in ipairs(scene.groups) do scene.senders[kind_of_sender(scene, group)] = true end
end

local deadlock = {}

-- One sentence, then lines.
function deadlock.report(scene)
  local parts, waits = {}, {}
  survey(scene)
  for number, node in ipairs(scene.nodes) do
    for _, group in ipairs(node) do
      if group.since and #waits < NAMED then waits[#waits + 1] = wait_of(scene, number - 1, group) end
    end
    if number <= NAMED then parts[number] = occupancy_of(number - 1, node) end
  end
  local cause, remedy = cause_of(scene)
  local more = #scene.groups > #waits and ("\n  And %d more."):format(#scene.groups - #waits) or ""
  return ("deadlock at %s: %s; all %d that run wait."):format(scene.now, cause, #scene.groups) .. table.concat(parts)
    .. table.concat(waits) .. more .. circle_of(scene) .. remedy
end

return deadlock
