-- SPDX-License-Identifier: BSD-3-Clause
-- Collectives as sends, receives and reductions of one rank. Each takes `c`: out (goal.lua), members (ranks in order), at
-- (own place among them, from 0), bytes, tag, and reduce_ns(bytes). Each returns the labels to wait for. `bytes` are as in
-- Chakra: of the buffer that a rank gives, so an ALL_GATHER of 1 MiB among 4 makes 4 MiB.
--
-- Rings: Patarasuk and Yuan, Bandwidth optimal all-reduce algorithms (2009). Doubling, and trees of broadcast and reduce:
-- Thakur et al., Optimization of collective communication operations in MPICH (2005). Barrier: Hensgen et al., Two
-- algorithms for barrier synchronization (1988).
local goal = require "chakra/goal"
local collectives = {}

local function rank_of(c, place) return c.members[place % #c.members + 1] end

-- The bytes of block `number` of as many blocks as there are ranks, which end at multiples of bytes / ranks, rounded down;
-- at least 1, since no message is empty.
local function block(c, number)
  local count = #c.members
  local each, left = c.bytes // count, c.bytes % count -- bytes * number may be above 2^63 - 1
  number = number % count
  return math.max(1, each + left * (number + 1) // count - left * number // count)
end

local function reduce(c, bytes, after)
  local ns = c.reduce_ns(bytes)
  return ns > 0 and { c.out:calc(ns, goal.BESIDE, after) } or after
end

-- Steps round the ring: in each a rank sends what it got in the last one. `bytes` gives a block's bytes, `reducing` steps reduce.
local function ring(c, after, steps, bytes, reducing)
  local to, from = rank_of(c, c.at + 1), rank_of(c, c.at - 1)
  for step = 1, steps do
    local come, go = bytes(c, c.at - step), bytes(c, c.at - step + 1)
    local receive = c.out:receive(from, come, c.tag, after)
    local send = c.out:send(to, go, c.tag, after)
    local got = step <= reducing and reduce(c, come, { receive }) or { receive }
    after = goal.join({ got, { send } })
  end
  return after
end

local function whole(c) return c.bytes end

function collectives.ALL_GATHER(c, after) return ring(c, after, #c.members - 1, whole, 0) end
function collectives.REDUCE_SCATTER(c, after) return ring(c, after, #c.members - 1, block, #c.members - 1) end
collectives.REDUCE_SCATTER_BLOCK = collectives.REDUCE_SCATTER

local function exchange(c, place, after)
  local receive = c.out:receive(rank_of(c, place), c.bytes, c.tag, after)
  local send = c.out:send(rank_of(c, place), c.bytes, c.tag, after)
  return goal.join({ reduce(c, c.bytes, { receive }), { send } })
end

-- Recursive doubling. Ranks beyond the power of two first give their data to another rank, and get the result at the end.
local function doubling(c, after)
  local count, power = #c.members, 1
  while power * 2 <= count do power = power * 2 end
  if c.at >= power then
    after = { c.out:send(rank_of(c, c.at - power), c.bytes, c.tag, after) }
    return { c.out:receive(rank_of(c, c.at - power), c.bytes, c.tag, after) }
  end
  local has_other = c.at + power < count
  if has_other then after = reduce(c, c.bytes, { c.out:receive(rank_of(c, c.at + power), c.bytes, c.tag, after) }) end
  local step = 1
  while step < power do
    after, step = exchange(c, c.at ~ step, after), step * 2
  end
  if has_other then after = { c.out:send(rank_of(c, c.at + power), c.bytes, c.tag, after) } end
  return after
end

function collectives.ALL_REDUCE(c, after)
  if c.all_reduce == "doubling" then return doubling(c, after) end
  return ring(c, after, 2 * (#c.members - 1), block, #c.members - 1)
end

-- All messages at once, in the order of ranks: sends begin with the next rank, receives with the one before.
function collectives.ALL_TO_ALL(c, after)
  local done = {}
  for step = 1, #c.members - 1 do
    done[#done + 1] = c.out:receive(rank_of(c, c.at - step), block(c, c.at), c.tag, after)
    done[#done + 1] = c.out:send(rank_of(c, c.at + step), block(c, c.at + step), c.tag, after)
  end
  return done
end

-- The root is the group's first rank, as traces do not name one. Calls `up(place)` or `down(place)` for the places above and
-- below in a binomial tree, the largest part first.
local function tree(c)
  local count, bit, below = #c.members, 1, {}
  while bit < count and c.at & bit == 0 do
    if c.at + bit < count then table.insert(below, 1, c.at + bit) end
    bit = bit * 2
  end
  return c.at ~= 0 and c.at - bit or nil, below
end

function collectives.BROADCAST(c, after)
  local above, below = tree(c)
  if above then after = { c.out:receive(rank_of(c, above), c.bytes, c.tag, after) } end
  local done = {}
  for _, place in ipairs(below) do done[#done + 1] = c.out:send(rank_of(c, place), c.bytes, c.tag, after) end
  return #done > 0 and done or after
end

function collectives.REDUCE(c, after)
  local above, below = tree(c)
  for i = #below, 1, -1 do
    after = reduce(c, c.bytes, { c.out:receive(rank_of(c, below[i]), c.bytes, c.tag, after) })
  end
  return above and { c.out:send(rank_of(c, above), c.bytes, c.tag, after) } or after
end

-- Messages between the root and each other rank, each with that rank's block of the root's bytes.
local function with_root(c, after, at_root, at_others, bytes)
  if c.at ~= 0 then return { c.out[at_others](c.out, rank_of(c, 0), bytes(c, c.at), c.tag, after) } end
  local done = {}
  for place = 1, #c.members - 1 do done[place] = c.out[at_root](c.out, rank_of(c, place), bytes(c, place), c.tag, after) end
  return done
end

function collectives.GATHER(c, after) return with_root(c, after, "receive", "send", whole) end
function collectives.SCATTER(c, after) return with_root(c, after, "send", "receive", block) end

function collectives.BARRIER(c, after)
  local step = 1
  while step < #c.members do
    local receive = c.out:receive(rank_of(c, c.at - step), 1, c.tag, after)
    local send = c.out:send(rank_of(c, c.at + step), 1, c.tag, after)
    after, step = { receive, send }, step * 2
  end
  return after
end

return collectives
