-- SPDX-License-Identifier: BSD-3-Clause
-- Parameters that several workloads have: { "warmup", "shared", "warmup=4" } in the table of a workload's file stands for the
-- rows of that name, with these defaults; an empty one ("warmup=") must be given.
local SHARED = {
  -- A design on the GPUs of several nodes.
  places = {
    { "design", "design", "The design that carries what the GPUs send." },
    { "nodes", "count", "8", "1", "4096", "Nodes that take part." },
    { "gpus_per_node", "count", "1", "1", "64", "GPUs of each that take part; with data in host memory, ranks of each." },
  },
  -- A kernel whose work-groups' operations a design serves.
  kernel = {
    { "design", "design", "The design that serves the operations." },
    { "threads", "count", "64", "1", "1024", "Work-items of a work-group." },
    { "percentiles", "percentiles", "none", "Percentiles of the workload's times as measures: { 90, 99.9 } adds latency_p90 and latency_p99_9." },
  },
  bytes = { { "bytes", "bytes", false, "1B", "1GiB", "Payload of an operation, or size of a message." } },
  chunk = { { "chunk", "bytes", false, "64B", "1GiB", "Size of the pieces that the rings of a kernel send." } },
  iterations = { { "iterations", "count", false, "1", "1000000", "Iterations that are measured." } },
  repeats = { { "repeats", "count", false, "1", "1000000", "Repetitions that are measured." } },
  warmup = { { "warmup", "count", false, "0", "1000000", "Repetitions before those that are measured." } },
  tolerance = { { "tolerance", "number", false, "0", "0.5", "If the mean of eight steps and that of the eight before differ by at most this share, the remaining steps are assumed to be like them; 0: all are simulated. A step is an iteration, or of an allreduce one of a ring's half (reduce-scatter, allgather)." } },
  work_groups = { { "work_groups", "count", false, "1", "65536", "Work-groups of the kernel of a node." } },
  threads = { { "threads", "count", false, "1", "1024", "Work-items of a work-group." } },
  rings = { { "rings", "count", false, "1", "256", "Rings of a kernel, one for each work-group." } },
  cooperative = { { "cooperative", "flag", false, "Refuse the kernel unless all its work-groups run at the same time." } },
}

-- The rows that a shared one stands for.
local function rows_of(name, defaults)
  local rows, given = {}, {}
  for key, text in (defaults or ""):gmatch "([%w_]+)=([^,]*)" do given[key] = text end
  for i, row in ipairs(SHARED[name] or error(('no workloads share "%s"'):format(name), 0)) do
    rows[i] = table.move(row, 1, #row, 1, {})
    local default = given[row[1]]
    if default then rows[i][3] = default ~= "" and default end
    given[row[1]] = nil
  end
  if next(given) then error(('"%s" has no row "%s"'):format(name, (next(given))), 0) end
  return rows
end

-- A list of rows without shared ones.
return function(rows)
  local all = {}
  for _, row in ipairs(rows) do
    local found = row[2] == "shared" and rows_of(row[1], row[3]) or { row }
    table.move(found, 1, #found, #all + 1, all)
  end
  return all
end
