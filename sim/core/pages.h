/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory for what is large and visited in no order of addresses. In pages of 4 KiB it would miss the TLB at every step; from some MiB on
 * it comes in huge pages. Pages that are not touched take no memory. */
#pragma once

#include <stddef.h>

/* `bytes` of zeros, aligned to lines of the cache; they end the program when there is no memory. Freed with the same number of bytes; NULL
 * is freed, too. */
void *pages_new(size_t bytes);
void pages_free(void *pages, size_t bytes);

/* The same for a table of which a run touches little, in small pages: only those cost anything, while malloc fills a block that it has
 * had before with zeros. */
void *pages_sparse_new(size_t bytes);
void pages_sparse_free(void *pages, size_t bytes);

/* Frees a table that holds nothing but zeros again: it may be what pages_sparse_new returns next for as many bytes. */
void pages_sparse_give_back(void *pages, size_t bytes);

/* Of what the heap hands out next, about `bytes` come in huge pages: for a run of many nodes, whose devices are small objects each. It is
 * a wish, and changes no result. */
void pages_prepare_heap(size_t bytes);
