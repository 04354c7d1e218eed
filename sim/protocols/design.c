#include "protocols/design.h"

/* Sources of those beyond ComPNet18: GPUrdma (Daoud et al., ROSS 2016) and NVSHMEM's IBGDA transport,
 * where a work-group posts to NIC queues of its own in GPU memory; Gravel (Orr et al., SC'17), whose
 * aggregator gathers small messages by destination until enough have come or some time has passed. */
const struct design designs[] = {
    {"dgpu", "host threads serve queues in GPU memory over the bus", NODE_DISCRETE,
     &host_thread_kind, MEMORY_GPU, MEMORY_HOST, MEMORY_GPU, SCOPE_SYSTEM, false, 0, 0},
    {"dgpu-host-queue", "host threads serve queues in host memory, the GPU crosses the bus",
     NODE_DISCRETE, &host_thread_kind, MEMORY_HOST, MEMORY_HOST, MEMORY_GPU, SCOPE_SYSTEM, false, 0, 0},
    {"apu", "CPU threads of an APU serve queues in coherent memory", NODE_APU, &host_thread_kind,
     MEMORY_HOST, MEMORY_HOST, MEMORY_HOST, SCOPE_SYSTEM, false, 0, 0},
    {"comp-net", "command processors serve queues in GPU memory through the GPU's L2",
     NODE_DISCRETE, &command_processor_kind, MEMORY_GPU, MEMORY_GPU, MEMORY_GPU, SCOPE_DEVICE, false, 0, 0},
    {"gpu-thread", "threads of a resident kernel serve queues through the GPU's L2", NODE_DISCRETE,
     &gpu_thread_kind, MEMORY_GPU, MEMORY_GPU, MEMORY_GPU, SCOPE_DEVICE, false, 0, 0},
    {"gpu-warp", "wavefronts of a resident kernel look at many queues in parallel", NODE_DISCRETE,
     &gpu_warp_kind, MEMORY_GPU, MEMORY_GPU, MEMORY_GPU, SCOPE_DEVICE, false, 0, 0},
    {"smart-nic", "cores of a SmartNIC serve queues in GPU memory over the bus", NODE_DISCRETE,
     &smart_nic_kind, MEMORY_GPU, MEMORY_NIC, MEMORY_GPU, SCOPE_SYSTEM, false, 0, 0},
    {"gravel", "CPU threads of an APU gather puts by destination before they send them", NODE_APU,
     &host_thread_kind, MEMORY_HOST, MEMORY_HOST, MEMORY_HOST, SCOPE_SYSTEM, false, 64,
     10 * PS_PER_US},
    {"gpu-verbs", "work-groups post to NIC queues of their own in GPU memory", NODE_DISCRETE,
     &initiator_kind, MEMORY_GPU, MEMORY_GPU, MEMORY_GPU, SCOPE_DEVICE, true, 0, 0},
};

const char *const design_names[] = {"dgpu",       "dgpu-host-queue", "apu",
                                    "comp-net",   "gpu-thread",      "gpu-warp",
                                    "smart-nic",  "gravel",          "gpu-verbs",
                                    NULL};
