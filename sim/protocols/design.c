#include "protocols/design.h"

const struct design designs[] = {
    {"dgpu", "host threads serve queues in GPU memory over the bus", NODE_DISCRETE,
     SERVER_HOST_THREADS, MEMORY_GPU, MEMORY_HOST, MEMORY_GPU, SCOPE_SYSTEM},
    {"dgpu-host-queue", "host threads serve queues in host memory, the GPU crosses the bus",
     NODE_DISCRETE, SERVER_HOST_THREADS, MEMORY_HOST, MEMORY_HOST, MEMORY_GPU, SCOPE_SYSTEM},
    {"apu", "CPU threads of an APU serve queues in coherent memory", NODE_APU, SERVER_HOST_THREADS,
     MEMORY_HOST, MEMORY_HOST, MEMORY_HOST, SCOPE_SYSTEM},
    {"comp-net", "command processors serve queues in GPU memory through the GPU's L2",
     NODE_DISCRETE, SERVER_COMMAND_PROCESSOR, MEMORY_GPU, MEMORY_GPU, MEMORY_GPU, SCOPE_DEVICE},
};

const char *const design_names[] = {"dgpu", "dgpu-host-queue", "apu", "comp-net", NULL};
