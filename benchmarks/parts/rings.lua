-- SPDX-License-Identifier: BSD-3-Clause
-- The sends and receives of each place in a ring allreduce, as phases. In a phase, blocks go around a circle of places.
--
--   ring          reduce-scatter, then allgather, around one circle of all places
--   hierarchical  reduce-scatter among the GPUs of a node; reduce-scatter and allgather of each GPU's part with the GPUs of
--                 its number on the other nodes; allgather among the GPUs of a node
--
-- A plan has the number of all places, numbered node by node, and of the GPUs of a node (places, gpus; hierarchical rings take nodes
-- with equally many), and rings.nodes if there are several nodes (nodes); the elements of a buffer and of a ring's slice (elements,
-- slice); the most elements of a message, or 0: messages are whole blocks (chunk); and two flags. `hierarchical` is the second kind. If
-- it `rotates`, each ring through several nodes starts at a different GPU of the node and goes through every second node backwards: so it
-- crosses between nodes only between GPUs of the same number (a rail), and the rings use all rails.
local rings = {}

local function divided_up(number, parts)
  return math.max((number + parts - 1) // parts, 1)
end

-- --- circles ---

-- The node of each place, from index 0 on, as { number, first place, GPUs }; numbers are those of `node_of`.
function rings.nodes(node_of, places)
  local nodes, node = {}, nil
  for place = 0, places - 1 do
    if not node or node.number ~= node_of[place] then
      node = { number = node_of[place], first = place, gpus = 0 }
    end
    node.gpus, nodes[place] = node.gpus + 1, node
  end
  return nodes
end

-- A circle of `members` places, from `first` on, `stride` apart; a circle that rotates contains all places. Within a node, a ring
-- begins with the GPU of the ring's number; in every second node it goes backwards.
local function position_of(circle, place)
  if not circle.nodes then
    return (place - circle.first) // circle.stride
  end
  local node = circle.nodes[place]
  local from = (place - node.first - circle.ring) % node.gpus
  return node.first + (node.number % 2 == 0 and from or node.gpus - 1 - from)
end

local function place_at(circle, position)
  if not circle.nodes then
    return circle.first + position * circle.stride
  end
  local node = circle.nodes[position]
  local from = position - node.first
  return node.first + ((node.number % 2 == 0 and from or node.gpus - 1 - from) + circle.ring) % node.gpus
end

-- What a place does in one phase, as struct ring_phase of workloads/patterns/ring.h has it. The blocks have the length for `nominal`
-- elements, so that all circles take the same steps.
local function phase_of(plan, circle, place, first, count, nominal, reduces)
  local position, members = position_of(circle, place), circle.members
  local block = divided_up(nominal, members)
  return {
    members = members,
    position = position,
    next = place_at(circle, (position + 1) % members),
    before = place_at(circle, (position - 1) % members),
    first = first,
    last = first + count,
    block = block,
    chunk = plan.chunk > 0 and math.min(plan.chunk, block) or block,
    reduces = reduces,
    is_chained = not reduces,
  }
end

-- --- blocks ---

-- In a reduce-scatter a place first sends the block of its own position; it ends with the sum of the next block, which it sends first
-- in an allgather.
local function block_sent(phase, position, step)
  return (position - step + (phase.reduces and 0 or 1)) % phase.members
end

-- A range of a phase's elements, cut at their end: its first one, and how many there are.
local function range_of(phase, from, count)
  local first = math.min(phase.first + from, phase.last)
  return first, math.min(count, phase.last - first)
end

-- --- plans ---

-- The phases of a place in a ring, for me:ring.
function rings.phases(plan, place, ring)
  local first = math.min(ring * plan.slice, plan.elements)
  local count, gpus, places = math.min(plan.slice, plan.elements - first), plan.gpus, plan.places
  if not plan.hierarchical then
    local all = { first = 0, stride = 1, members = places, ring = ring, nodes = plan.rotates and plan.nodes }
    return {
      phase_of(plan, all, place, first, count, plan.slice, true),
      phase_of(plan, all, place, first, count, plan.slice, false),
    }
  end
  local number = place % gpus
  local node = { first = place - number, stride = 1, members = gpus }
  local rail = { first = number, stride = gpus, members = places // gpus }
  local outer = phase_of(plan, node, place, first, count, plan.slice, true)
  local last = phase_of(plan, node, place, first, count, plan.slice, false)
  last.is_chained = false
  local own_first, own_count = range_of(outer, block_sent(last, last.position, 0) * outer.block, outer.block)
  return {
    outer,
    phase_of(plan, rail, place, own_first, own_count, outer.block, true),
    phase_of(plan, rail, place, own_first, own_count, outer.block, false),
    last,
  }
end

return rings
