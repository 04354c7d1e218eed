-- SPDX-License-Identifier: BSD-3-Clause
-- Sizes of messages as a setting gives them.

-- "8B,1000B" or "8B:1MiB" as a list.
return function(text)
  local function refuse(why)
    error("sizes " .. text .. ": " .. why, 0)
  end
  local list = {}
  for size in (text .. ","):gmatch("([^,]*),") do
    list[#list + 1] = size
  end
  local from, to = text:match("^([^,:]*):([^,:]*)$")
  if from and quantity(from) > quantity(to) then
    refuse("the first is larger than the last")
  elseif from then
    list = pow2(from, to)
  end
  if #list > 64 then
    refuse("at most 64 sizes")
  end
  for _, size in ipairs(list) do
    if size == "" then
      refuse("no size is given")
    elseif quantity(size) < 1 or quantity(size) > 1 << 30 then
      refuse("sizes are 1B to 1GiB")
    end
  end
  return list
end
