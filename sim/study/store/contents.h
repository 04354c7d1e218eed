/* SPDX-License-Identifier: BSD-3-Clause */
/* The contents of a store, in the form that views/store.lua reads. */
#pragma once

#include "study/store/store.h"

/* Studies, points, whether the file is damaged, and how many rows cannot be read. With `has_results` each point has its row
 * (pack_row), else an empty one. A floating reference; NULL and an error if interrupted. */
GVariant *store_contents(struct result_store *store, bool has_results, GError **error);
