-- SPDX-License-Identifier: BSD-3-Clause
-- Options that commands share which run points: what they are, and what is made of them.
local command = require "command"
local run_options = {}

local MOST_WORKERS, MOST_SHARDS = 1024, 1000000
local PS_PER_US = 1000000

function run_options.seed(given)
  if given.seed and given.seed < 0 then command.fail("--seed %d: a seed is 0 or more", given.seed) end
  return given.seed or 1
end

-- As given, or one a core.
local function workers_of(given)
  local workers = given.workers or program.cores()
  if workers < 1 or workers > MOST_WORKERS then command.fail("-j %d: the number of workers is 1 to %d", workers, MOST_WORKERS) end
  return workers
end

local function check_redo(given)
  if not given.redo then return end
  if not given.store then command.fail("--redo needs --store") end
  if given.redo ~= "failed" and given.redo ~= "all" then command.fail("--redo %s: accepted are failed and all", given.redo) end
end

-- "3/16" is the third of sixteen.
local function shard_of(given)
  if not given.shard then return end
  local shard, shards = given.shard:match("^(%d+)/(%d+)$")
  shard, shards = math.tointeger(tonumber(shard)), math.tointeger(tonumber(shards))
  if not shard or not shards or shards < 1 or shards > MOST_SHARDS or shard < 1 or shard > shards then
    command.fail("--shard %s: write I/N, such as 3/16, with I from 1 to N and N up to %d", given.shard, MOST_SHARDS)
  end
  return shard, shards
end

-- What is shown of the progress (views/progress.lua); nil: nothing. `auto` is a bar if standard error is a terminal, else a line every
-- 30 s, or nothing if the environment's GPUNETSIM_PROGRESS is none.
local function progress_of(given)
  local mode = given.progress or "auto"
  if mode == "plain" or mode == "json" then return mode end
  if mode == "none" then return nil end
  if mode ~= "auto" then command.fail("--progress %s: accepted are auto, plain, json, none", mode) end
  if program.is_terminal() then return os.getenv "TERM" == "dumb" and "plain" or "bar" end -- a dumb one has no start of a line
  return os.getenv "GPUNETSIM_PROGRESS" ~= "none" and "seldom" or nil
end

-- A limit in base units; nil if it is not given.
local function limit_of(given, option, unit, least)
  local limit = given[option] and program.quantity("--" .. option, unit, given[option])
  if limit and limit < program.quantity("--" .. option, unit, least) then
    command.fail("--%s %s: the least is %s", option, given[option], least)
  end
  return limit
end

-- Checks them, opens the store (given.store) until the command ends, and sets what runs from now on are asked for. `ways`: only_reads, the
-- store, which has to be there; remembers, where the store is another process's; silent, no progress; and with_stats, doubtful of struct
-- runner_options.
function run_options.resolve(given, ways)
  local workers, seed = workers_of(given), run_options.seed(given)
  check_redo(given)
  local shard, shards = shard_of(given)
  local time_ps = limit_of(given, "time-limit", "time", "1us")
  local memory_bytes = limit_of(given, "memory-limit", "bytes", "256MiB") -- a program with its libraries has to fit
  local mode = not ways.silent and progress_of(given) or nil
  local is_to_come = given["dry-run"] and given.store and not program.file(given.store)
  program.resolve {
    workers = workers, seed = seed, tell = require "progress".of(mode, given.best), sees_rows = given.best ~= nil, redo = given.redo,
    shard = shard and shard - 1, shards = shards, time_limit_us = time_ps and time_ps // PS_PER_US, memory_limit_bytes = memory_bytes,
    store = not is_to_come and given.store or nil, only_reads = ways.only_reads or given["dry-run"], remembers = ways.remembers,
    with_stats = ways.with_stats, doubtful = ways.doubtful,
  }
end

return run_options
