-- SPDX-License-Identifier: BSD-3-Clause
-- Two guests of one machine: a kernel whose work-groups get from the other node, and a job of two ranks, one a node, that play
-- ping-pong, each under a design of its own.
--
-- Of either so many operations are measured. Who is through with them goes on with the same, unmeasured, until the other is, too:
-- so each is measured beside the other all the time. Without `kernel_design` or `job_design` the other guest has the machine to itself.
-- The result has get, get_max, message and message_max of the guests that ran.

local WARMUP = 4

-- Parties tell each other how far they are. The last to end leaves all as it was, so that a run more sees the same.
local function progress_of(g)
  local groups = g.kernel_design and g.work_groups or 0
  local parties = groups + (g.job_design and 2 or 0)
  local p = {}
  local function start()
    p.groups_left, p.has_job, p.is_last, p.left = groups, g.job_design ~= nil, false, parties
  end
  function p.leave()
    p.left = p.left - 1
    if p.left == 0 then start() end
  end
  start()
  return p
end

local function kernel(g, progress)
  local w = program { design = g.kernel_design, nodes = 2, kernels = 1 }
  local data = w:buffer(g.kernel_bytes)
  w:gpu(0):kernel { work_groups = g.work_groups, threads = 64, program = function(wg)
    local last, i = WARMUP + g.gets, 0
    while i < last or progress.has_job do
      i = i + 1
      local start = wg:now()
      wg:get { from = 1, buffer = data }
      if i > WARMUP and i <= last then wg:record("get", wg:now() - start) end
      if i == last then progress.groups_left = progress.groups_left - 1 end
    end
    progress.leave()
  end }
  return w
end

local function job(g, progress)
  local w = program { design = g.job_design, nodes = 2, channels = true }
  local data = w:buffer(g.job_bytes)
  local function send(rank) rank:wait(rank:send { to = 1 - rank.rank, buffer = data }) end
  local function receive(rank) rank:wait(rank:receive { from = 1 - rank.rank, buffer = data }) end
  w:host(0):process(function(rank)
    local last, i = WARMUP + g.messages, 0
    repeat
      i = i + 1
      progress.is_last = i >= last and progress.groups_left == 0
      local start = rank:now()
      send(rank)
      receive(rank)
      if i > WARMUP and i <= last then rank:record("ping_pong", rank:now() - start) end
      if i == last then progress.has_job = false end
    until progress.is_last
    progress.leave()
  end)
  w:host(1):process(function(rank)
    local is_last = false
    while not is_last do
      receive(rank)
      is_last = progress.is_last -- the message says so
      send(rank)
    end
    progress.leave()
  end)
  return w
end

return function(given)
  local g = { work_groups = 1, kernel_bytes = "8B", gets = 100, job_bytes = "8B", messages = 100 }
  for key, value in pairs(given) do g[key] = value end
  local progress, runs = progress_of(g), {}
  if g.kernel_design then runs[#runs + 1] = kernel(g, progress) end
  if g.job_design then runs[#runs + 1] = job(g, progress) end
  local first, second = runs[1]:run(table.unpack(runs, 2))
  local of_kernel, of_job = g.kernel_design and first, g.job_design and (second or first)
  return {
    get = of_kernel and of_kernel.get, get_max = of_kernel and of_kernel.get_max,
    message = of_job and of_job.ping_pong / 2, message_max = of_job and of_job.ping_pong_max / 2,
  }
end
