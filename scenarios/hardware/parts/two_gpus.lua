-- SPDX-License-Identifier: BSD-3-Clause
-- Programs of resident kernels on two GPUs: a ping-pong of puts with signals, and the rounds of a ring allreduce.
local copies = design { from = "rocshmem-ipc", copy_unroll = 4 } -- four loads of 16 B a thread under way

local WARMUP, TURNS = 1, 2

-- Half of a round trip of `bytes` followed by a signal, between one block on each GPU.
local function put_one_way(bytes, threads)
  local w = program { design = copies, nodes = 1, gpus_per_node = 2 }
  local ball, bell = w:buffer(bytes), w:signals(2)
  w:parties { threads = threads, program = function(me)
    local other = 1 - me.rank
    for turn = 1, WARMUP + TURNS do
      local word = { buffer = ball, signal = bell, index = turn % 2, value = turn }
      local hit = { to = other, buffer = ball, signal = bell, index = turn % 2, value = turn }
      word.from = other
      local start = me:now()
      if me.rank == 0 then me:put_signal(hit) end
      me:wait_until(word)
      if me.rank == 1 then me:put_signal(hit) end
      if me.rank == 0 and turn > WARMUP then me:record("one_way", (me:now() - start) / 2) end
    end
  end }
  return w:run().one_way
end

local ROUNDS = 3

-- Each of `rings` work-groups sends one half of its part, adds the half that it receives to the other one, and sends the sum. `ended`, if any, is
-- called by each of both GPUs when its rounds are over; then the program runs once.
local function rings_of(bytes, rings, threads, ended)
  local half = quantity(bytes) // 2 // rings
  local w = program { design = "rocshmem-ipc", nodes = 1, gpus_per_node = 2, cooperative = true, channels = true, once = ended ~= nil }
  local data = w:buffer(half .. "B")
  w:parties { work_groups = rings, threads = threads, program = function(me)
    local other, start = 1 - me.rank, nil
    for turn = 0, ROUNDS do -- the first warms up
      if turn == 1 then start = me:now() end
      for step = 0, 1 do
        me:send { to = other, buffer = data }
        me:wait(me:receive { from = other, buffer = data })
        if step == 0 then
          me:compute { elements = half // 4, flops = 1, bytes = "12B", working_set = half .. "B" }
          me:finish()
        end
      end
    end
    if me.group == 0 then me:record("round", (me:now() - start) / ROUNDS) end
    if ended then ended() end
  end }
  return w
end

local function ring_round(bytes, rings, threads) return rings_of(bytes, rings, threads):run().round end

return { put_one_way = put_one_way, ring_round = ring_round, rings = rings_of }
