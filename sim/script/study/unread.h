/* Parameters that the user set and nothing read. */
#ifndef GPUNETSIM_SCRIPT_STUDY_UNREAD_H
#define GPUNETSIM_SCRIPT_STUDY_UNREAD_H

#include "core/param_use.h"
#include "study/model/study.h"

/* Fills row->read and row->unread for a point that ran on `machine` and whose workloads could read `uses`. A point
 * without workloads reads nothing, and is not blamed for it. */
void unread_note(const struct machine *machine, const struct param_use *uses, struct row *row);

#endif
