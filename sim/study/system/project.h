/* SPDX-License-Identifier: BSD-3-Clause */
/* The scenarios that come with the program. */
#ifndef GPUNETSIM_STUDY_SYSTEM_PROJECT_H
#define GPUNETSIM_STUDY_SYSTEM_PROJECT_H

#include <glib.h>

/* All scenarios, as paths of files, sorted. A GPtrArray of strings, which frees them. */
GPtrArray *project_scenarios(GError **error);

#endif
