/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory for what is large and visited in no order of addresses. In pages of 4 KiB it would miss the TLB at every step; from some MiB on
 * it comes in huge pages. Pages that are not touched take no memory. */
#pragma once

#include <pthread.h>
#include <stdbool.h>
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

/* Memory that waits for the next run, which touches the same pages: to get them anew takes longer than much of what a run does with
 * them. At most PAGES_KEPT pieces, of `most_bytes` in all; of several threads. */
#define PAGES_KEPT 32
struct pages_keeper {
    size_t most_bytes, bytes, count;
    pthread_mutex_t lock;
    struct pages_piece {
        void *pages;
        size_t bytes;
    } kept[PAGES_KEPT];
};

/* The last piece kept of that size, taken out; NULL if there is none. And whether there is room to keep one: then it is kept. */
void *pages_take_kept(struct pages_keeper *keeper, size_t bytes);
bool pages_keep(struct pages_keeper *keeper, void *pages, size_t bytes);
