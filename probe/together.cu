/* SPDX-License-Identifier: BSD-3-Clause */
#include "common.h"
#include "together.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static shared_place *map_shared(int file)
{
    void *memory = mmap(nullptr, sizeof(shared_place), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (memory == MAP_FAILED)
        fail("cannot share memory with the other GPUs' processes: %s", strerror(errno));
    return (shared_place *)memory;
}

shared_place *shared_place_of_other(const char *file)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL); // it would wait for a process that is no more
    shared_place *shared = map_shared(atoi(file));
    between_set = shared->between_set;
    return shared;
}

static void barrier_init(pthread_barrier_t *barrier, int count)
{
    pthread_barrierattr_t attributes;
    pthread_barrierattr_init(&attributes);
    pthread_barrierattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    pthread_barrier_init(barrier, &attributes, (unsigned)count);
}

static pid_t start_other(const char *experiment, int file, int gpu)
{
    std::string number = std::to_string(file), which = std::to_string(gpu);
    const char *arguments[] = {"gpunetsim-probe", "--other",     experiment,
                               number.c_str(),    which.c_str(), nullptr};
    pid_t other;
    int error =
        posix_spawn(&other, "/proc/self/exe", nullptr, nullptr, (char **)arguments, environ);
    if (error != 0)
        fail("cannot start a process for GPU %d: %s", gpu, strerror(error));
    return other;
}

void run_together(const char *experiment, int gpus, const std::function<void(shared_place &)> &side)
{
    unpin(); // or all threads of the other processes would run on the same CPU
    int file = memfd_create("gpunetsim-probe", 0); // the other processes inherit it
    if (file < 0 || ftruncate(file, sizeof(shared_place)) != 0)
        fail("cannot make memory to share: %s", strerror(errno));
    shared_place *shared = map_shared(file);
    shared->gpus = gpus;
    shared->between_set = between_set;
    barrier_init(&shared->barrier, gpus);
    std::vector<pid_t> others;
    for (int gpu = 1; gpu < gpus; gpu++)
        others.push_back(start_other(experiment, file, gpu));
    side(*shared);
    for (pid_t other : others) {
        int status = 0;
        waitpid(other, &status, 0);
        if (status != 0)
            fail("%s: the process of another GPU ended with status %#x", experiment, status);
    }
    munmap(shared, sizeof(shared_place));
    close(file);
}
