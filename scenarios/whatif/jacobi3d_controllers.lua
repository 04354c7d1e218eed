-- SPDX-License-Identifier: BSD-3-Clause
-- One Jacobi in three dimensions under three controllers, on one GPU each of twelve nodes of Summit: a PE on the host that launches kernels
-- (charm-channel), a kernel that stays on each GPU and posts to the NIC itself (gpu-verbs), and a command processor, which either is the
-- PE (cp-channel) or serves the kernel that stays (comp-net). The same program for all: a block a GPU; each face is packed, sent, received and
-- unpacked, then all cells are updated. docs/learn/whatif.md reads the figure.

local summit = require "configs.summit"

local NODES, WARMUP, TURNS = 12, 3, 10
local GRID = { 3, 2, 2 } -- blocks along x, y, z
local GROUPS = 80        -- of a kernel that stays: one a CU

-- A small core as in configs/gcn3_node.lua; and GPUDirect RDMA for the host's PE.
local machines = {
  ["charm-channel"] = { ucx = { gpu_direct = "1TiB" } },
  ["comp-net"] = { cp = { clock = "2GHz" } },
  ["cp-channel"] = {
    cp = { clock = "2GHz", loads_in_flight = estimated(4, 1, 8, "miss registers of a small core's data cache") },
  },
}

-- Six faces by number: 0 and 1 down and up along x, and so on. The neighbour's face is the other of the pair.
local function neighbour(rank, face)
  local strides, axis = { GRID[2] * GRID[3], GRID[3], 1 }, face // 2 + 1
  local at = rank // strides[axis] % GRID[axis] + (face % 2 == 1 and 1 or -1)
  if at < 0 or at >= GRID[axis] then return nil end
  return rank + (face % 2 == 1 and strides[axis] or -strides[axis])
end

-- Cells of a block along each axis: twelve of them make two cubes of `edge` cells, side by side along x.
local function block_of(edge)
  return { 2 * edge // GRID[1], edge // GRID[2], edge // GRID[3] }
end

local function face_cells(block, face)
  local axis = face // 2 + 1
  return block[1] * block[2] * block[3] // block[axis]
end

-- Bytes of memory a cell: an update reads one and writes one; a face normal to x has each cell in a sector of its own, and a buffer.
local UPDATE_BYTES, FACE_BYTES = "16B", { "40B", "16B", "16B" }

local function loop(me, cells, flops, bytes)
  me:compute { elements = cells, flops = flops, bytes = bytes, working_set = "1GiB" }
end

local function begin(me, faces, face, what)
  local arguments = { buffer = faces[what == "send" and face or face ~ 1], channel = face // 2,
                      [what == "send" and "to" or "from"] = neighbour(me.rank, face) }
  if me.groups > 1 then arguments.group = face ~ 1 end
  return me[what](me, arguments)
end

-- A PE: kernels for all faces, one wait for the GPU, all messages, kernels again.
local function iterate_as_pe(me, block, faces)
  local messages = {}
  for face = 0, 5 do
    if neighbour(me.rank, face) then loop(me, face_cells(block, face), 0, FACE_BYTES[face // 2 + 1]) end
  end
  me:finish()
  for _, what in ipairs { "send", "receive" } do
    for face = 0, 5 do
      if neighbour(me.rank, face) then messages[#messages + 1] = begin(me, faces, face, what) end
    end
  end
  me:wait(table.unpack(messages))
  for face = 0, 5 do
    if neighbour(me.rank, face) then loop(me, face_cells(block, face), 0, FACE_BYTES[face // 2 + 1]) end
  end
  loop(me, block[1] * block[2] * block[3], 8, UPDATE_BYTES)
end

-- A work-group of a kernel that stays, between barriers of the kernel: each packs and unpacks a share of one face, the first six send and
-- receive them, all update a share of the cells.
local function iterate_in_kernel(me, block, faces)
  local face = me.group % 6
  local has_face, share = neighbour(me.rank, face) ~= nil, face_cells(block, face) * 6 // GROUPS
  if has_face then loop(me, share, 0, FACE_BYTES[face // 2 + 1]) end
  me:group_barrier()
  if has_face and me.group < 6 then
    begin(me, faces, face, "send")
    me:wait(begin(me, faces, face, "receive"))
  end
  me:group_barrier()
  if has_face then loop(me, share, 0, FACE_BYTES[face // 2 + 1]) end
  me:group_barrier()
  loop(me, block[1] * block[2] * block[3] // GROUPS, 8, UPDATE_BYTES)
  me:group_barrier()
end

local function jacobi(design, edge)
  local is_kernel = design == "gpu-verbs" or design == "comp-net"
  local w = program { design = design, nodes = NODES, channels = true, cooperative = is_kernel }
  local block, faces = block_of(edge), {}
  for face = 0, 5 do faces[face] = w:buffer(8 * face_cells(block, face) .. "B") end
  w:parties { work_groups = is_kernel and GROUPS or 1, threads = 1024, program = function(me)
    local start
    for turn = 1, WARMUP + TURNS do
      if turn == WARMUP + 1 then start = me:now() end
      if is_kernel then iterate_in_kernel(me, block, faces) else iterate_as_pe(me, block, faces) end
    end
    me:finish()
    if me.rank == 0 and me.group == 0 then me:record("all", me:now() - start) end
  end }
  return w:run()
end

return study {
  title = "One Jacobi under three controllers",
  machine = function(p)
    local machine = { nodes = NODES, transport = { kind = "segment", segment = "16KiB" } }
    for component, values in pairs(machines[p.design] or {}) do machine[component] = values end
    return summit(machine)
  end,
  vary = { { "design", { "charm-channel", "gpu-verbs", "comp-net", "cp-channel" } }, { "edge", { 96, 192, 384, 768 } } },
  run = function(p) return { iteration = jacobi(p.design, p.edge).all / TURNS } end,
  plot = { x = "edge", y = "iteration_us", by = "design", style = "loglog", x_label = "Cells along the edge of six blocks",
           y_label = "Time per iteration" },
}
