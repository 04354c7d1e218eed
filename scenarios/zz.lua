local node = require "configs.gcn3_node"
return study {
  title = "x", machine = node {},
  vary = { design = { "dgpu", "dgpu-host-queue", "apu", "comp-net", "gpu-thread","gpu-warp","smart-nic","gravel", "gpu-verbs", "triggered",
   "comp-net{fence=order}", "comp-net{fence=order,order=queue}", "comp-net{fence=nic_fence}", "comp-net{signal=after}", "comp-net{signal=after,order=queue}", "comp-net{signal=nic_fence}", "comp-net{signal=quiet}", "gpu-verbs{signal=after}", "gpu-verbs{fence=order}"} },
  run = function(p) 
   return litmus { design = p.design, goes_on=true }
  end,
}
