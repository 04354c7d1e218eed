/* What this program and its surroundings are. */
#ifndef GPUNETSIM_STUDY_VERSION_H
#define GPUNETSIM_STUDY_VERSION_H

#include "study/table.h"

/* Columns `part` and `version`: gpunetsim, SimGrid, Lua, GLib, gnuplot ("not found" if there is
 * none), compiler. */
struct table *version_table(void);

#endif
