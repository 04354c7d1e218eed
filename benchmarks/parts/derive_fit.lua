-- SPDX-License-Identifier: BSD-3-Clause
-- Straight lines in a message's size, piece by piece, through what detailed runs have measured: least squares of the parts
-- by which a line is off. Where a piece ends is found from the data; all measures of a distance share the pieces.
local fit = {}

fit.measures = { "send", "sent", "arrive", "busy", "late", "post", "first", "receive", "out", "into", "shared" }

local TOLERANCE = 0.01 -- one more piece has to reduce the error by more than this share of every measure of a sample
local LITTLE = 0.02    -- share of the time to arrive: smaller values count as this much

-- Sums over samples 1 to i, from which the line through samples i to j follows.
local function sums_of(samples, name)
  local sums = { { 0, 0, 0, 0, 0, 0 } }
  for i, sample in ipairs(samples) do
    local s, y, before = sample.bytes, sample[name], sums[i]
    local w = 1 / math.max(math.abs(y), LITTLE * sample.arrive, 1) ^ 2
    sums[i + 1] = { before[1] + w, before[2] + w * s, before[3] + w * s * s, before[4] + w * y, before[5] + w * s * y, before[6] + w * y * y }
  end
  return sums
end

-- The line through samples i to j: its value at 0, its slope, and the remaining sum of squares.
local function line(sums, i, j)
  local d = {}
  for k = 1, 6 do d[k] = sums[j + 1][k] - sums[i][k] end
  local spread = d[1] * d[3] - d[2] * d[2]
  local slope = j > i and spread > 1e-9 * d[1] * d[3] and (d[1] * d[5] - d[2] * d[4]) / spread or 0
  local fixed = (d[4] - slope * d[2]) / d[1]
  local left = d[6] + fixed * fixed * d[1] + slope * slope * d[3] - 2 * fixed * d[4] - 2 * slope * d[5] + 2 * fixed * slope * d[2]
  return fixed, slope, math.max(left, 0)
end

local function piece_of(samples, sums, i, j)
  local piece = { from = samples[i].bytes, to = samples[j].bytes, waits = samples[i].waits == 1 }
  for _, name in ipairs(fit.measures) do
    local fixed, slope = line(sums[name], i, j)
    piece[name] = { math.floor(fixed + 0.5), math.floor(slope * 1e6 + 0.5) }
  end
  return piece
end

-- Sets the processor's time of a rendezvous to the least of all samples, since it does not grow with the size. The growing
-- part is the ports' time.
local function even_receive(samples)
  local least = math.huge
  for _, sample in ipairs(samples) do
    if sample.waits == 1 then least = math.min(least, sample.receive) end
  end
  local evened = {}
  for i, sample in ipairs(samples) do
    evened[i] = setmetatable({ receive = sample.waits == 1 and least or sample.receive }, { __index = sample })
  end
  return evened
end

-- The straight line between two pieces, unless the design changes its protocol there, in which case nothing is known.
local function bridge(one, other)
  local piece = { from = one.to + 1, to = other.from - 1, waits = one.waits }
  for _, name in ipairs(fit.measures) do
    local low, high = one[name][1] + one[name][2] * one.to * 1e-6, other[name][1] + other[name][2] * other.from * 1e-6
    local slope = (high - low) / (other.from - one.to)
    piece[name] = { math.floor(low - slope * one.to + 0.5), math.floor(slope * 1e6 + 0.5) }
  end
  return piece
end

local function join(pieces)
  local joined = {}
  for i, piece in ipairs(pieces) do
    local before = pieces[i - 1]
    if before and before.waits == piece.waits and before.to + 1 < piece.from then joined[#joined + 1] = bridge(before, piece) end
    joined[#joined + 1] = piece
  end
  return joined
end

-- The pieces through samples in the order of their sizes.
function fit.pieces(given)
  local samples = even_receive(given)
  local sums, best = {}, { [0] = { cost = 0 } }
  for _, name in ipairs(fit.measures) do sums[name] = sums_of(samples, name) end
  for j = 1, #samples do
    for i = j, 1, -1 do
      if samples[i].waits ~= samples[j].waits then break end
      local cost = best[i - 1].cost + TOLERANCE ^ 2 * #fit.measures
      for _, name in ipairs(fit.measures) do
        local _, _, left = line(sums[name], i, j)
        cost = cost + left
      end
      if not best[j] or cost < best[j].cost then best[j] = { cost = cost, from = i } end
    end
  end
  local pieces, j = {}, #samples
  while j > 0 do
    table.insert(pieces, 1, piece_of(samples, sums, best[j].from, j))
    j = best[j].from - 1
  end
  return join(pieces)
end

-- The value of the pieces at a size; nil where no piece covers it.
function fit.value(pieces, name, bytes)
  for _, piece in ipairs(pieces) do
    if piece.from <= bytes and bytes <= piece.to then return math.max(0, piece[name][1] + piece[name][2] * bytes * 1e-6) end
  end
end

-- Cross-validation in `folds` folds: each sample but the outermost is predicted by pieces made without it. Returns the
-- relative errors by measure, sorted; "receive" of a rendezvous is not fitted, and left out.
function fit.errors(samples, folds)
  local errors = {}
  for fold = 1, folds do
    local kept, left = {}, {}
    for i, sample in ipairs(samples) do
      local is_left = i % folds == fold - 1 and i > 1 and i < #samples
      table.insert(is_left and left or kept, sample)
    end
    local pieces = fit.pieces(kept)
    for _, sample in ipairs(left) do
      for _, name in ipairs(fit.measures) do
        local said = not (name == "receive" and sample.waits == 1) and fit.value(pieces, name, sample.bytes)
        if said then
          errors[name] = errors[name] or {}
          table.insert(errors[name], math.abs(said - sample[name]) / math.max(sample[name], LITTLE * sample.arrive, 1))
        end
      end
    end
  end
  for _, list in pairs(errors) do table.sort(list) end
  return errors
end

-- --- the model --------------------------------------------------------------------------------------

fit.distances = { "same_gpu", "same_socket", "same_node", "same_rail", "same_leaf", "across" } -- ordered as enum loggp_distance

-- The model's numbers for a schedule's g:run { model = ... }: a line with the machine's shape, then a line for each piece.
function fit.numbers(model)
  local lines = { string.format("%d %d %d %d %d", model.shape.per_node, model.shape.per_socket, model.shape.per_leaf, model.sharing, model.kernel) }
  for i, distance in ipairs(fit.distances) do
    for _, piece in ipairs(model.pieces[distance] or {}) do
      local words = { i - 1, piece.from, piece.to, piece.waits and 1 or 0 }
      for _, name in ipairs(fit.measures) do
        words[#words + 1] = piece[name][1]
        words[#words + 1] = piece[name][2]
      end
      lines[#lines + 1] = table.concat(words, " ")
    end
  end
  return lines
end

return fit
