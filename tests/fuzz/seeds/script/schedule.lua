return study {
  title = "t",
  machine = machine { name = "m" },
  vary = { { "n", { 2, 4 } } },
  run = function(p)
    local g = schedule { ranks = p.n }
    g:generate("train:1x2x1x" .. p.n // 2 .. ",bytes=64,calc=5")
    g:generate("moe:2x" .. p.n // 2)
    local c = g:calc { rank = 0, time = "5ns" }
    g:send { rank = 0, to = 1, bytes = "8B", after = c, tag = 3 }
    g:receive { rank = 1, from = 0, bytes = "8B", tag = 3 }
    return { t = g:run { model = { "2 2 0 1 5", "1 0 100 0 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1", "3 0 99 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1" } }.makespan, l = #g:text() }
  end,
}
