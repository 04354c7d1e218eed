-- SPDX-License-Identifier: BSD-3-Clause
-- What the OSU scenarios of ParCo22 and IPDPSW21 share: the designs of each programming model, the figures, and
-- how the cells of their tables are told from the results.

local paper = require "parts.paper"
local summit = require "configs.summit"

local osu = {}

osu.machine = summit { nodes = 2 }
osu.sizes = pow2("1B", "4MiB")
osu.placements = { "intra-socket", "inter-node" }

-- The sizes that all designs send eagerly.
osu.eager_sizes = pow2("1B", "4KiB")

-- Programming models and their designs, for figures.
function osu.designs(charm_designs)
  local model, design = {}, {}
  local function add(name, designs)
    for _, d in ipairs(designs) do
      model[#model + 1], design[#design + 1] = name, d
    end
  end
  add("Charm++", charm_designs)
  add("AMPI", { "ampi-h", "ampi-d", "openmpi-h", "openmpi-d" })
  add("Charm4py", { "charm4py-h", "charm4py-d" })
  return { model = model, design = design }
end

-- The bandwidth test as the papers' programs run it: that of channels ends a window with a reply of a message's size.
function osu.bandwidth(design, placement, bytes)
  local reply = design == "charm-channel" and "full" or "small"
  return osu_bandwidth { design = design, placement = placement, bytes = bytes, reply = reply }
end

-- The published peaks of a bandwidth's figure, in the order of the models: ids of claims, and the designs.
function osu.peaks(ids, charm)
  local designs = { charm, "ampi-d", "charm4py-d" }
  local published = {}
  for i, id in ipairs(ids) do published[i] = { id, by = designs[i] } end
  return published
end

-- The published ranges of a table's figure, and of latencies what is published of eager messages. Tables number
-- their claims alike: by placement, then what is stated, then the model.
local function published_cells(prefix, measure)
  local models, published = { "Charm++", "AMPI", "Charm4py" }, {}
  for place, placement in ipairs(osu.placements) do
    for i, model in ipairs(models) do
      local function id(kind) return string.format("%s%02d", prefix, 9 * (place - 1) + 3 * kind + i) end
      published[#published + 1] = { id(measure == "latency" and 0 or 2), by = model, panel = placement }
      if measure == "latency" then
        published[#published + 1] = { id(1), by = model, panel = placement, x = { "1B", "4KiB" } }
      end
    end
  end
  return published
end

-- What the papers' table says of latencies, as marks in a figure of them: the GPU-aware design's, by the host-staging one's that is drawn
-- and the published improvement. That of eager messages from 1 B to 4 KiB, by 8 B; the range's end at 4 MiB, as improvements rise with
-- size (P-L04), unless it is the eager one. `improvements`: lists { CLAIM of eager, improvement, CLAIM of the range, its end }, by model.
local function latency_marks(improvements, charm)
  local ends = { ["Charm++"] = { "charm-h", charm[#charm] }, AMPI = { "ampi-h", "ampi-d" }, Charm4py = { "charm4py-h", "charm4py-d" } }
  return function(r)
    local marks = {}
    for model, of in pairs(improvements) do
      local host, direct = table.unpack(ends[model])
      local function implied(bytes, improvement) return r:value { design = host, model = model, bytes = bytes }.latency_us / improvement end
      marks[#marks + 1] = { of[1], by = direct, panel = model, x = { "1B", "4KiB" }, y = implied("8B", of[2]) }
      if of[4] > of[2] then
        marks[#marks + 1] = { of[3], by = direct, panel = model, x = "4MiB", y = implied("4MiB", of[4]) }
      end
    end
    table.sort(marks, function(a, b) return a[1] < b[1] end)
    return marks
  end
end

-- A figure of the papers: one benchmark and placement, a panel for each programming model.
function osu.figure(f)
  local is_latency, designs = f.benchmark == "latency", osu.designs(f.charm)
  return study {
    title = f.title,
    machine = osu.machine,
    vary = { zip(designs), { "bytes", osu.sizes } },
    run = function(p)
      if is_latency then return osu_latency { design = p.design, placement = f.placement, bytes = p.bytes } end
      return osu.bandwidth(p.design, f.placement, p.bytes)
    end,
    plot = { x = "bytes", y = is_latency and "latency_us" or "bandwidth_GBps", by = "design",
             panels = "model", style = "loglog", x_label = "Message size",
             published = f.published or latency_marks(f.improvements, f.charm), labels = paper.labels(designs.design),
             y_label = is_latency and "Latency" or "Bandwidth" },
  }
end

-- A table of the papers: how much better each model's GPU-aware design is than its host-staging one.
function osu.table(t)
  local host = { ["Charm++"] = "charm-h", AMPI = "ampi-h", Charm4py = "charm4py-h" }
  local direct = { ["Charm++"] = t.charm, AMPI = "ampi-d", Charm4py = "charm4py-d" }
  return study {
    title = t.title,
    machine = osu.machine,
    vary = {
      { "model", { "Charm++", "AMPI", "Charm4py" } },
      { "placement", osu.placements },
      { "bytes", osu.sizes },
    },
    run = function(p)
      local function latency(design)
        return osu_latency { design = design, placement = p.placement, bytes = p.bytes }
      end
      local function bandwidth(design)
        return osu.bandwidth(design, p.placement, p.bytes)
      end
      local host_time, direct_time = latency(host[p.model]), latency(direct[p.model])
      local host_rate, direct_rate = bandwidth(host[p.model]), bandwidth(direct[p.model])
      return {
        host_latency = host_time.latency, direct_latency = direct_time.latency,
        latency_improvement = host_time.latency_us / direct_time.latency_us,
        host_bandwidth = host_rate.bandwidth, direct_bandwidth = direct_rate.bandwidth,
        bandwidth_improvement = direct_rate.bandwidth_GBps / host_rate.bandwidth_GBps,
      }
    end,
    plot = {
      { x = "bytes", y = "latency_improvement", by = "model", panels = "placement", style = "loglog",
        title = t.title_start .. "improvement in latency", published = published_cells(t.prefix, "latency"),
        x_label = "Message size", y_label = "Host-staging / GPU-aware" },
      { x = "bytes", y = "bandwidth_improvement", by = "model", panels = "placement", style = "loglog",
        title = t.title_start .. "improvement in bandwidth", published = published_cells(t.prefix, "bandwidth"),
        x_label = "Message size", y_label = "GPU-aware / host-staging" },
    },
    claims = t.claims,
  }
end

-- --- claims -----------------------------------------------------------------------------------------

function osu.near(value, paper, tolerance)
  return math.abs(value - paper) <= tolerance * paper
end

-- Calls visit(row) for each message size.
function osu.each_size(r, model, placement, visit, sizes)
  for _, bytes in ipairs(sizes or osu.sizes) do
    visit(r:value { model = model, placement = placement, bytes = bytes }, bytes)
  end
end

-- Smallest and largest value of a measure over the sizes.
function osu.range(r, model, placement, measure, sizes)
  local low, high = math.huge, -math.huge
  osu.each_size(r, model, placement, function(row)
    low, high = math.min(low, row[measure]), math.max(high, row[measure])
  end, sizes)
  return low, high
end

-- The largest value of a measure over the eager sizes. The papers' eager numbers are of this kind: between
-- nodes they are also the upper ends of Charm++'s ranges.
function osu.eager(r, model, placement, measure)
  local _, high = osu.range(r, model, placement, measure, osu.eager_sizes)
  return high
end

-- The limits of what has to be near to what is stated.
function osu.limits(stated, tolerance) return { stated * (1 - tolerance), stated * (1 + tolerance) } end

-- The answer to "improved by LOW to HIGH": both ends within 15 %, and never a loss.
function osu.range_claim(model, placement, measure, low, high)
  return function(r)
    local obtained_low, obtained_high = osu.range(r, model, placement, measure)
    return {
      obtained = { obtained_low, obtained_high }, limits = { osu.limits(low, 0.15), osu.limits(high, 0.15) },
      holds = osu.near(obtained_low, low, 0.15) and osu.near(obtained_high, high, 0.15)
        and obtained_low >= 0.995,
      note = string.format("%.1fx to %.1fx, published %.1fx to %.1fx; holds within 15 %% at both ends",
        obtained_low, obtained_high, low, high),
    }
  end
end

-- The answer to "eager messages are SPEEDUP faster": within 10 %.
function osu.eager_claim(model, placement, speedup)
  return function(r)
    local obtained = osu.eager(r, model, placement, "latency_improvement")
    return { obtained = obtained, limits = osu.limits(speedup, 0.1), holds = osu.near(obtained, speedup, 0.1),
             note = string.format("best of 1 B to 4 KiB, published %.1fx; holds within 10 %%", speedup) }
  end
end

-- The answer to "reaches PEAK GB/s": within 5 %.
function osu.peak_claim(model, placement, peak)
  return function(r)
    local _, obtained = osu.range(r, model, placement, "direct_bandwidth_GBps")
    return { obtained = obtained, limits = osu.limits(peak, 0.05), holds = osu.near(obtained, peak, 0.05),
             note = string.format("published %.1f GB/s; holds within 5 %%", peak) }
  end
end

return osu
