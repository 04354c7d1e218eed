return study { title = "t", machine = machine { name = "m", nodes = 2 }, trials = 2,
  vary = { n = { 1, 2 }, s = { "a", "b" } },
  run = function(p) return { a = p.n * 2, t = "1.5us", s = string.format("%s", p.s) } end,
  plots = { { x = "s", y = { "a" }, style = "bars" }, { x = "n", y = "a", by = "s", over = "trial" } } }
