/* SPDX-License-Identifier: BSD-3-Clause */
/* Experiments by several processes, one for each GPU, as the processes of a job. */
#pragma once

#include <functional>
#include <pthread.h>

/* What all processes see. */
struct shared_place {
    pthread_barrier_t barrier;
    int gpus, between_set;
    char id[256]; // how they find one another, by the library that they try
};

/* Runs `side` here, for GPU 0, while for each other of `gpus` a process runs main() of this program with `--other EXPERIMENT FILE GPU`.
 * Returns when all have ended. */
void run_together(const char *experiment, int gpus,
                  const std::function<void(shared_place &)> &side);

/* In another process: the place, which ends with the process. It is killed if the first one ends. */
shared_place *shared_place_of_other(const char *file);
