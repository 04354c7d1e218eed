/* SPDX-License-Identifier: BSD-3-Clause */
/* gpunetsim-probe [--between SET] FOLDER [EXPERIMENT...]: measures this host's GPUs and writes the experiments' tables. */
#include "common.h"
#include "together.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <sys/stat.h>
#include <unistd.h>

struct experiment {
    const char *name;
    const char *description;
    void (*run)(const std::string &folder);
    int gpus;         // how many it needs
    bool has_between; // whether it has parameters with values for --between
    // Of an experiment by several processes: what the others run.
    void (*other)(shared_place &shared, int gpu) = nullptr;
};

static const experiment experiments[] = {
    {"host", "clock, memcpy by size, flags between cores", probe_host, 0, false},
    {"launch", "launches, gaps, graphs, events", probe_launch, 1, true},
    {"copies", "copies between host and GPU, both ways and at once", probe_copies, 1, true},
    {"signal", "flags between GPU and host, single loads, stores, atomics, fences", probe_signal, 1,
     true},
    {"scaling", "the same operations by number of blocks", probe_scaling, 1, true},
    {"fences", "fences by blocks and warps, together and in turns; stores by SM", probe_fences, 1,
     false},
    {"front_end", "stream memory operations that wait for a GPU thread's flag", probe_front_end, 1,
     true},
    {"host_queues", "queues in host memory served by a host thread", probe_host_queues, 1, true},
    {"host_windows", "windows of posts by many work-groups to one host thread", probe_host_windows,
     1, false},
    {"host_threads", "queues in host memory served by 1 to 8 threads without service time",
     probe_host_threads, 1, false},
    {"host_posts", "the same by the number of a post's stores", probe_host_posts, 1, false},
    {"host_lines",
     "stores of blocks to lines of the host that its threads look at, and of the host",
     probe_host_lines, 1, false},
    {"line_owner", "entries of several stores to a line of the host that a thread looks at",
     probe_line_owner, 1, false},
    {"gpu_agent", "queues in GPU memory served by a thread or a warp of the GPU", probe_gpu_agent,
     1, true},
    {"streams", "operations and agents beside blocks that stream through memory", probe_streams, 1,
     true},
    {"agent_parts", "what of an operation takes an agent of the GPU longer beside such blocks",
     probe_agent_parts, 1, false},
    {"meetings",
     "copies and several agents beside blocks that stream; one thread that drives two GPUs",
     probe_meetings, 1, false},
    {"peer", "loads, stores, flags and copies between two GPUs", probe_peer, 2, true},
    {"allreduce", "allreduce of two GPUs in a resident kernel", probe_allreduce, 2, true},
    {"overlap",
     "allreduce of two GPUs beside kernels that stream or compute, also in backward passes",
     probe_overlap, 2, false, other_of_overlap},
    {"exchange", "kernels in a row by their shape; words with flags between two GPUs",
     probe_exchange, 1, false},
    {"mixes", "loads and stores of few blocks to two GPUs at a time", probe_mixes, 2, false},
    {"slices", "slices that two GPUs send each other with fences and flags", probe_slices, 2,
     false},
    {"experts", "what kernels that send tokens to experts are made of", probe_experts, 1, false},
    {"strides", "loads and stores of pieces of memory that lie apart", probe_strides, 1, false},
    {"collectives", "NCCL's collectives of 2, 4 and 8 GPUs", probe_collectives, 2, true,
     other_of_collectives},
    {"nvshmem", "NVSHMEM's operations in kernels of two GPUs", probe_nvshmem, 2, true,
     other_of_nvshmem},
    {"messages", "ping-pong and windows of messages between the host threads of two GPUs",
     probe_messages, 2, false},
    {"jacobi2d", "iterations of a 5-point stencil on two GPUs, driven by the host or in a kernel",
     probe_jacobi2d, 2, false},
    {"jacobi3d", "iterations of a 7-point stencil on one GPU and two, driven by the host",
     probe_jacobi3d, 1, false},
    {"power", "power by activity", probe_power, 1, false},
    {"blocking", "launches by a thread that sleeps while it waits", probe_blocking, 1, false},
};

static void print_help()
{
    puts(
        "gpunetsim-probe [--between SET] FOLDER [EXPERIMENT...]\n"
        "Measures this host's GPUs and writes tables of tab-separated values.\n"
        "All experiments take less than three minutes. With --between 1 or 2 they take sizes and numbers between\n"
        "the usual ones, as points that no value was set by, and leave out experiments without such points.\n");
    for (const experiment &it : experiments)
        printf("  %-12s %s\n", it.name, it.description);
}

