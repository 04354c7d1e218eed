/* SPDX-License-Identifier: BSD-3-Clause */
/* What a store has, as views/store.lua takes it. */
#pragma once

#include "study/store/store.h"

/* Studies, points, whether the file is damaged, and how many rows cannot be read. With `has_results` a point has its row
 * (pack_row), else an empty one. A floating reference; NULL and an error if interrupted. */
GVariant *store_contents(struct result_store *store, bool has_results, GError **error);
