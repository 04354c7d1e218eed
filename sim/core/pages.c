/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/pages.h"

#include <glib.h>
#include <limits.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define CACHE_LINE 64
#define HUGE_PAGE ((size_t)2 << 20)
#define HEAP_BLOCK                                                                                 \
    ((size_t)16 << 20) /* below the largest size from which malloc makes mappings of their own */
#define MOST_HEAP_BLOCKS 64

static size_t rounded_up(size_t bytes, size_t unit)
{
    return (bytes + unit - 1) / unit * unit;
}

/* Whether `bytes` are enough for huge pages: the last one may be mostly empty. */
static bool is_large(size_t bytes)
{
    return bytes >= 2 * HUGE_PAGE;
}

/* Ends the process in the way of GLib when there is no memory. */
static void G_GNUC_NORETURN end_without(size_t bytes)
{
    g_error("failed to allocate %zu bytes", bytes);
}

static void *small_new(size_t bytes)
{
    void *pages = NULL;
    size_t whole = rounded_up(bytes, CACHE_LINE);
    if (posix_memalign(&pages, CACHE_LINE, whole) != 0)
        end_without(whole);
    return memset(pages, 0, whole);
}

/* A mapping begins at any page: the parts before the first huge page and behind the last one are unmapped. */
void *pages_new(size_t bytes)
{
    if (!is_large(bytes))
        return small_new(bytes);
    size_t whole = rounded_up(bytes, HUGE_PAGE), mapped = whole + HUGE_PAGE;
    char *first = mmap(NULL, mapped, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (first == MAP_FAILED)
        end_without(mapped);
    size_t before = (HUGE_PAGE - (uintptr_t)first % HUGE_PAGE) % HUGE_PAGE;
    if (before > 0)
        munmap(first, before);
    munmap(first + before + whole, HUGE_PAGE - before);
    madvise(first + before, whole, MADV_HUGEPAGE);
    return first + before;
}

void pages_free(void *pages, size_t bytes)
{
    if (pages != NULL && is_large(bytes))
        munmap(pages, rounded_up(bytes, HUGE_PAGE));
    else
        free(pages);
}

#define SPARSE_BYTES 65536 /* for smaller sizes the system calls take longer than clearing */

#ifdef __has_feature
#define IS_WATCHED __has_feature(address_sanitizer)
#else
#define IS_WATCHED 0
#endif

/* AddressSanitizer would mark each byte of a large block, which takes longer than most runs: instead, a mapping lies between
 * two pages without access, and ends right before the second one. */
static size_t guard_bytes(void)
{
    return IS_WATCHED ? (size_t)sysconf(_SC_PAGESIZE) : 0;
}

static size_t mapped_bytes(size_t bytes)
{
    return rounded_up(bytes, (size_t)sysconf(_SC_PAGESIZE)) + 2 * guard_bytes();
}

static void *sparse_map(size_t bytes)
{
    size_t guard = guard_bytes(), whole = mapped_bytes(bytes);
    char *first = mmap(NULL, whole, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (first == MAP_FAILED)
        end_without(bytes);
    if (guard == 0)
        return first;
    mprotect(first, guard, PROT_NONE);
    mprotect(first + whole - guard, guard, PROT_NONE);
    return first + whole - guard - rounded_up(bytes, CACHE_LINE);
}

/* Tables of zeros. */
static struct pages_keeper tables = {.most_bytes = (size_t)256 << 20,
                                     .lock = PTHREAD_MUTEX_INITIALIZER};

void *pages_take_kept(struct pages_keeper *keeper, size_t bytes)
{
    void *pages = NULL;
    pthread_mutex_lock(&keeper->lock);
    for (size_t i = keeper->count; i > 0 && pages == NULL; i--) {
        if (keeper->kept[i - 1].bytes != bytes)
            continue;
        pages = keeper->kept[i - 1].pages;
        keeper->kept[i - 1] = keeper->kept[--keeper->count];
        keeper->bytes -= bytes;
    }
    pthread_mutex_unlock(&keeper->lock);
    return pages;
}

bool pages_keep(struct pages_keeper *keeper, void *pages, size_t bytes)
{
    pthread_mutex_lock(&keeper->lock);
    bool has_room = keeper->count < PAGES_KEPT && bytes <= keeper->most_bytes - keeper->bytes;
    if (has_room) {
        keeper->kept[keeper->count++] = (struct pages_piece){pages, bytes};
        keeper->bytes += bytes;
    }
    pthread_mutex_unlock(&keeper->lock);
    return has_room;
}

void *pages_sparse_new(size_t bytes)
{
    if (bytes < SPARSE_BYTES)
        return small_new(bytes);
    void *pages = pages_take_kept(&tables, bytes);
    return pages != NULL ? pages : sparse_map(bytes);
}

void pages_sparse_give_back(void *pages, size_t bytes)
{
    if (pages == NULL || bytes < SPARSE_BYTES || !pages_keep(&tables, pages, bytes))
        pages_sparse_free(pages, bytes);
}

void pages_sparse_free(void *pages, size_t bytes)
{
    if (pages == NULL || bytes < SPARSE_BYTES) {
        free(pages);
        return;
    }
    char *first = (char *)pages - (uintptr_t)pages % (size_t)sysconf(_SC_PAGESIZE);
    munmap(first - guard_bytes(), mapped_bytes(bytes));
}

/* Adjacent blocks at the heap's end are freed without being touched: the heap keeps them for the next requests. */
void pages_prepare_heap(size_t bytes)
{
    void *blocks[MOST_HEAP_BLOCKS];
    size_t wanted = rounded_up(bytes, HEAP_BLOCK) / HEAP_BLOCK, count = 0;
    mallopt(M_MMAP_THRESHOLD, 2 * HEAP_BLOCK);
    mallopt(M_TRIM_THRESHOLD, INT_MAX);
    while (count < wanted && count < MOST_HEAP_BLOCKS &&
           (blocks[count] = malloc(HEAP_BLOCK)) != NULL) {
        char *block = blocks[count++];
        char *first = block - (uintptr_t)block % HUGE_PAGE;
        madvise(first, HEAP_BLOCK + HUGE_PAGE, MADV_HUGEPAGE);
    }
    while (count > 0)
        free(blocks[--count]);
}