static bool asked_for(const experiment &it, int count, char **names)
{
    for (int i = 0; i < count; i++)
        if (strcmp(names[i], it.name) == 0)
            return true;
    return count == 0;
}

static void refuse_unknown(int count, char **names)
{
    for (int i = 0; i < count; i++) {
        bool known = false;
        for (const experiment &it : experiments)
            known = known || strcmp(names[i], it.name) == 0;
        if (!known)
            fail("no experiment is called \"%s\"; --help lists them", names[i]);
    }
}

static void make_folder(const std::string &folder)
{
    for (size_t end = folder.find('/', 1);; end = folder.find('/', end + 1)) {
        if (mkdir(folder.substr(0, end).c_str(), 0777) != 0 && errno != EEXIST)
            fail("cannot make the folder %s: %s", folder.c_str(), strerror(errno));
        if (end == std::string::npos)
            return;
    }
}

static void write_platform(const std::string &folder, int gpus)
{
    table table(folder, "platform", "the GPUs of this host",
                "gpu name sms sm_clock_MHz l2_bytes memory_bytes");
    for (int gpu = 0; gpu < gpus; gpu++) {
        cudaDeviceProp properties;
        CUDA(cudaGetDeviceProperties(&properties, gpu));
        table.row("%d\t%s\t%d\t%.0f\t%d\t%zu", gpu, properties.name, properties.multiProcessorCount,
                  1e3 * cycles_per_ns(gpu), properties.l2CacheSize, properties.totalGlobalMem);
    }
}

/* There is no other way to give up a call of the driver that never returns. */
static void give_up(int)
{
    static const char sentence[] =
        "gpunetsim-probe: an experiment took over a minute, so the GPU or its driver hangs\n";
    if (write(STDERR_FILENO, sentence, sizeof sentence - 1) < 0)
        _exit(4);
    _exit(3);
}
constexpr unsigned longest_experiment_s = 60;

/* The process for one of the other GPUs of an experiment by several processes. */
static int run_other(const char *name, const char *file, const char *gpu)
{
    for (const experiment &it : experiments)
        if (it.other != nullptr && strcmp(name, it.name) == 0) {
            it.other(*shared_place_of_other(file), atoi(gpu));
            return 0;
        }
    fail("the experiment \"%s\" is not one of several processes", name);
}

int main(int argument_count, char **arguments)
{
    if (argument_count == 5 && strcmp(arguments[1], "--other") == 0)
        return run_other(arguments[2], arguments[3], arguments[4]);
    if (argument_count < 2 || strcmp(arguments[1], "--help") == 0) {
        print_help();
        return argument_count < 2 ? 2 : 0;
    }
    if (strcmp(arguments[1], "--between") == 0) {
        between_set = argument_count > 2 ? atoi(arguments[2]) : 0;
        if (between_set != 1 && between_set != 2)
            fail("--between needs the number of a set of points: accepted are 1 and 2");
        argument_count -= 2;
        arguments += 2;
        if (argument_count < 2)
            fail("--between needs a folder; --help says how");
    }
    refuse_unknown(argument_count - 2, arguments + 2);
    // A kernel that is loaded at its first launch would wait for running kernels, which may be waiting for it.
    setenv("CUDA_MODULE_LOADING", "EAGER", 1);
    signal(SIGALRM, give_up);
    alarm(longest_experiment_s);
    int gpus = 0;
    cudaError_t error = cudaGetDeviceCount(&gpus);
    if (error != cudaSuccess || gpus == 0)
        fail("no GPU can be used here: %s",
             error == cudaSuccess ? "there is none" : cudaGetErrorString(error));
    make_folder(arguments[1]);
    write_platform(arguments[1], gpus);
    for (const experiment &it : experiments) {
        if (!asked_for(it, argument_count - 2, arguments + 2) ||
            (between_set > 0 && !it.has_between))
            continue;
        if (it.gpus > gpus) {
            printf("%-12s left out: it needs %d GPUs\n", it.name, it.gpus);
            continue;
        }
        alarm(longest_experiment_s);
        double start = now_ns();
        CUDA(cudaSetDevice(0));
        pin_to_cpu(1);
        it.run(arguments[1]);
        CUDA(cudaDeviceSynchronize());
        printf("%-12s %.1f s\n", it.name, 1e-9 * (now_ns() - start));
        fflush(stdout);
    }
    return 0;
}
