local lie = setmetatable({ "a" }, { __len = function() return 2 ^ 32 end, __index = function(t, i) return i end })
return study { title = "t", machine = machine { nodes = 1 }, vary = { n = lie }, run = function() return { a = 1 } end,
  plot = { x = "n", y = lie } }
