-- SPDX-License-Identifier: BSD-3-Clause
-- Channels of NCCL's protocol Simple that share a GPU's link, each with its own slices one after the other. Before a slice
-- a channel waits for state that it keeps in memory, and for the peer's flag; while it waits or takes a slice, the others have
-- the link. Channels get shares of the link that differ a little and stay the same, so that they fall out of step.
local nccl = require "configs.nccl"
local slices = {}

local GROUPS <const> = 6 -- of channels with one share: as many as clusters of four blocks of 24

-- Gives each group that sends its rate: its part of `rate` by weight, but no more than its multiprocessor reaches.
local function divide(sending, rate)
  local weights, is_bound = 0, false
  for _, group in ipairs(sending) do
    weights, group.rate = weights + group.weight * group.count, nil
  end
  repeat
    is_bound = false
    local left, share = weights, rate / weights
    for _, group in ipairs(sending) do
      if not group.rate and group.most < share * group.weight then
        group.rate, is_bound = group.most, true
        rate, left = rate - group.most * group.count, left - group.weight * group.count
      end
    end
    weights = left
  until not is_bound
  for _, group in ipairs(sending) do group.rate = group.rate or rate / weights * group.weight end
end

-- What a channel does with a slice, in order; each gives the time when it ends, nil once it sends.
local phases = {
  function(group, slice, now) return now + (group.at > 1 and slice.held or 0) end,
  function(group, slice, now)
    if not slice.step.gets then return now end
    group.got = group.got + 1
    local came = group.came[group.got]
    group.waited = group.waited + math.max(came - now, 0)
    return math.max(now, came)
  end,
  function(group, slice, now)
    if not slice.step.sends or slice.bytes == 0 then return now + slice.took end
    group.left, group.most = slice.bytes, slice.bytes / slice.took
  end,
  function(group, slice, now) -- all warps meet the one that has fenced behind the previous slice
    local done = math.max(now, group.posted)
    group.posted = slice.step.sends and done + slice.posting or 0
    if slice.step.sends then group.came[#group.came + 1] = math.max(done, group.posted) + slice.way end
    return done
  end,
}

-- Goes on until the group waits for a later time, sends, or has ended its list.
local function go_on(group, list, now)
  while group.at <= #list do
    if group.phase > #phases then
      list[group.at].ended = (list[group.at].ended or 0) + group.count * now
      group.at, group.phase = group.at + 1, 1
    else
      local slice = list[group.at]
      local ends = phases[group.phase](group, slice, now)
      group.phase = group.phase + 1
      group.ends = ends or math.huge
      if not ends or ends > now then return end
    end
  end
  group.ends, group.is_over, group.over = math.huge, true, math.max(now, group.posted)
end

-- Runs `channels` channels through `list` on a link of `rate` bytes/s: each slice has its step, bytes, the times `held`
-- before it, `took` at its multiprocessor, `posting` of its flag and `way` of this. Returns when the last channel ends, how long
-- it has waited for flags, and sets `ended` of each slice, the sum of all channels' times.
function slices.run(list, channels, rate)
  local groups, all = {}, math.min(channels, GROUPS)
  for i = 1, all do
    groups[i] = { count = channels / all, weight = 1 + nccl.slices.spread * math.sqrt(3) * (2 * i - 1 - all) / all,
                  at = 1, phase = 1, posted = 0, came = {}, got = 0, waited = 0, left = 0 }
    go_on(groups[i], list, 0)
  end
  local now, last = 0, groups[1]
  while true do
    local sending, next = {}, math.huge
    for _, group in ipairs(groups) do
      if group.left > 0 then sending[#sending + 1] = group else next = math.min(next, group.ends) end
    end
    if #sending == 0 and next == math.huge then break end
    divide(sending, rate)
    for _, group in ipairs(sending) do next = math.min(next, now + group.left / group.rate) end
    for _, group in ipairs(sending) do
      local left = group.left - group.rate * (next - now)
      group.left = left > 1e-6 and left or 0 -- bytes
      if group.left == 0 then group.ends = next end
    end
    now = next
    for _, group in ipairs(groups) do
      if not group.is_over and group.left == 0 and group.ends <= now then go_on(group, list, now) end
    end
  end
  for _, group in ipairs(groups) do if group.over > last.over then last = group end end
  return last.over, last.waited
end

return slices
