-- SPDX-License-Identifier: BSD-3-Clause
-- Jacobi relaxation of a two-dimensional stencil, split in one dimension over the nodes: ComPNet18 section 5.3, Fig 9
-- (M-084); with several GPUs a node each has a part. In each iteration every element becomes the mean of its four
-- neighbours; the halo, a row each way, goes to the adjacent peers; and a residual is reduced over all, to know whether to
-- go on.
--
-- In a kernel, one that stays: work-groups of the first and the last rows compute these, put them to the peers, and go
-- on with their share; the others, which are counted and not told apart, compute meanwhile. All meet; one reduces the
-- residual over the nodes by recursive doubling; all meet again.
--
-- By ranks: exterior and interior by loops of their own, kernels on two streams where there is a GPU; the halo goes
-- when the exterior is done, beside the interior. The residual lies in host memory: a kernel writes 8 B there.
local p = workload {
  description = "A 5-point stencil in two dimensions over several nodes, with a residual.",
  { "places", "shared" },
  { "edge", "count", "1024", "2", "65536", "Rows, and columns, of a part." },
  { "iterations", "shared", "iterations=10" },
  { "warmup", "shared", "warmup=2" },
  { "work_groups", "count", "0", "0", "65536", "Work-groups of the persistent kernel; 0: as many as run at once, but no more than have an element for each work-item." },
  { "threads", "shared", "threads=256" },
  { "tolerance", "shared", "tolerance=0" },
  { "check", { "false", "true", "lost_halo", "wrong_edge", "lost_round" }, "false", "Carry real data and compare the result with a plain loop, for small stencils. Other values carry wrong data, to test the check: a halo that nobody waits for, a halo from the wrong edge, or a round of the reduction that is left out." },
}

local ELEMENT_BYTES = 4 -- single precision
local FLOPS = 5 -- three additions, a multiplication, the residual
local RESIDUAL_BYTES = 8
local MOST_CHECKED = 256 -- rows of a node
local WINDOW = 8 -- iterations whose means are compared
local UP, DOWN, HALO_GROUPS = 0, 1, 2 -- the sides of a halo and of an edge; and how many groups have edges
local RESIDUAL_BUFFER, RESIDUAL_CHANNEL = 3, 2 -- halos have the buffers and channels of their sides

local edge, _, places = p.edge, run.places(p.nodes, p.gpus_per_node)
local is_checked, is_kernel = p.check ~= "false", run.axis "initiator" ~= "host"
if is_checked and (edge > MOST_CHECKED or p.tolerance ~= 0) then
  run.refuse(("check = true takes an edge of at most %d and tolerance = 0"):format(MOST_CHECKED))
end

-- Work-groups of a resident kernel: as many as run at once on each kind of nodes, and at least three.
local work_groups = 0
if is_kernel then
  local useful = (edge * edge + p.threads - 1) // p.threads
  work_groups = p.work_groups > 0 and p.work_groups or math.min(run.work_groups_at_once(p.threads), useful)
  work_groups = math.max(work_groups, 3)
end
run.world {
  application = true,
  groups = is_kernel and 3 or 1, -- one with the upper edge, one with the lower one, and one for all others
  threads = p.threads,
  held_groups = is_kernel and work_groups - 3 or 0,
  queues = is_kernel and HALO_GROUPS or 0,
  served_places = places,
  channels = true,
  buffers = { edge * ELEMENT_BYTES, edge * ELEMENT_BYTES, RESIDUAL_BYTES },
  host_buffer = not is_kernel and RESIDUAL_BUFFER or 0,
}
local steady = run.steady { steps = p.iterations, window = WINDOW, tolerance = p.tolerance }
local iterations = run.units() -- of one party
local first, last, begun, times = 0, 0, 0, { compute = 0, halo = 0, residual = 0 } -- of node 0

-- --- data: rows 0 and edge + 1 of a node are the halo; one array is read in an iteration, the other one written ---

local parts, flows, left, wrong = {}, {}, 0, nil -- messages by flow; how many have not been taken; the first fault that the check found

local function note_wrong(what, node, iteration)
  wrong = wrong or ("the pattern is wrong: %s, at node %d in iteration %d"):format(what, node, iteration)
end

-- Starting values: any numbers that differ.
local function start_rows(first_row, count)
  local rows = {}
  for row = 0, count + 1 do
    rows[row] = {}
    local global = first_row + row - 1
    for column = 0, edge - 1 do
      local is_inside = global >= 0 and global < places * edge
      rows[row][column] = is_inside and (global * 7919 + column * 104729) % 1000 / 8 or 0.0
    end
  end
  return rows
end

-- Makes each element the mean of its four neighbours; beyond the left and right ends there is 0. Returns the largest change.
local function relax(old, new, first_row, last_row)
  local residual = 0.0
  for row = first_row, last_row do
    local above, own, below = old[row - 1], old[row], old[row + 1]
    for column = 0, edge - 1 do
      local value = (above[column] + (own[column - 1] or 0) + (own[column + 1] or 0) + below[column]) / 4
      residual = math.max(residual, math.abs(value - own[column]))
      new[row][column] = value
    end
  end
  return residual
