/* SPDX-License-Identifier: BSD-3-Clause */
/* What a result may be, given what is only estimated: the point is simulated again and again, each time with other values of
 * all `estimated` parameters within their ranges. A Latin hypercube: of N samples each parameter has one in each N-th part of
 * its range. What is drawn for a parameter depends on its path, the seed and N alone, so points, designs and runs have the
 * same machines in sample k. */
#pragma once

#include "study/vary/parameter.h"
#include "study/vary/variants.h"

/* Lists the samples of a point as variants, of the estimated parameters in `paths` (NULL-ended), or of all if that is NULL; how many
 * these are. */
size_t band_add(struct variants *variants, size_t point, const struct machine *machine,
                char *const *paths, size_t count);
