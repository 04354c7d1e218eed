/* SPDX-License-Identifier: BSD-3-Clause */
/* The critical path of an application's iterations: from the end of each backwards, through whatever was waited for last. A wait
 * leads into the stages of the operation that ended it, and these to whoever had posted the operation, at that time: a peer, or the
 * place itself; a barrier leads to who came to it last. So each moment of an iteration is a stage of one operation or the work of one
 * party, and the stages add up to the iteration, to the picosecond. */
#pragma once

#include "core/observe.h"

struct path_log;
struct path_log *path_log_new(void);
void path_log_free(struct path_log *log);

/* What a listener is told; up to PATH_MOST steps and as many operations of a simulation are kept, and later ones are not. */
#define PATH_MOST (1 << 19)
void path_log_operation(struct path_log *log, const struct observed_operation *operation);
void path_log_step(struct path_log *log, const struct observed_step *step);

/* Tells `listener` of each measured iteration that was kept as an operation of origin "critical_path", and forgets everything. */
void path_log_walk(struct path_log *log, const struct observe_listener *listener);

/* Forgets the iterations so far, of a warm-up. */
void path_log_reset(struct path_log *log);
