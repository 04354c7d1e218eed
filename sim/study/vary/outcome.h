/* SPDX-License-Identifier: BSD-3-Clause */
/* The measure of a row that is looked at. */
#pragma once

#include "study/model/study.h"

/* The measure of this name or column ("latency", "latency_us"); NULL: latency or time, else the first that is a number.
 * NULL and one sentence, with those that there are, if there is none or it is a text; `place` ("at bytes 8B") begins it. */
const struct measure *outcome_find(const struct row *row, const char *name, const char *place,
                                   GError **error);

/* Its number, in base units. */
double outcome_number(const struct measure *measure);

/* How far it may be off as a mean over phases, in base units: the measure NAME_spread of its row; 0 if that has none. */
double outcome_spread(const struct row *row, const struct measure *measure);
