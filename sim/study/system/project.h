/* Where the project's own files are: scenarios, machine files, figure templates, claims. */
#ifndef GPUNETSIM_STUDY_SYSTEM_PROJECT_H
#define GPUNETSIM_STUDY_SYSTEM_PROJECT_H

#include <glib.h>

/* The path of `name` ("scenarios", "plots/report.html") in the project's folder: $GPUNETSIM_ROOT if
 * that is set, else the nearest folder above the running program that holds `name`.
 * NULL and one sentence (ERROR_USE) if it is not there. The caller frees it with g_free. */
char *project_path(const char *name, GError **error);

/* All scenarios, as paths of files, sorted. A GPtrArray of strings, which frees them. */
GPtrArray *project_scenarios(GError **error);

#endif
