#include "models/cuda/cuda.h"

#define SPEC struct cuda_spec
static const struct param params[] = {
    PARAM_TIME(copy_call, SPEC, "3us", "0ns", "1ms", "The core in cudaMemcpyAsync."),
    PARAM_TIME(copy_setup, SPEC, "2us", "0ns", "1ms",
               "A copy engine, from the stream's head to the first byte."),
    PARAM_BYTES(copy_chunk, SPEC, "64KiB", "64B", "1GiB",
                "A copy engine reads this much before it passes it on."),
    PARAM_TIME(peer_setup, SPEC, "0ns", "0ns", "1ms", "More of the setup between two GPUs."),
    PARAM_TIME(synchronize, SPEC, "3us", "0ns", "1ms",
               "From a stream's last completion until cudaStreamSynchronize returns."),
    PARAM_TIME(event_record, SPEC, "250ns", "0ns", "1ms",
               "The core in cudaEventRecord, timing disabled."),
    PARAM_TIME(event_query, SPEC, "200ns", "0ns", "1ms", "The core in cudaEventQuery."),
    PARAM_TIME(event_wait, SPEC, "250ns", "0ns", "1ms", "The core in cudaStreamWaitEvent."),
    PARAM_TIME(kernel_launch, SPEC, "5us", "0ns", "1ms", "The core in a kernel launch."),
    PARAM_TIME(kernel_start, SPEC, "2us", "0ns", "1ms",
               "From the stream's head to the first work-group at work."),
    PARAM_TIME(pointer_query, SPEC, "300ns", "0ns", "1ms",
               "The core asking the driver whose memory a pointer is."),
    PARAM_TIME(pageable_setup, SPEC, "2us", "0ns", "1ms",
               "More of a copy from or to pageable memory."),
    PARAM_RATE(pageable_rate, SPEC, "10GB/s", "1MB/s", "10TB/s",
               "Copies from or to pageable memory move no faster than this."),
    PARAM_TIME(ipc_open, SPEC, "50us", "0ns", "1s", "Opening a peer process's allocation, once."),
    PARAM_TIME(gdr_call, SPEC, "100ns", "0ns", "1ms",
               "A copy through mapped GPU memory, of nothing."),
    PARAM_TIME(gdr_far, SPEC, "300ns", "0ns", "1ms", "More of it from another socket."),
    PARAM_RATE(gdr_read_rate, SPEC, "500MB/s", "1MB/s", "10TB/s",
               "CPU loads from mapped GPU memory."),
    PARAM_RATE(gdr_write_rate, SPEC, "9.5GB/s", "1MB/s", "10TB/s",
               "CPU stores to mapped GPU memory."),
    PARAM_TIME(gdr_map, SPEC, "100us", "0ns", "1s", "Mapping an allocation for the CPU, once."),
};
#undef SPEC
PARAM_TABLE(cuda_params, "cuda", struct cuda_spec, params,
            "CUDA as a process sees it: streams, copy engines, handles, mapped memory.");
