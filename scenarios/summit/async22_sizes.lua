-- SPDX-License-Identifier: BSD-3-Clause
-- Async22, section IV, and ParCo22, section 4.3.1: what follows from Jacobi3D's decompositions: memory, faces, traffic between nodes, the
-- least time of an update; what a node has under way as it sends; and communication beside computing on one node. Sizes take single
-- iterations: they do not change from one to the next.
-- "update" is a GPU by itself, with about as many cells as the papers' blocks have.

local jacobi = require "parts.jacobi3d"

local cell_bytes, axes = 8, { "x", "y", "z" }
local MiB, KiB = 2 ^ 20, 2 ^ 10

-- Points by name: what jacobi3d takes beside them.
local points, names = {}, {}
local function point(name, arguments)
  names[#names + 1], points[name] = name, arguments
end
local function grid_point(kind, grid, scaling, nodes, odf)
  point(("%s %d, nodes %d, ODF-%d"):format(scaling, grid, nodes, odf), { design = "charm-channel", nodes = nodes, grid = grid,
    scaling = scaling, odf = odf, iterations = 1, warmup = 0, kind = kind })
end
for _, nodes in ipairs { 1, 2, 8, 64 } do grid_point("blocks", 1536, "weak", nodes, 1) end
for _, nodes in ipairs { 1, 2 } do grid_point("blocks", 192, "weak", nodes, 1) end
for _, odf in ipairs { 1, 2 } do grid_point("blocks", 3072, "strong", 512, odf) end
for _, odf in ipairs { 1, 8 } do grid_point("blocks", 768, "strong", 128, odf) end
for _, edge in ipairs { 845, 211, 106, 84 } do
  point("update of " .. edge .. "³", { design = "charm-channel", nodes = 1, gpus = 1, grid = edge, iterations = 4, warmup = 1,
    kind = "update" })
end
for _, nodes in ipairs { 2, 8 } do
  for _, odf in ipairs { 1, 4 } do
    point(("sends, nodes %d, ODF-%d"):format(nodes, odf), { design = "charm-channel", nodes = nodes, grid = 1536, odf = odf, warmup = 4, iterations = 8,
      kind = "sends" })
  end
end
for _, design in ipairs { "charm-h", "charm-messaging" } do
  point(design, { design = design, nodes = 1, grid = 1536, kind = "communication" })
end

-- --- decompositions --------------------------------------------------------------------------------

-- The grid's edges: weak scaling doubles one with each doubling of the nodes.
local function cells_of(arguments)
  local cells, nodes, axis = { arguments.grid, arguments.grid, arguments.grid }, 1, 0
  while arguments.scaling == "weak" and nodes < arguments.nodes do
    cells[axis % 3 + 1], nodes, axis = 2 * cells[axis % 3 + 1], 2 * nodes, axis + 1
  end
  return cells
end

-- Of a point's row: cells of a block, bytes of its faces by axis, blocks along each.
local function block_of(row)
  local cells, block, all = cells_of(points[row.point]), { blocks = {}, cells = 1, faces = {} }, {}
  for i, axis in ipairs(axes) do
    block.blocks[i] = math.tointeger(row["blocks_" .. axis])
    all[i] = cells[i] // block.blocks[i]
    block.cells = block.cells * all[i]
  end
  for i = 1, 3 do block.faces[i] = cell_bytes * block.cells // all[i] end
  return block
end

-- Bytes of the faces that have a neighbour, from least to most.
local function faces_sent(block)
  local least, most = math.huge, 0
  for i = 1, 3 do
    if block.blocks[i] > 1 then least, most = math.min(least, block.faces[i]), math.max(most, block.faces[i]) end
  end
  return least, most
end

-- The most that a node sends to others in an iteration: blocks are numbered z first, six behind one another are a node's.
local function most_off_node(block)
  local n = block.blocks
  local sent = {}
  local function node_of(x, y, z) return ((x * n[2] + y) * n[3] + z) // 6 end
  local function send(from, to, face)
    if from ~= to then sent[from] = (sent[from] or 0) + block.faces[face] end
  end
  for x = 0, n[1] - 1 do
    for y = 0, n[2] - 1 do
      for z = 0, n[3] - 1 do
        local here = node_of(x, y, z)
        local beyond = { x + 1 < n[1] and node_of(x + 1, y, z), y + 1 < n[2] and node_of(x, y + 1, z),
                         z + 1 < n[3] and node_of(x, y, z + 1) }
        for face, there in ipairs(beyond) do
          if there then send(here, there, face) send(there, here, face) end
        end
      end
    end
  end
  local most = 0
  for _, bytes in pairs(sent) do most = math.max(most, bytes) end
  return most
end

-- --- answers -----------------------------------------------------------------------------------------

local function block_at(r, scaling, grid, nodes, odf)
  return block_of(r:value { point = ("%s %d, nodes %d, ODF-%d"):format(scaling, grid, nodes, odf or 1) })
end

local function near(value, stated) return math.abs(value / stated - 1) <= jacobi.point_tolerance end

-- "roughly": within 10 %.
local function memory_claim(grid, unit, stated)
  return function(r)
    local value = 2 * cell_bytes * block_at(r, "weak", grid, 1).cells / unit
    return { obtained = value, limits = { 0.9 * stated, 1.1 * stated }, holds = near(value, stated), note = "two copies of a block; within 10 %" }
  end
end

local function largest_face_claim(grid, nodes, unit, stated, note)
  return function(r)
    local _, most = faces_sent(block_at(r, "weak", grid, nodes))
    return { obtained = most / unit, limits = { 0.9 * stated, 1.1 * stated }, holds = near(most / unit, stated), note = note }
  end
end

-- The bytes that an update has to move, at the memory's 800 GB/s, and the simulated time, which must not be less.
local function update_claim(edge, cells, stated_ms)
  return function(r)
    local bound, took = cells * 16 / 800e9 * 1e3, r:value { point = "update of " .. edge .. "³" }.kernel_time_us / 1e3
    return { obtained = took, holds = near(bound, stated_ms) and took >= bound * edge ^ 3 / cells * 0.999,
             note = string.format("a GPU's kernel for %d³ cells in ms; the papers' block needs %.4f ms for its bytes, published %g, and no kernel may be faster",
               edge, bound, stated_ms) }
  end
end

return study {
  title = "Async22 and ParCo22: sizes that follow from Jacobi3D's blocks",
  machine = function(p)
    local of = points[p.point]
    return jacobi.machine(of.nodes, of.kind == "blocks" and "1MiB" or jacobi.large, of.design == "charm-channel", of.odf)
  end,
  vary = { { "point", names } },
  run = function(p)
    local asked, of = {}, points[p.point]
    for name, value in pairs(of) do
      if name ~= "kind" then asked[name] = value end
    end
    local r = of.kind == "communication" and jacobi.run(asked) or jacobi3d(asked)
    return { iteration = r.iteration, kernel_time = r.kernel_time, communication = r.communication, bytes_ahead = r.bytes_ahead, blocks_x = r.blocks_x,
             blocks_y = r.blocks_y, blocks_z = r.blocks_z }
  end,
  claims = {
    ["A-09"] = memory_claim(1536, 1e9, 9),
    ["A-10"] = memory_claim(192, 1e6, 18),
    ["A-11"] = largest_face_claim(1536, 1, 1e6, 9, "MB; on one node only, from two on 6.3 MB (D-12); within 10 %"),
    ["A-12"] = largest_face_claim(192, 2, 1e3, 96, "KB, from two nodes on; on one node 147 KB (D-13); within 10 %"),
    ["A-59"] = function(r)
      local function ahead(nodes, odf) return r:value { point = ("sends, nodes %d, ODF-%d"):format(nodes, odf) }.bytes_ahead_bytes end
      local two, eight = ahead(2, 4) / ahead(2, 1), ahead(8, 4) / ahead(8, 1)
      return { obtained = eight, limits = { 1 }, holds = two < 1 and eight < 1,
               note = string.format("bytes that a node has under way to others as it sends another face, ODF-4 over ODF-1 of Charm-D on 8 nodes, "
                 .. "on 2 %.2f; holds below 1 on both", two) }
    end,
    ["D-07"] = function(r)
      local function share(design)
        local row = r:value { point = design }
        return row.communication_us / row.kernel_time_us
      end
      local direct, host = share("charm-messaging"), share("charm-h")
      return { obtained = direct, limits = { 0.054 * 0.85, 0.054 * 1.15 },
               holds = math.abs(direct / 0.054 - 1) <= 0.15 and math.abs(host / 0.67 - 1) <= 0.15,
               note = string.format("communication over computing on one node, GPU-aware; host-staged %.3f, published 0.67; each within 15 %%", host) }
    end,
    ["D-08"] = update_claim(845, 604.0e6, 12.1),
    ["D-09"] = update_claim(211, 9.44e6, 0.19),
    ["D-10"] = update_claim(106, 1.18e6, 0.024),
    ["D-11"] = update_claim(84, 589824, 0.012),
    ["D-12"] = function(r)
      local one, two, eight = block_at(r, "weak", 1536, 1), block_at(r, "weak", 1536, 2), block_at(r, "weak", 1536, 8)
      local _, most_of_two = faces_sent(two)
      local _, most_of_eight = faces_sent(eight)
      return { obtained = one.faces[3] / MiB,
               holds = one.faces[3] == 9 * MiB and one.faces[2] == 6 * MiB and most_of_two == 6 * MiB and most_of_eight >= 4.5 * MiB
                 and most_of_eight <= 6 * MiB,
               note = string.format("MiB of a z face on one node, y %g; the largest on two nodes %g, on eight %g", one.faces[2] / MiB,
                 most_of_two / MiB, most_of_eight / MiB) }
    end,
    ["D-13"] = function(r)
      local _, one = faces_sent(block_at(r, "weak", 192, 1))
      local _, two = faces_sent(block_at(r, "weak", 192, 2))
      return { obtained = one / KiB, holds = one == 144 * KiB and two == 96 * KiB,
               note = string.format("KiB of the largest face on one node; on two %g", two / KiB) }
    end,
    ["D-14"] = function(r)
      local least, most = faces_sent(block_at(r, "strong", 3072, 512))
      local less, more = faces_sent(block_at(r, "strong", 3072, 512, 2))
      return { obtained = { least / KiB, most / KiB }, holds = least == 288 * KiB and most == 384 * KiB and less == 192 * KiB and more == 288 * KiB,
               note = string.format("KiB of the smallest and largest face with ODF-1; with ODF-2 %g to %g", less / KiB, more / KiB) }
    end,
    ["D-15"] = function(r)
      local least, most = faces_sent(block_at(r, "strong", 768, 128))
      local less, more = faces_sent(block_at(r, "strong", 768, 128, 8))
      return { obtained = { less / KiB, most / KiB }, holds = least == 48 * KiB and most == 72 * KiB and less == 12 * KiB and more == 18 * KiB,
               note = string.format("KiB of faces, the smallest with ODF-8, the largest with ODF-1 (%g to %g, %g to %g)", least / KiB, most / KiB,
                 less / KiB, more / KiB) }
    end,
    ["D-16"] = function(r)
      local mb = {}
      for i, nodes in ipairs { 2, 8, 64 } do mb[i] = most_off_node(block_at(r, "weak", 1536, nodes)) / 1e6 end
      return { obtained = { mb[1], mb[3] }, holds = math.floor(mb[1]) == 31 and math.floor(mb[2]) == 100 and math.floor(mb[3] + 0.5) == 145,
               note = string.format("MB that the busiest node sends to others in an iteration, on 2 and 64 nodes; on 8 %.1f", mb[2]) }
    end,
  },
}
