-- SPDX-License-Identifier: BSD-3-Clause
-- Signals are the turn's number, in two words in turn: a partner may be one turn ahead, not two, so no signal is written
-- over before it was seen.
local p = ...

run.world { groups = p.work_groups, threads = p.threads, cooperative = p.cooperative, buffers = { p.bytes }, signals = { 2 } }
local turns = run.histogram("node0.kernel", "turn", "a turn with the partner")
local running, most, first, last = 0, 0, 0, 0 -- work-groups of node 0; its first call, its last return

run.parties(function(me, place, group)
  local partner = p.partner == "same" and group or p.work_groups - 1 - group
  local begins = p.pattern == "exchange" or place == 0
  local is_timed = place == 0
  if is_timed then
    first = most == 0 and me:now() or first
    running = running + 1
    most = math.max(most, running)
  end
  for turn = 1, p.warmup + p.iterations do
    local start = me:now()
    if is_timed and group == 0 and turn == p.warmup + 1 then
      run.reset(start)
    end
    if begins then
      me:put_signal(1 - place, partner, 1, p.bytes, 1, turn % 2, turn)
    end
    me:wait_until(1 - place, partner, 1, p.bytes, 1, turn % 2, turn)
    if not begins then
      me:put_signal(1 - place, partner, 1, p.bytes, 1, turn % 2, turn)
    end
    if is_timed and turn > p.warmup then
      turns:record(me:now() - start)
    end
  end
  if is_timed then
    last = me:now()
    running = running - 1
    if running == 0 then
      run.measure_to(last)
    end
  end
end)

run.times("turn", turns)
run.percentiles("turn", turns, p.percentiles)
run.time("duration", last - first)
run.count("work_groups_at_once", most)
local latencies = run.latencies()
if latencies then
  run.times("latency", latencies)
end
run.report(p.iterations)
