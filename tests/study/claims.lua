-- SPDX-License-Identifier: BSD-3-Clause
-- What has come of a claim, for test_claims.c: the field of the claim of this id as a text; "nil" of one that has none, and of a claim that is not there.
local claims = require "claims"
local test = {}

function test.field(given, asked)
  local claim = claims.those(given, { asked.id })[1] or {}
  return { tostring(claim[asked.field]) }
end

function test.count(given) return { tostring(#claims.all(given)) } end

-- Whether each restated claim names one that it restates, and none is missed.
function test.whole(given)
  for _, claim in ipairs(claims.all(given)) do
    if claim.status == "missed" or (claim.status == "restated") ~= (claim.restated ~= nil) then error(claim.id) end
  end
  return {}
end

return test
