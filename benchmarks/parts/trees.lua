-- SPDX-License-Identifier: BSD-3-Clause
-- Two trees over the same places, as NCCL has them (src/graph/trees.cc, 2.18 to 2.28): within a node a chain of GPUs; the first
-- GPUs of the chains form a binary tree. Inner nodes of one tree are leaves of the other, so that each tree carries half of the
-- data and all links are used. Source: Sanders et al., Two-tree algorithms for full bandwidth broadcast, reduction and scan,
-- Parallel Computing 35 (2009).
local trees = { COUNT = 2 }

-- --- between nodes ---

-- The lowest set bit of a node's number: inner nodes have more zeros below it than their children. For the root, a bit above all
-- numbers.
local function lowest_bit(number, nodes)
  local bit = 1
  while bit < nodes and number & bit == 0 do
    bit = bit * 2
  end
  return bit
end

-- The number above a node's; nil: it is the root.
local function parent_of(number, nodes)
  local bit = lowest_bit(number, nodes)
  local near = number ~ bit
  if number == 0 then
    return nil
  end
  return (near | bit << 1) < nodes and near | bit << 1 or near
end

-- A node's number in a tree: in the second tree the numbers are mirrored, or shifted if there is an odd number of nodes, so that
-- leaves become inner nodes.
local function number_of(node, nodes, tree)
  if tree == 0 then
    return node
  end
  return nodes % 2 == 0 and nodes - 1 - node or (node - 1) % nodes
end

local function node_of(number, nodes, tree)
  if tree == 0 then
    return number
  end
  return nodes % 2 == 0 and nodes - 1 - number or (number + 1) % nodes
end

-- The children of a node, nearer numbers first.
local function children_of(number, nodes)
  local children, half = {}, lowest_bit(number, nodes) // 2
  while half > 0 do
    for side = -1, 1, 2 do
      local child = number + side * half
      if child > 0 and child < nodes and parent_of(child, nodes) == number then
        children[#children + 1] = child
      end
    end
    half = half // 2
  end
  return children
end

-- --- places ---

-- Where a place stands in tree 0 or 1 over `places`, numbered node by node, with `gpus` for each node: the place `up` (nil at the root)
-- and a list of those down. Chains begin with GPU `first` of each node.
function trees.place_of(places, gpus, place, tree, first)
  local nodes, node, position = places // gpus, place // gpus, (place - first) % gpus
  local at = {}
  if position + 1 < gpus then
    at[1] = node * gpus + (position + 1 + first) % gpus
  end
  if position > 0 then
    at.up = node * gpus + (position - 1 + first) % gpus
    return at
  end
  local number = number_of(node, nodes, tree)
  local parent = parent_of(number, nodes)
  at.up = parent and node_of(parent, nodes, tree) * gpus + first % gpus
  for _, child in ipairs(children_of(number, nodes)) do
    at[#at + 1] = node_of(child, nodes, tree) * gpus + first % gpus
  end
  return at
end

-- The most steps from any place to the root.
function trees.steps(places, gpus)
  local steps, reach = gpus - 1, 1
  while reach < places // gpus do
    steps, reach = steps + 1, reach * 2
  end
  return steps
end

return trees
