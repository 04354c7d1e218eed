/* Runs something in a process of its own, whose greatest resident set is its memory. */
#ifndef GPUNETSIM_BENCH_APART_H
#define GPUNETSIM_BENCH_APART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* `run` writes `size` bytes of `outcome`, given `argument`; `MB`: its memory. False if the process failed. */
static inline bool run_apart(void (*run)(const void *argument, void *outcome), const void *argument,
                             void *outcome, size_t size, double *MB)
{
    struct rusage usage = {0};
    int ends[2], status = 0;
    fflush(stdout);
    if (pipe(ends) != 0)
        return false;
    pid_t child = fork();
    if (child == 0) {
        run(argument, outcome);
        _exit(write(ends[1], outcome, size) != (ssize_t)size);
    }
    close(ends[1]);
    bool good = child > 0 && read(ends[0], outcome, size) == (ssize_t)size;
    close(ends[0]);
    if (child > 0)
        wait4(child, &status, 0, &usage);
    *MB = (double)usage.ru_maxrss * 1024 / 1e6;
    return good && status == 0;
}

#endif