end

local function relax_rows(node, iteration, first_row, last_row)
  local part = parts[node]
  if part then
    local residual = relax(part.rows[iteration % 2], part.rows[1 - iteration % 2], first_row, last_row)
    part.residual = math.max(part.residual, residual)
  end
end

local function copy(row)
  return table.move(row, 0, edge - 1, 0, {})
end

-- The data of a message, kept from its send until its receiver has seen it arrive.
local function carry(from, from_group, to, to_group, channel)
  local key = table.concat({ from, from_group, to, to_group, channel }, " ")
  flows[key] = flows[key] or {}
  return flows[key]
end

local function put_in(flow, data)
  flow[#flow + 1] = data
  left = left + 1
end

local function take_out(flow)
  left = left - (#flow > 0 and 1 or 0)
  return table.remove(flow, 1)
end

if is_checked then
  for node = 0, places - 1 do
    parts[node] = { rows = { [0] = start_rows(node * edge, edge), start_rows(places * edge + 2, edge) }, residual = 0.0, residuals = {} }
  end
end

-- Compares with a plain loop over the whole array.
local function compare(count)
  local plain = { [0] = start_rows(0, places * edge), start_rows(places * edge + 2, places * edge) }
  for i = 0, count - 1 do
    local residual = relax(plain[i % 2], plain[1 - i % 2], 1, places * edge)
    for node = 0, places - 1 do
      if parts[node].residuals[i] ~= residual then
        note_wrong("the residual differs from a plain loop's", node, i)
      end
    end
  end
  for node = 0, places - 1 do
    for row = 1, edge do
      for column = 0, edge - 1 do
        if parts[node].rows[count % 2][row][column] ~= plain[count % 2][node * edge + row][column] then
          note_wrong("an element differs from a plain loop's", node, count)
        end
      end
    end
  end
  if left ~= 0 then
    note_wrong("messages were sent that nobody received", 0, count)
  end
end

-- --- steps ---

-- The party with that edge: a work-group of a kernel; a rank has both edges.
local function group_with(side)
  return is_kernel and side == DOWN and 1 or 0
end

local function peer_of(place, side)
  local peer = place + (side == UP and -1 or 1)
  return peer >= 0 and peer < places and peer or nil
end

-- Sends a halo. What goes up is received from below, on the channel of its direction.
local function send_halo(me, place, side, iteration)
  local peer, other = peer_of(place, side), group_with(1 - side)
  me:send(peer, other, side + 1, edge * ELEMENT_BYTES, side)
  if is_checked then
    local taken = p.check == "wrong_edge" and 1 - side or side
    local row = parts[place].rows[1 - iteration % 2][taken == UP and 1 or edge]
    put_in(carry(place, group_with(side), peer, other, side), copy(row))
  end
end

local function expect_halo(me, place, side)
  me:receive(peer_of(place, side), group_with(1 - side), 2 - side, edge * ELEMENT_BYTES, 1 - side)
end

local function take_halo(place, side, iteration)
  if not is_checked or (p.check == "lost_halo" and side == UP and place == 1) then
    return
  end
  local halo = take_out(carry(peer_of(place, side), group_with(1 - side), place, group_with(side), 1 - side))
  if halo then
    parts[place].rows[1 - iteration % 2][side == UP and 0 or edge + 1] = halo
  else
    note_wrong("a halo was not sent", place, iteration)
  end
end

-- Computes elements; their neighbours come from a cache.
local function compute(me, lane, elements, groups)
  me:loop(lane, elements, FLOPS, 2 * ELEMENT_BYTES, 2 * edge * edge * ELEMENT_BYTES, groups)
end

-- --- the residual: the greatest of all, by recursive doubling. Places beyond the power of two give theirs to another place first,
-- and get the result at the end (Thakur et al., IJHPCA 2005). ---

local power = 1
while power * 2 <= places do
  power = power * 2
end

local function begin_give(me, place, to, value)
  me:send(to, 0, RESIDUAL_BUFFER, RESIDUAL_BYTES, RESIDUAL_CHANNEL)
  if is_checked then
    put_in(carry(place, 0, to, 0, RESIDUAL_CHANNEL), value)
  end
end

local function begin_get(me, from)
  me:receive(from, 0, RESIDUAL_BUFFER, RESIDUAL_BYTES, RESIDUAL_CHANNEL)
end

local function give(me, place, to, value)
  begin_give(me, place, to, value)
  me:wait_received()
end

local function taken(place, from)
  return is_checked and take_out(carry(from, 0, place, 0, RESIDUAL_CHANNEL))
end

local function get(me, place, from)
  begin_get(me, from)
  me:wait_received()
  return taken(place, from)
end

-- The greatest value; and, as second result, whether no message was lost.
local function reduce(me, place, value)
  local good = true
  local function take(other)
    good = good and other
    value = math.max(value, other or value)
  end
  if place >= power then
    give(me, place, place - power, value)
    value = get(me, place, place - power)
    return value, value
  end
  if place + power < places then
    take(get(me, place, place + power))
  end
  local step = 1
  while step < power do
    if p.check ~= "lost_round" or step * 2 < power then
      begin_get(me, place ~ step)
      begin_give(me, place, place ~ step, value)
      me:wait_received()
      take(taken(place, place ~ step))
    end
    step = step * 2
  end
  if place + power < places then
    give(me, place, place + power, value)
  end
  return value, good
end

local function reduce_residual(me, place, iteration)
  local part = parts[place]
  local residual, good = reduce(me, place, part and part.residual or 0.0)
  if part and not good then
    note_wrong("a part of the residual was not sent", place, iteration)
  end
  if part then
    part.residuals[iteration] = residual or part.residual
    part.residual = 0.0
  end
end

-- Adds the time since `since` to what a party of node 0 spent on `what`.
local function note_time(me, place, what, since)
  local now = me:now()
  if place == 0 and steady:steps() > 0 then
    times[what] = times[what] + now - since
  end
  return now
end

-- --- inside a kernel ---

local share = work_groups > 0 and (edge * edge + work_groups - 1) // work_groups

-- The first or the last rows are computed and sent, then the rest of the work-group's share is computed.
local function compute_edge(me, place, side, iteration)
  local row = side == UP and 1 or edge
  compute(me, 0, edge, 1)
  relax_rows(place, iteration, row, row)
  if peer_of(place, side) then
    send_halo(me, place, side, iteration)
  end
  compute(me, 0, math.max(share - edge, 0), 1)
end

local function compute_rest(me, place, iteration)
  compute(me, 0, math.max(edge * edge - 2 * math.max(share, edge), 0), work_groups - 2)
  relax_rows(place, iteration, 2, edge - 1)
end

local function iterate_in_kernel(me, place, group, iteration)
  local has_edge = group < HALO_GROUPS
  local since = me:now()
  if has_edge then
    compute_edge(me, place, group, iteration)
  else
    compute_rest(me, place, iteration)
  end
  me:group_barrier()
  if group == 0 then
    since = note_time(me, place, "compute", since)
    reduce_residual(me, place, iteration)
    since = note_time(me, place, "residual", since)
  end
  if has_edge and peer_of(place, group) then
    expect_halo(me, place, group)
    me:wait_received()
    take_halo(place, group, iteration)
  end
  me:group_barrier()
  if group == 0 then
    note_time(me, place, "halo", since)
  end
end

-- --- by a rank ---

local function iterate_on_rank(me, place, _, iteration)
  local since = me:now()
  for side = UP, DOWN do
    if peer_of(place, side) then
      expect_halo(me, place, side)
    end
  end
  compute(me, 1, 2 * edge, 1)
  compute(me, 0, (edge - 2) * edge, 1)
  me:finish(1)
  relax_rows(place, iteration, 1, 1)
  relax_rows(place, iteration, edge, edge)
  since = note_time(me, place, "compute", since)
  for side = UP, DOWN do
    if peer_of(place, side) then
      send_halo(me, place, side, iteration)
    end
  end
  me:wait()
  for side = UP, DOWN do
    if peer_of(place, side) then
      take_halo(place, side, iteration)
    end
  end
  since = note_time(me, place, "halo", since)
  me:finish(0)
  relax_rows(place, iteration, 2, edge - 1)
  since = note_time(me, place, "compute", since)
  reduce_residual(me, place, iteration)
  note_time(me, place, "residual", since)
end

-- --- the run ---

local iterate = is_kernel and iterate_in_kernel or iterate_on_rank

-- The measured part begins; what was observed of a warm-up is forgotten.
local measure_from = p.warmup > 0 and run.reset or run.measure_from

run.parties(function(me, place, group)
  local is_timed = place == 0 and group == 0
  local i = 0
  while i < p.warmup or steady:begins(i - p.warmup) do
    if is_timed and i == p.warmup then
      first = me:now()
      steady:start(first)
      begun = first
      measure_from(first)
    end
    if i >= p.warmup then
      me:begin_iteration()
    end
    iterate(me, place, group, i)
    if i >= p.warmup then
      me:end_iteration()
    end
    if is_timed and i >= p.warmup then
      iterations:add(me:now() - begun)
      begun = me:now()
      steady:note(i - p.warmup, me:now())
    end
    i = i + 1
  end
  if is_timed then
    last = me:now()
    run.measure_to(last)
  end
end)

if is_checked then
  compare(p.warmup + p.iterations)
end
if wrong then
  run.refuse(wrong)
end
steady:count_on()
local ended, last_step, simulated = steady:steps()
local noted = math.max(ended - 1, 1)
run.time("iteration", (last - first + steady:rest()) // p.iterations, iterations)
for _, what in ipairs { "compute", "halo", "residual" } do
  run.time(what, times[what] // noted)
end
run.count("iterations_run", last_step + 1)
run.count("work_groups", work_groups)
run.report(math.max(simulated, 1))
