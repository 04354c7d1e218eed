/* SPDX-License-Identifier: BSD-3-Clause */
/* gpunetsim as a library: opens studies and machines, sets parameters, runs points and reads measures. The program does the
 * simulation: the first call starts `gpunetsim serve`, with the environment and the standard error of that moment, in a process
 * that ends with the caller's process. The program is found beside the library, above GPUNETSIM_ROOT or at its place of
 * installation; the environment variable GPUNETSIM_PROGRAM names another. If the program ends by itself, calls on objects that it
 * had open fail, and the next call that opens an object starts it again.
 *
 * Functions that can fail return NULL, false or 0 and then make `*error`, unless `error` is NULL, one sentence for a user to
 * read; free it with gpunetsim_free_text. They fail for an object that is NULL, for instance after a failed call, and for a
 * number that is out of range; functions without `error` return NULL or 0 then. Texts that are returned as const char * belong
 * to the object that they were read from.
 *
 * Any thread may call any function; calls that open, find, run or close wait for each other, so that threads never run points
 * at the same time; use several processes for that. An object may be used by one thread at a time, and by none once it is
 * closed or freed. The caller keeps no child process, and no descriptor is inherited: to start the program, the library waits
 * for one child, which ends at once (a SIGCHLD may come). A child that the caller forks, at any moment, may use the library: it
 * gets its own program, and objects opened before the fork stay the parent's.
 *
 * Settings are texts "COMPONENT.PARAMETER=VALUE" as for the program's option --set ("nic.rate=50GB/s"), in a
 * NULL-ended array; NULL: none. Values have units: times "150ns", sizes "1MiB", rates "12.5GB/s". */
#ifndef GPUNETSIM_H
#define GPUNETSIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this header: its major number. Within 0.x a new minor version may change functions; from 1.0 on only a new
 * major version removes or changes them, and the library's name (libgpunetsim.so.1) contains its number. */
#define GPUNETSIM_VERSION_MAJOR 0
/* The header's minor version number. */
#define GPUNETSIM_VERSION_MINOR 1
/* The header's patch number. */
#define GPUNETSIM_VERSION_PATCH 0
/* Whether the header is of this version or a later one, for #if. */
#define GPUNETSIM_VERSION_AT_LEAST(major, minor, patch)                                            \
    (GPUNETSIM_VERSION_MAJOR > (major) ||                                                          \
     (GPUNETSIM_VERSION_MAJOR == (major) &&                                                        \
      (GPUNETSIM_VERSION_MINOR > (minor) ||                                                        \
       (GPUNETSIM_VERSION_MINOR == (minor) && GPUNETSIM_VERSION_PATCH >= (patch)))))

/* Marks the functions that the library exports. */
#define GPUNETSIM_API __attribute__((visibility("default")))

/* The version of the library, "0.1.0 (git 1a2b3c4)". */
GPUNETSIM_API const char *gpunetsim_version(void);
/* Frees a sentence that a function has made; NULL is allowed. */
GPUNETSIM_API void gpunetsim_free_text(char *text);

/* --- results: measures by column, with the unit in the name ("latency_us", "bandwidth_GBps") --- */

/* The result of a point or a workload. */
struct gpunetsim_result;
/* The number of columns, one for each measure. */
GPUNETSIM_API size_t gpunetsim_result_count(const struct gpunetsim_result *result);
/* The name of column `number`, which is less than gpunetsim_result_count. */
GPUNETSIM_API const char *gpunetsim_result_name(const struct gpunetsim_result *result,
                                                size_t number);
/* The value of column `number` as text. */
GPUNETSIM_API const char *gpunetsim_result_text(const struct gpunetsim_result *result,
                                                size_t number);
/* The value of a column as a number. NaN and an error if there is no such column, or if its value is a text. */
GPUNETSIM_API double gpunetsim_result_value(const struct gpunetsim_result *result, const char *name,
                                            char **error);
/* Frees the result; NULL is allowed. */
GPUNETSIM_API void gpunetsim_result_free(struct gpunetsim_result *result);

/* --- studies: Lua files as for `gpunetsim run` --- */

/* A study, with its points. */
struct gpunetsim_study;
/* Reads a study with these settings. NULL and an error if it cannot be read. */
GPUNETSIM_API struct gpunetsim_study *
gpunetsim_study_open(const char *path, const char *const *settings, char **error);
/* Frees the study; NULL is allowed. */
GPUNETSIM_API void gpunetsim_study_close(struct gpunetsim_study *study);
/* The title that the study gives itself. */
GPUNETSIM_API const char *gpunetsim_study_title(const struct gpunetsim_study *study);
/* How many axes the study varies. */
GPUNETSIM_API size_t gpunetsim_study_axis_count(const struct gpunetsim_study *study);
/* The name of axis `axis`, which is less than gpunetsim_study_axis_count ("bytes"). */
GPUNETSIM_API const char *gpunetsim_study_axis_name(const struct gpunetsim_study *study,
                                                    size_t axis);
/* How many points the study has. */
GPUNETSIM_API size_t gpunetsim_study_point_count(const struct gpunetsim_study *study);
/* The value of point `point` on axis `axis`, as text ("8B"). */
GPUNETSIM_API const char *gpunetsim_study_value(const struct gpunetsim_study *study, size_t point,
                                                size_t axis);
/* The first point whose axes have these values, "design=comp-net,bytes=8B"; axes that are not named may have any value. False
 * and an error if there is no such point. */
GPUNETSIM_API bool gpunetsim_study_find(const struct gpunetsim_study *study, const char *values,
                                        size_t *point, char **error);
/* Runs a point with the given seed; the program itself uses seed 1. NULL and an error if it fails, or if all points have now been
 * run and none of them has read a parameter that was set. */
GPUNETSIM_API struct gpunetsim_result *
gpunetsim_study_run(struct gpunetsim_study *study, size_t point, uint64_t seed, char **error);

/* --- machines: a machine file, or the name of one that comes with the program ("gcn3_node") --- */

/* A machine, with its parameters. */
struct gpunetsim_machine;
/* Reads a machine with these settings. NULL and an error if it cannot be read. */
GPUNETSIM_API struct gpunetsim_machine *
gpunetsim_machine_open(const char *path_or_name, const char *const *settings, char **error);
/* Frees the machine; NULL is allowed. */
GPUNETSIM_API void gpunetsim_machine_close(struct gpunetsim_machine *machine);
/* How many parameters the machine has. */
GPUNETSIM_API size_t gpunetsim_machine_parameter_count(const struct gpunetsim_machine *machine);
/* The name of a parameter ("nic.rate"); `number` < gpunetsim_machine_parameter_count. */
GPUNETSIM_API const char *gpunetsim_machine_parameter_name(const struct gpunetsim_machine *machine,
                                                           size_t number);
/* The value of a parameter ("12.5GB/s"). */
GPUNETSIM_API const char *gpunetsim_machine_parameter_text(const struct gpunetsim_machine *machine,
                                                           size_t number);
/* Runs a workload ("get_latency") with these arguments ("design=comp-net", "bytes=8B"; NULL-ended; other arguments keep their
 * defaults: `gpunetsim help get_latency` lists them). NULL and an error if the workload cannot run, fails, or has not read a
 * parameter that was set. */
GPUNETSIM_API struct gpunetsim_result *
gpunetsim_machine_run(const struct gpunetsim_machine *machine, const char *workload,
                      const char *const *arguments, uint64_t seed, char **error);

#ifdef __cplusplus
}
#endif

#endif
