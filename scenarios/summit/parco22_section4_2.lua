-- SPDX-License-Identifier: BSD-3-Clause
-- ParCo22, section 4.2: what it says beside its table. Open MPI, the GPU Messaging API and the Channel API beside
-- each other, UCX with and without GDRCopy, and AMPI with device transfers that end at once, which leaves the time
-- spent outside UCX.

local osu = require "parts.osu"

-- What is compared: a design, and how the machine differs from the measured one.
local cases = {
  ["Open MPI"] = { design = "openmpi-d" },
  ["Channel"] = { design = "charm-channel" },
  ["Messaging"] = { design = "charm-messaging" },
  ["AMPI"] = { design = "ampi-d" },
  ["Open MPI, no GDRCopy"] = { design = "openmpi-d", machine = { ucx = { gdr_copy = false } } },
  ["AMPI, no device transfers"] = { design = "ampi-d", machine = { charm = { device_transfers = false } } },
}

local function latency(r, case, placement, bytes)
  return r:value { case = case, placement = placement, bytes = bytes }.latency_us
end

-- Whether compare(one, other) holds for a measure of two cases at every size and placement.
local function always(r, one, other, compare, measure)
  for _, placement in ipairs(osu.placements) do
    for _, bytes in ipairs(osu.sizes) do
      local function of(case)
        return r:value { case = case, placement = placement, bytes = bytes }[measure]
      end
      if not compare(of(one), of(other)) then
        return false, string.format("not at %s, %s", bytes, placement)
      end
    end
  end
  return true, "at every size, within and between nodes"
end

-- The late receive's cost: eager latency of the Messaging API over that of the Channel API.
local function ratio_claim(placement, implied)
  return function(r)
    local obtained = latency(r, "Messaging", placement, "8B") / latency(r, "Channel", placement, "8B")
    return { obtained = obtained, holds = osu.near(obtained, implied, 0.1), note = "8 B; holds within 10 %" }
  end
end

local function less(a, b) return a < b end
local function more(a, b) return a > b end

return study {
  title = "ParCo22, section 4.2: APIs, GDRCopy, the time outside UCX",
  machine = function(p) return osu.machine(cases[p.case].machine or {}) end,
  vary = {
    { "case", { "Open MPI", "Channel", "Messaging", "AMPI", "Open MPI, no GDRCopy", "AMPI, no device transfers" } },
    { "placement", osu.placements },
    { "bytes", osu.sizes },
  },
  run = function(p)
    local design = cases[p.case].design
    return { latency = osu_latency { design = design, placement = p.placement, bytes = p.bytes }.latency,
             bandwidth = osu.bandwidth(design, p.placement, p.bytes).bandwidth }
  end,
  plot = { x = "bytes", y = "latency_us", by = "case", panels = "placement", style = "loglog",
           x_label = "Message size", y_label = "Latency",
           published = {
             { "P-L01", by = "AMPI, no device transfers", panel = "intra-socket", x = { "1B", "4KiB" } },
             { "P-L02", by = "Open MPI", panel = "intra-socket", x = { "1B", "4KiB" }, y = 2 },
           } },
  claims = {
    ["P-C01"] = function(r)
      local holds, note = always(r, "Channel", "Messaging", less, "latency_us")
      return { holds = holds, note = note }
    end,
    ["P-C02"] = function(r)
      local function clearly_more(a, b) return a > 0.97 * b end
      local holds, note = always(r, "Channel", "Messaging", clearly_more, "bandwidth_GBps")
      local function gap(bytes)
        local function of(case)
          return r:value { case = case, placement = "intra-socket", bytes = bytes }.bandwidth_GBps
        end
        return of "Channel" / of "Messaging"
      end
      return { holds = holds and gap "8B" > 1.2 and gap "4KiB" > 1.2 and gap "8B" > gap "4MiB",
               note = string.format("Channel-D over Messaging-D within a node: %.2f at 8 B, %.2f at 4 KiB, %.2f at 4 MiB; "
                 .. "more than 0.97 %s", gap "8B", gap "4KiB", gap "4MiB", note) }
    end,
    ["P-L01"] = function(r)
      local outside = latency(r, "AMPI, no device transfers", "intra-socket", "8B")
      return { obtained = outside, holds = osu.near(outside, 8, 0.1), note = "8 B; holds within 10 %" }
    end,
    ["P-L02"] = function(r)
      local inside = latency(r, "AMPI", "intra-socket", "8B")
        - latency(r, "AMPI, no device transfers", "intra-socket", "8B")
      local openmpi = latency(r, "Open MPI", "intra-socket", "8B")
      return { obtained = inside, holds = inside < 2 and openmpi < 2,
               note = string.format("AMPI with less without device transfers; Open MPI %.2f us", openmpi) }
    end,
    ["P-L03"] = function(r)
      local holds, note = always(r, "AMPI", "Open MPI", more, "latency_us")
      return { holds = holds, note = note }
    end,
    ["P-L05"] = function(r)
      local found, missing = latency(r, "Open MPI", "intra-socket", "8B"),
        latency(r, "Open MPI, no GDRCopy", "intra-socket", "8B")
      return { obtained = missing / found, holds = missing > 3 * found,
               note = string.format("Open MPI, 8 B: %.1f us with GDRCopy, %.1f us without", found, missing) }
    end,
    ["D-01"] = ratio_claim("intra-socket", 2.07),
    ["D-02"] = ratio_claim("inter-node", 1.66),
  },
}
