/* What becomes of parameters that the user set and nothing read. */
#ifndef GPUNETSIM_STUDY_UNREAD_H
#define GPUNETSIM_STUDY_UNREAD_H

#include <stddef.h>

#include "study/model/study.h"

/* Fails the points of a study that set a parameter which no point of it could read. A parameter that matters at some
 * points only is no fault: designs are compared on one machine. Rows by point; where some are missing, as in a
 * shard, nothing is known of the others, and nothing fails. */
void unread_judge(struct row *const *rows, size_t count);

/* One sentence on parameters that were set at points which could not read them, while others could; NULL if there
 * are none. Rows are all there. The caller frees it with g_free. */
char *unread_note_text(struct row *const *rows, size_t count);

#endif
