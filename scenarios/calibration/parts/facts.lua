-- SPDX-License-Identifier: BSD-3-Clause
-- What tables tell of a machine by themselves, without a simulated twin. Each record of `tellers` has the columns of its table, and a
-- function that tells parameters: `add(path, value, source)`.

local function has(part, columns)
  local names = {}
  for _, column in ipairs(part.columns) do names[column] = true end
  for _, column in ipairs(columns) do
    if not names[column] then return false end
  end
  return true
end

local function time_text(ns) return string.format("%dps", math.floor(ns * 1000 + 0.5)) end

-- The rows whose cells are as `filter` says: { COLUMN = TEXT }.
local function rows_of(part, filter)
  local rows = {}
  for _, row in ipairs(part.rows) do
    local is_of = true
    for column, text in pairs(filter) do is_of = is_of and row[column] == text end
    if is_of then rows[#rows + 1] = row end
  end
  return rows
end

-- The numbers of column `value` of these rows, sorted.
local function numbers(part, filter, value)
  local list = {}
  for _, row in ipairs(rows_of(part, filter)) do
    if type(row[value]) == "number" then list[#list + 1] = row[value] end
  end
  table.sort(list)
  return list
end

-- 0: there is none.
local function median(list)
  local count = #list
  return count == 0 and 0 or (list[(count + 1) // 2] + list[count // 2 + 1]) / 2
end
local function median_of(part, filter, value) return median(numbers(part, filter, value)) end

-- Points { at, value }, by the number behind `prefix` in column `number`, in its order and that of `value`.
local function points_of(part, filter, number, prefix, value)
  local points = {}
  for _, row in ipairs(rows_of(part, filter)) do
    local cell = tostring(row[number])
    if string.sub(cell, 1, #prefix) == prefix and type(row[value]) == "number" then
      local at = tonumber(string.match(string.sub(cell, #prefix + 1), "^-?[%d.]+")) or 0
      points[#points + 1] = { at = at, value = row[value] }
    end
  end
  table.sort(points, function(a, b) return a.at < b.at or a.at == b.at and a.value < b.value end)
  return points
end

-- Of several at one number their median stays, of the two in the middle the lesser.
local function medians(points)
  local kept, first = {}, 1
  for i, point in ipairs(points) do
    if not points[i + 1] or points[i + 1].at ~= point.at then
      kept[#kept + 1] = points[(first + i) // 2]
      first = i + 1
    end
  end
  return kept
end

-- --- the host's GPUs -----------------------------------------------------------------------------

local gpu -- name and units of the GPUs so far
local platform_columns = { "gpu", "sms", "sm_clock_MHz" }

local function above(part, row, column)
  local number = row[column]
  if type(number) == "number" and number >= 1 and number <= 1e6 then return number end
  error(string.format('%s:%d: %s is "%s", no number from 1 to 1e6', part.file, row[0], column, number), 0)
end

local function tell_platform(part, add)
  local units, clock
  for _, row in ipairs(part.rows) do
    units, clock = above(part, row, "sms"), above(part, row, "sm_clock_MHz")
    local here = string.format("%s%.0f sms", row.name and row.name .. ", " or "", units)
    if gpu and gpu ~= here then
      error(string.format('%s:%d: a GPU "%s" behind a "%s"; a machine file has GPUs of one kind', part.file, row[0], here, gpu), 0)
    end
    gpu = here
  end
  add("gpu.compute_units", string.format("%.0f", units))
  add("gpu.clock", string.format("%.0fMHz", clock))
end

-- --- flags from core to core ---------------------------------------------------------------------

local HOPS = 10 -- to the farthest core of a mesh of 8 x 4 (models/host/inbound.c)
local SIBLINGS_BELOW = 0.5 -- of the run's median: two threads of one core share its caches
local TAIL = 0.05

local function at_part(sorted, part) return sorted[math.floor(part * (#sorted - 1) + 0.5) + 1] end

-- Of each run the time of the nearest pairs of different cores (5th percentile), and what each hop to the farthest (95th) adds.
local function ways_of(part, rows, value)
  local nearest, hops, times, run = {}, {}, {}, nil
  local function take_run()
    local median_ns, cores = nil, {}
    table.sort(times)
    median_ns = at_part(times, 0.5)
    for _, time in ipairs(times) do
      if #cores > 0 or time >= SIBLINGS_BELOW * median_ns then cores[#cores + 1] = time end
    end
    if #cores > 0 then
      local low = at_part(cores, TAIL)
      nearest[#nearest + 1], hops[#hops + 1] = low, (at_part(cores, 1 - TAIL) - low) / HOPS
    end
    times = {}
  end
  for _, row in ipairs(rows) do
    if type(row[value]) == "number" then
      if row.run ~= run then take_run() end
      run = row.run
      times[#times + 1] = row[value]
    end
  end
  take_run()
  table.sort(nearest)
  table.sort(hops)
  return nearest, hops
end

-- Of several runs the nearest is the median, and the hop the least: what disturbs a run makes its pairs differ more.
local function tell_cores(what, value)
  return function(part, add)
    local nearest, hops = ways_of(part, rows_of(part, { what = what }), value)
    if #nearest == 0 then return end
    local nearest_ns, hop_ns = at_part(nearest, 0.5), hops[1]
    if nearest_ns <= 0 or nearest_ns > 1e5 or hop_ns > 1000 then return end
    add("host.bounced_line", time_text(nearest_ns), (what or value) .. ", the nearest pairs")
    add("host.mesh_hop", time_text(hop_ns), (what or value) .. ", from the nearest to the farthest pairs, over 10 hops")
  end
end

-- --- calls, roots, power -------------------------------------------------------------------------

local calls = { { "event_record", "cuda.event_record" }, { "event_query_not_ready", "cuda.event_query" },
                { "stream_wait_event", "cuda.event_wait" }, { "stream_sync_idle", "cuda.synchronize" } }

local function tell_calls(part, add)
  for _, call in ipairs(calls) do
    local time_us = median_of(part, { what = call[1] }, "median_us")
    if time_us > 0 and time_us < 1000 then add(call[2], time_text(1000 * time_us), call[1]) end
  end
end

local OWN_ROOT_FROM = 1.5 -- of what one GPU moves, where two move more

-- Whether each of two GPUs has a root port of its own: what both move of large copies at a time, by what one does.
local function tell_roots(part, add)
  local both = numbers(part, { what = "D2H_gpu0+D2H_gpu1" }, "GBps_median")
  local one = numbers(part, { what = "D2H_gpu0" }, "GBps_median")
  local both_GBps, one_GBps = both[#both] or 0, one[#one] or 0
  if one_GBps > 0 and both_GBps > 0 then
    add("bus.root_links", both_GBps > OWN_ROOT_FROM * one_GBps and "2" or "1", "D2H of both GPUs, by that of one")
  end
end

local function tell_power(part, add)
  for _, activity in ipairs { "idle_context", "idle_with_context" } do
    local power_W = median_of(part, { activity = activity }, "gpu0_power_W")
    if power_W > 0 and power_W < 1e5 then add("gpu.idle_power", string.format("%dmW", math.floor(power_W * 1000 + 0.5)), activity) end
  end
end

-- --- atomics of many blocks; a thread that sleeps ------------------------------------------------

local TURN_OF = "mean_ns_per_op_median"
local MANY_BLOCKS = 256
local IS_LIMITED = 1.5 -- times what one block takes: from there on they wait for one another

local function tell_turn(part, add)
  local points = medians(points_of(part, { memory = "host", what = "atomic_add_sys", address = "own_line" }, "blocks", "", TURN_OF))
  local one, most = points[1], points[#points]
  if #points < 2 or one.at > 1 or most.at < MANY_BLOCKS or most.value < IS_LIMITED * one.value or most.value > 1e8 then return end
  add("host.atomic_turn", time_text(most.value / most.at),
      string.format("host atomic_add_sys own_line, of %.0f blocks, by their number", most.at))
end

local LONG_FROM_US, LONG_TO_US = 15, 100 -- kernels: a core has been left to sleep by then
local DEEP_FROM_US = 2
local START_US = 3 -- of a kernel, while its thread sleeps already (gpu_host's cuda.kernel_start)

local function tell_sleep(part, add)
  local points = medians(points_of(part, { what = "launch_plus_sync" }, "param", "spin=", "median_us"))
  if #points < 2 or points[1].at > 0 then return end
  local function extra_us(point) return point.value - point.at - points[1].value end -- beyond itself and one of no time
  local extras = {}
  for _, point in ipairs(points) do
    if point.at >= LONG_FROM_US and point.at <= LONG_TO_US then extras[#extras + 1] = extra_us(point) end
  end
  table.sort(extras)
  local wake_us = median(extras)
  if wake_us < DEEP_FROM_US or wake_us > 1e4 then return end
  local deep = 2
  while deep < #points and extra_us(points[deep]) < wake_us / 2 do deep = deep + 1 end
  local light_us, deep_us = points[deep - 1].at, points[deep].at
  add("cuda.deep_wake", time_text(1000 * wake_us),
      string.format("kernels of %.0f to %.0f us, less what they take, less one of 0", LONG_FROM_US, LONG_TO_US))
  add("cuda.deep_sleep_after", time_text(1000 * ((light_us + deep_us) / 2 + START_US)),
      string.format("kernels of %.0f us wake as one of 0 does, those of %.0f do not; and a kernel's start, about %.0f us",
                    light_us, deep_us, START_US))
end

-- --- fences --------------------------------------------------------------------------------------

local READS_BACK_FROM = 0.85 -- of a load of the host: a fence that takes less has read nothing there
local load_ns = {} -- of a GPU thread, by where the word is

-- Whether a fence of the GPU reads behind a write to the host's memory: it cannot where store and fence take less than a load of it.
local function tell_fences(value, unit_ns)
  return function(part, add)
    local function median_at(what, param) return median_of(part, { what = what, param = param }, value) end
    local load, near, fence = median_at("host_op", "load"), median_at("dev_op", "load"), median_at("host_op", "store_plus_fence_sys")
    if load > 0 and fence > 0 then
      add("gpu.fence_reads_back", fence < READS_BACK_FROM * load and "false" or "true", "host_op store_plus_fence_sys, by host_op load")
    end
    load_ns.host = load > 0 and load * unit_ns or load_ns.host
    load_ns.device = near > 0 and near * unit_ns or load_ns.device
  end
end

-- --- the front end -------------------------------------------------------------------------------
--
-- How often the GPU's front end looks at a flag that a stream waits for, and what it takes to answer. The clock of its looks starts with
-- its last answer. A thread that sets its flag a delay after that answer sees the next one after a time such that delay + time = c + k P: P
-- is the time from look to look, whatever the delay, and c what the front end takes from one answer to the next if the flag is there at
-- its first look: three operations on memory, and the look itself, a load. So P is the period by which the sums of all delays are most
-- alike; measured medians may be of another k, but not between two. Of two periods apart c, that is taken which is nearest to the answers
-- to flags that were set at once.

local PERIOD_LEAST_NS, PERIOD_MOST_NS = 200, 40000
local PERIOD_STEP = 1.0002 -- a delay of 500 us is known to a fiftieth of a period of 8 us
local DELAYS_LEAST = 4
local SPREAD_PART = 0.9 -- of the times: they differ by a period at most, and what disturbs them
local ALIKE = 0.06 -- of a period: sums that differ by more are not of one
local FIRST_PART = 0.75 -- of an answer to a flag that is set at once
local OPERATIONS = 3 -- from an answer to the next
local ROUNDING = 1 + 1e-9

-- How far the sums are from sum `i` by that period, in the mean; nothing where that is more than `most` for certain. `apart` has the
-- differences of all sums from it.
local function off_of(apart, period, most)
  local off, count, min = 0, #apart, math.min
  local enough = most * count * ROUNDING
  for k = 1, count do
    local rest = apart[k] % period
    off = off + min(rest, period - rest)
    if off - enough > 0 then return end
  end
  return off / count
end

-- The period of these sums; 0: they have none. And c, modulo it: that sum which the others are least away from, in the mean; a few that
-- are disturbed do not move it.
local function period_of(sums, from)
  local apart = {}
  for i, sum in ipairs(sums) do
    apart[i] = {}
    for k, other in ipairs(sums) do apart[i][k] = math.abs(other - sum) end
  end
  local best, place, least, period = 0, 0, ALIKE, from
  while period < PERIOD_MOST_NS do
    local nearest, most = nil, least * period
    for i = 1, #sums do
      local off = off_of(apart[i], period, most)
      if off and off < (nearest and most or math.huge) then nearest, most = i, off end
    end
    if nearest and most / period < least then best, place, least = period, sums[nearest], most / period end
    period = period * PERIOD_STEP
  end
  return best, place
end

-- The time of a flag that is set at once; 0: there is none.
local function at_once(part, place)
  local points = medians(points_of(part, { flags_in = place }, "delay_us", "", has(part, { "p10_ns" }) and "p10_ns" or "median_ns"))
  return points[1] and points[1].at <= 0 and points[1].value or 0
end

local looks = {} -- by where the flag is: { period_ns, behind_ns, file }

local function tell_looks(part)
  for _, place in ipairs { "device", "host" } do
    local sums, least, most = {}, math.huge, 0
    for _, point in ipairs(points_of(part, { flags_in = place }, "delay_us", "", "median_ns")) do
      if point.at > 0 then
        sums[#sums + 1] = 1000 * point.at + point.value
        least, most = math.min(least, point.value), math.max(most, point.value)
      end
    end
    if #sums >= DELAYS_LEAST then
      local period, sum = period_of(sums, math.max(PERIOD_LEAST_NS, SPREAD_PART * (most - least)))
      if period > 0 then
        local behind = sum + math.ceil((FIRST_PART * at_once(part, place) - sum) / period) * period
        looks[place] = { period_ns = period, behind_ns = behind, file = part.file }
      end
    end
  end
end

-- What looks and loads tell together.
local function tell_front_end(add)
  local near, far = looks.device, looks.host
  local gap_ns = near and near.period_ns - (load_ns.device or 0)
  if not near or not load_ns.device or gap_ns <= 0 or near.behind_ns <= load_ns.device then return end
  add(near, "cuda.front_end_gap", time_text(gap_ns),
      string.format("device flags: %.2f us from look to look, less a load", near.period_ns / 1000))
  add(near, "cuda.front_end_operation", time_text((near.behind_ns - load_ns.device) / OPERATIONS),
      string.format("device flags: %.2f us from answer to answer but for looks: %d of these, and a load", near.behind_ns / 1000, OPERATIONS))
  local far_gap_ns = far and load_ns.host and far.period_ns - load_ns.host
  if far_gap_ns and far_gap_ns >= gap_ns then
    add(far, "cuda.front_end_host", time_text(far_gap_ns - gap_ns),
        string.format("host flags: %.2f us from look to look, less a load", far.period_ns / 1000))
  end
end

-- --- all of them ---------------------------------------------------------------------------------

local tellers = {
  { columns = { "what", "param", "param2", "value", "unit" }, tell = tell_cores("core_to_core_one_way_median", "value") },
  { columns = { "cpu_a", "cpu_b", "one_way_ns" }, tell = tell_cores(nil, "one_way_ns") },
  { columns = { "what", "param", "median_us" }, tell = tell_calls },
  { columns = { "what", "param", "median_us" }, tell = tell_sleep },
  { columns = { "memory", "what", "address", "blocks", TURN_OF }, tell = tell_turn },
  { columns = { "flags_in", "delay_us", "median_ns" }, tell = tell_looks },
  { columns = { "what", "bytes", "GBps_median" }, tell = tell_roots },
  { columns = { "activity", "gpu0_power_W" }, tell = tell_power },
  { columns = { "what", "param", "median_ns" }, tell = tell_fences("median_ns", 1) },
  { columns = { "what", "param", "median_us" }, tell = tell_fences("median_us", 1000) },
}

-- Whether the table is one of the host's GPUs.
local function is_platform(part) return has(part, platform_columns) end

-- Lists { path, value, source } of all that the tables tell; of one parameter the last counts.
local function facts(tables)
  local all = {}
  local function add(part, path, value, source)
    local file = string.match(part.file, "[^/]*$")
    all[#all + 1] = { path, value, source and file .. ": " .. source or file }
  end
  for _, part in ipairs(tables) do
    local function tell(path, value, source) add(part, path, value, source) end
    if is_platform(part) then
      tell_platform(part, tell)
    else
      for _, teller in ipairs(tellers) do
        if has(part, teller.columns) then teller.tell(part, tell) end
      end
    end
  end
  tell_front_end(add)
  return all
end

return { facts = facts, is_platform = is_platform }
