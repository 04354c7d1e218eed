-- ParCo22, section 4.2: what it says beside its table. Open MPI, the GPU Messaging API and the Channel API beside
-- each other, UCX with and without GDRCopy, and AMPI with device transfers that end at once, which leaves the time
-- spent outside UCX.

local osu = require "parts.osu"

local variants = {
  measured = {},
  ["no GDRCopy"] = { ucx = { gdr_copy = false } },
  ["no device transfers"] = { charm = { device_transfers = false } },
}

local function latency(r, design, placement, bytes, variant)
  return r:value { design = design, placement = placement, bytes = bytes,
                   variant = variant or "measured" }.latency_us
end

-- Whether compare(one, other) holds for the latencies of two designs at every size and placement.
local function always(r, one, other, compare, measure)
  for _, placement in ipairs(osu.placements) do
    for _, bytes in ipairs(osu.sizes) do
      local at = { placement = placement, bytes = bytes, variant = "measured" }
      at.design = one
      local a = r:value(at)[measure]
      at.design = other
      if not compare(a, r:value(at)[measure]) then
        return false, string.format("not at %s, %s", bytes, placement)
      end
    end
  end
  return true, "at every size, within and between nodes"
end

-- The late receive's cost: eager latency of the Messaging API over that of the Channel API.
local function ratio_claim(placement, implied)
  return function(r)
    local obtained = latency(r, "charm-messaging", placement, "8B") / latency(r, "charm-channel", placement, "8B")
    return { obtained = obtained, holds = osu.near(obtained, implied, 0.1), note = "8 B; holds within 10 %" }
  end
end

local function less(a, b) return a < b end
local function more(a, b) return a > b end

return study {
  title = "ParCo22, section 4.2: APIs, GDRCopy, the time outside UCX",
  machine = function(p) return osu.machine(variants[p.variant]) end,
  vary = {
    { "design", { "openmpi-d", "charm-channel", "charm-messaging", "ampi-d" } },
    { "variant", { "measured", "no GDRCopy", "no device transfers" } },
    { "placement", osu.placements },
    { "bytes", osu.sizes },
  },
  where = function(p)
    if p.variant == "no GDRCopy" then return p.design == "openmpi-d" end
    if p.variant == "no device transfers" then return p.design == "ampi-d" end
    return true
  end,
  run = function(p)
    local arguments = { design = p.design, placement = p.placement, bytes = p.bytes }
    local r = osu_latency(arguments)
    return { latency = r.latency, bandwidth = osu_bandwidth(arguments).bandwidth }
  end,
  plot = { x = "bytes", y = "latency_us", by = "design", panels = "variant", over = "placement",
           style = "loglog", x_label = "Message size", y_label = "Latency (us)" },
  claims = {
    ["P-C01"] = function(r)
      local holds, note = always(r, "charm-channel", "charm-messaging", less, "latency_us")
      return { holds = holds, note = note }
    end,
    ["P-C02"] = function(r)
      local function clearly_more(a, b) return a > 0.97 * b end
      local holds, note = always(r, "charm-channel", "charm-messaging", clearly_more, "bandwidth_GBps")
      local function gap(bytes)
        local at = { placement = "intra-socket", variant = "measured", bytes = bytes, design = "charm-channel" }
        local channel = r:value(at).bandwidth_GBps
        at.design = "charm-messaging"
        return channel / r:value(at).bandwidth_GBps
      end
      return { holds = holds and gap "8B" > 1.2 and gap "4KiB" > 1.2 and gap "8B" > gap "4MiB",
               note = string.format("Channel-D over Messaging-D within a node: %.2f at 8 B, %.2f at 4 KiB, %.2f at 4 MiB; "
                 .. "more than 0.97 %s", gap "8B", gap "4KiB", gap "4MiB", note) }
    end,
    ["P-L01"] = function(r)
      local outside = latency(r, "ampi-d", "intra-socket", "8B", "no device transfers")
      return { obtained = outside, holds = osu.near(outside, 8, 0.1), note = "8 B; holds within 10 %" }
    end,
    ["P-L02"] = function(r)
      local inside = latency(r, "ampi-d", "intra-socket", "8B")
        - latency(r, "ampi-d", "intra-socket", "8B", "no device transfers")
      local openmpi = latency(r, "openmpi-d", "intra-socket", "8B")
      return { obtained = inside, holds = inside < 2 and openmpi < 2,
               note = string.format("AMPI with less without device transfers; Open MPI %.2f us", openmpi) }
    end,
    ["P-L03"] = function(r)
      local holds, note = always(r, "ampi-d", "openmpi-d", more, "latency_us")
      return { holds = holds, note = note }
    end,
    ["P-L05"] = function(r)
      local found, missing = latency(r, "openmpi-d", "intra-socket", "8B"),
        latency(r, "openmpi-d", "intra-socket", "8B", "no GDRCopy")
      return { obtained = missing / found, holds = missing > 3 * found,
               note = string.format("Open MPI, 8 B: %.1f us with GDRCopy, %.1f us without", found, missing) }
    end,
    ["D-01"] = ratio_claim("intra-socket", 2.07),
    ["D-02"] = ratio_claim("inter-node", 1.66),
  },
}
