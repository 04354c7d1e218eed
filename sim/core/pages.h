/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory for large tables that are accessed at random addresses. In pages of 4 KiB almost every access would miss the TLB;
 * tables of some MiB and more come in huge pages. Pages that are not touched take no memory. */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

/* `bytes` of zeros, aligned to lines of the cache; the program ends when there is no memory. Freed with the same number of
 * bytes; NULL is freed, too. */
void *pages_new(size_t bytes);
void pages_free(void *pages, size_t bytes);

/* The same in small pages, for a table of which a run touches little: calloc would clear a reused block as a whole. */
void *pages_sparse_new(size_t bytes);
void pages_sparse_free(void *pages, size_t bytes);

/* Frees a table that holds nothing but zeros again. pages_sparse_new may return it for the next table of as many bytes. */
void pages_sparse_give_back(void *pages, size_t bytes);

/* Asks that about the next `bytes` of the heap come in huge pages: for a run of many nodes, whose devices are small objects.
 * The system may ignore this; no result changes. */
void pages_prepare_heap(size_t bytes);

/* Memory that is kept for the next run, which touches the same pages: new pages from the system would take a large part of the
 * run's time. At most PAGES_KEPT pieces, of `most_bytes` in all. Several threads may share a keeper. */
#define PAGES_KEPT 32
struct pages_keeper {
    size_t most_bytes, bytes, count;
    pthread_mutex_t lock;
    struct pages_piece {
        void *pages;
        size_t bytes;
    } kept[PAGES_KEPT];
};

/* pages_take_kept takes out the piece of that size that was kept last; NULL if there is none. pages_keep keeps a piece and
 * returns true; false if there is no room. */
void *pages_take_kept(struct pages_keeper *keeper, size_t bytes);
bool pages_keep(struct pages_keeper *keeper, void *pages, size_t bytes);
