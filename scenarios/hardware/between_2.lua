-- SPDX-License-Identifier: BSD-3-Clause
-- The second set of points between those of all tables. The predictions were committed before the probe measured the points.
return require "parts.between"(2, "More points between the tables' points, predicted before they were measured", "data/h200x2/between_2.tsv")
