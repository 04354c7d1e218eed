-- SPDX-License-Identifier: BSD-3-Clause
-- The first set of points between those of all tables. The predictions were committed before the probe first measured the points.
return require "parts.between"(1, "Points between the tables' points, predicted before they were measured", "data/h200x2/between.tsv")
