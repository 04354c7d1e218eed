-- SPDX-License-Identifier: BSD-3-Clause
-- Predicts how much memory a point will take, from the workloads that its rehearsal calls; and finds how much there is. A
-- simulation holds the parts of each GPU's node and party, and the state of each pair of parties that talk. Their sizes were
-- measured (tests/cli/test_footprint.py measures them again) for ranks and for kernels, whose memories and caches are
-- simulated line by line.
local footprint = {}

local MIB = 1 << 20
local START = 12 * MIB   -- the program, with a study
local LIBRARY = 23 * MIB -- SimGrid, loaded by the first transfer that shares links

-- Bytes for each GPU that takes part, and for each pair of GPUs that send to each other.
local OF_RANKS = { gpu = 85 << 10, pair = 460 }
local OF_KERNELS = { gpu = 980 << 10, pair = 8 << 10 }

-- The number of GPUs with which each of `gpus` GPUs exchanges messages.
local function all(gpus) return gpus - 1 end
local function few(count) return function(gpus) return math.min(count, gpus - 1) end end

-- By workload: the peers of a GPU, and bytes of a GPU beyond its machine and its party. Other workloads have few peers.
local KINDS = {
  moe = { peers = all }, all_to_all = { peers = all }, program = { peers = all }, goal = { peers = few(20) },
  jacobi3d = { peers = few(6), more = function(of) return (of.odf or 1) * (24 << 10) end },
}
local OTHER = { peers = few(8) }

local function arguments_of(line)
  local name, json = line:match("^([%w_]+)\t(.*)$")
  local of = { is_kernel = json:find("initiator=kernel", 1, true) or json:find("initiator=trigger", 1, true) }
  for key, value in json:gmatch('"([%w_]+)": ?"([^"]*)"') do of[key] = tonumber(value) or value end
  return name, of
end

-- How many GPUs a call uses on a machine with `per_node` GPUs in a node.
local function gpus_of(of, per_node)
  if of.ranks then return of.ranks end
  local each = of.gpus_per_node or of.gpus or 1
  return (of.nodes or 2) * (each == 0 and per_node or each)
end

-- The bytes that a point with these calls (program.calls) will hold; 0 if no call is known.
function footprint.bytes(calls, per_node)
  local most = 0
  for line in calls:gmatch("[^\n]+") do
    local name, of = arguments_of(line)
    local kind, size, gpus = KINDS[name] or OTHER, of.is_kernel and OF_KERNELS or OF_RANKS, gpus_of(of, per_node)
    local more = kind.more and kind.more(of) or 0
    most = math.max(most, START + LIBRARY + gpus * (size.gpu + more + kind.peers(gpus) * size.pair))
  end
  return most
end

-- --- what there is -------------------------------------------------------------------------------

local function text_of(path)
  local file = io.open(path)
  local text = file and file:read("a")
  if file then file:close() end
  return text or ""
end

local function number_in(path) return math.tointeger(tonumber(text_of(path):match("^(%d+)%s*$") or "")) end

-- Adds the bytes that the process's control group (version 2 or 1) and the groups above it have left.
local function add_groups(found)
  for line in text_of("/proc/self/cgroup"):gmatch("[^\n]+") do
    local kinds, path = line:match("^%d+:([^:]*):(/.*)$")
    local is_new = kinds == ""
    local root = is_new and "/sys/fs/cgroup" or "/sys/fs/cgroup/memory"
    while path and (is_new or (kinds .. ","):find("memory,", 1, true)) do
      local most = number_in(root .. path .. (is_new and "/memory.max" or "/memory.limit_in_bytes"))
      local held = number_in(root .. path .. (is_new and "/memory.current" or "/memory.usage_in_bytes"))
      if most and held then found[#found + 1] = math.max(0, most - held) end
      path = path ~= "/" and path:match("^(.*)/[^/]*$") or nil
      if path == "" then path = "/" end
    end
  end
end

-- The bytes that a process can have now: the least that the system, its control groups and its own limits leave.
function footprint.available()
  local found = {}
  local kib = text_of("/proc/meminfo"):match("MemAvailable:%s*(%d+) kB")
  if kib then found[1] = tonumber(kib) << 10 end
  for _, name in ipairs { "address space", "data size" } do
    local limit = text_of("/proc/self/limits"):match("Max " .. name .. "%s+(%d+)")
    if limit then found[#found + 1] = math.tointeger(tonumber(limit)) end
  end
  add_groups(found)
  return #found > 0 and math.min(table.unpack(found)) or math.maxinteger
end

-- --- points --------------------------------------------------------------------------------------

local MOST_POINTS = 200 -- points of a study that are looked at, spread evenly; each takes half a millisecond

local SMALL_GPUS = 64
local SMALL_BYTES = 1 << 30 -- no workload on so few GPUs needs more

-- The GPUs of a node and of the whole machine of a point; 0 if the machine cannot be made, which the point will report.
local function gpus_at(study, point)
  local has_machine, machine = pcall(program.point_machine, study, point)
  if not has_machine then return 0, 0 end
  local values = {}
  for _, one in ipairs(require "machine_values".of(machine)) do values[one[1]] = tonumber(one[2]) end
  local per_node = (values["node.sockets"] or 1) * (values["node.gpus_per_socket"] or 1)
  return per_node, per_node * (values.nodes or 1)
end

-- Whether a point could need as many bytes as there are, judged by the machines of the first and the last point. Most
-- studies are small, and need no closer look.
function footprint.is_large(study, there)
  if there < SMALL_BYTES then return true end
  local _, first = gpus_at(study, 0)
  local _, last = gpus_at(study, program.about(study).points - 1)
  return math.max(first, last) > SMALL_GPUS
end

-- The most bytes that a point of the study is predicted to hold, and that point. The study is a copy, which is rehearsed here.
function footprint.study(study)
  local count, most, at = program.about(study).points, 0, nil
  local looked = math.min(count, MOST_POINTS)
  for i = 0, looked - 1 do
    local point = looked > 1 and i * (count - 1) // (looked - 1) or 0
    local per_node = gpus_at(study, point)
    local bytes = per_node > 0 and footprint.bytes(program.calls(study, point), per_node) or 0
    if bytes > most then most, at = bytes, point end
  end
  return most, at
end

return footprint
