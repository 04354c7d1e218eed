-- SPDX-License-Identifier: BSD-3-Clause
-- What the claims of Fig 4 are judged by, for its scenarios and for the readings.
local fig04 = {}

-- N-05: from 5 to 80 us, both ends within 25 %.
function fig04.is_five_to_eighty(low, high) return low > 0.75 * 5 and low < 1.25 * 5 and high > 0.75 * 80 and high < 1.25 * 80 end

-- N-06: `ratio(work_groups)` is the queue's time in GPU memory over that in host memory. The smallest, the one with most work-groups, and
-- whether all are above 1 and the last is not the smallest.
function fig04.slower(counts, ratio)
  local smallest, most = math.huge, ratio(counts[#counts])
  for _, work_groups in ipairs(counts) do smallest = math.min(smallest, ratio(work_groups)) end
  return smallest, most, smallest > 1 and most > smallest
end

-- N-10: whether `time(work_groups, threads)` rises with work-groups, to 2 %, and of most of them falls with threads.
function fig04.rises_and_falls(counts, threads, time)
  local holds = true
  for i = 2, #counts do
    for _, n in ipairs(threads) do holds = holds and time(counts[i], n) >= time(counts[i - 1], n) * 0.98 end
  end
  for i = 2, #threads do holds = holds and time(counts[#counts], threads[i]) < time(counts[#counts], threads[i - 1]) end
  return holds
end

return fig04
