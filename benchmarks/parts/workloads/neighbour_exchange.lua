-- SPDX-License-Identifier: BSD-3-Clause
-- Work-groups of two nodes talk to each other from inside their kernels: ComPNet18 section 4.1, Fig 5.
--
-- Nodes 0 and 1 run a kernel of `work_groups` work-groups each. Every work-group has one partner on the
-- other node; in each turn one puts `bytes` into the other's buffer and behind them a signal, and waits
-- for the other's. In a ping-pong node 0 puts first, in an exchange both do. Fig 5 is the ping-pong of one
-- work-group a node.
--
-- A work-group can only answer when it runs. With more work-groups than fit, those that wait may be
-- waiting for such as have no room (section 4.1's deadlock, M-076): with partners in reverse order from
-- twice as many on as fit, with partners of the same number never.
--
-- Ranks do the same by messages, each with a core and the GPU that it shares with the others of its node.
--
-- Signals are the turn's number, in two words in turn: a partner may be one turn ahead, not two, so no signal is written
-- over before it was seen.
local p = workload {
  description = "Work-groups of two nodes put to each other and wait for each other's signal; a ping_pong measures the latency of a put.",
  { "kernel", "shared" },
  { "pattern", { "exchange", "ping_pong" }, "exchange", "Exchange: both nodes put, then wait. Ping-pong: node 1 puts when it has received node 0's put." },
  { "partner", { "same", "reverse" }, "same", "The partner on the other node: the work-group with the same number, or with that number counted from the last one." },
  { "bytes", "shared", "bytes=8B" },
  { "work_groups", "shared", "work_groups=1" },
  { "iterations", "shared", "iterations=100" },
  { "warmup", "shared", "warmup=4" },
  { "cooperative", "shared", "cooperative=false" },
}

run.world { groups = p.work_groups, threads = p.threads, cooperative = p.cooperative, buffers = { p.bytes }, signals = { 2 } }
local turns = run.histogram("node0.kernel", "turn", "a turn with the partner")
local running, most, first, last = 0, 0, 0, 0 -- running work-groups of node 0, and the most; its first call, its last return

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
run.time("duration", last - first, "whole")
run.count("work_groups_at_once", most)
local latencies = run.latencies()
if latencies then
  run.times("latency", latencies)
end
run.report(p.iterations)
