/* SPDX-License-Identifier: BSD-3-Clause */
/* Experiments by two processes, one for each GPU, as the processes of a job. */
#pragma once

#include <functional>
#include <pthread.h>

/* What both processes see. */
struct shared_place {
    pthread_barrier_t barrier;
    int between_set;
    char id[256]; // how they find one another, by the library that they try
};

/* Runs `side` here, for GPU 0, while a process of this program's own runs main() with `--other EXPERIMENT FILE`, for GPU 1. Returns
 * when both have ended. */
void run_both(const char *experiment, const std::function<void(shared_place &)> &side);

/* In the other process: the place, which ends with the process. It is killed if the first one ends. */
shared_place *shared_place_of_other(const char *file);
