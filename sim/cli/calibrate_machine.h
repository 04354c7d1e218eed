/* gpunetsim calibrate MACHINE DATA...: the machine form of the command. */
#ifndef GPUNETSIM_CLI_CALIBRATE_MACHINE_H
#define GPUNETSIM_CLI_CALIBRATE_MACHINE_H

#include <glib.h>
#include <stdbool.h>

#include "study/run/runner.h"

/* Finds the values of the machine (a path or a name) that the `count` files of measurements determine, prints them, and writes
 * the machine with them to `output` unless that is NULL. `keep`: searches for nothing. */
bool calibrate_machine(const char *machine, char *const *data, int count, const char *output,
                       bool keep, const struct runner_options *options, GError **error);

#endif
