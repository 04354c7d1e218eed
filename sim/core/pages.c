/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/pages.h"

#include <glib.h>
#include <limits.h>
#include <malloc.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define CACHE_LINE 64
#define HUGE_PAGE ((size_t)2 << 20)
#define HEAP_BLOCK                                                                                 \
    ((size_t)16 << 20) /* below the largest threshold of malloc for mappings of their own */
#define MOST_HEAP_BLOCKS 64

static size_t rounded_up(size_t bytes, size_t unit)
{
    return (bytes + unit - 1) / unit * unit;
}

/* Whether so much is worth huge pages: the last one may be mostly empty. */
static bool is_large(size_t bytes)
{
    return bytes >= 2 * HUGE_PAGE;
}

/* As GLib ends a process that is out of memory. */
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

/* A mapping begins anywhere: what lies before the first huge page and behind the last goes back. */
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

#define SPARSE_BYTES 65536 /* below, the system's calls take longer than the zeros */

#ifdef __has_feature
#define IS_WATCHED __has_feature(address_sanitizer)
#else
#define IS_WATCHED 0
#endif

/* AddressSanitizer would note of each byte of a large block whether it may be touched, which takes longer than most runs: instead, a
 * mapping stands between two pages that nobody may touch, and ends right before the second. */
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

/* Tables of zeros that wait for the next run, which touches the same pages: to get them anew takes longer than to clear them. */
#define KEPT_TABLES 32
#define KEPT_BYTES ((size_t)256 << 20)
static struct {
    void *pages;
    size_t bytes;
} kept[KEPT_TABLES];
static size_t kept_count, kept_bytes;
static pthread_mutex_t kept_lock =
    PTHREAD_MUTEX_INITIALIZER; /* runs of several threads may end at once */

/* The last kept table of that size; NULL if there is none. */
static void *take_kept(size_t bytes)
{
    void *pages = NULL;
    pthread_mutex_lock(&kept_lock);
    for (size_t i = kept_count; i > 0 && pages == NULL; i--) {
        if (kept[i - 1].bytes != bytes)
            continue;
        pages = kept[i - 1].pages;
        kept[i - 1] = kept[--kept_count];
        kept_bytes -= bytes;
    }
    pthread_mutex_unlock(&kept_lock);
    return pages;
}

static bool keep(void *pages, size_t bytes)
{
    pthread_mutex_lock(&kept_lock);
    bool has_room = kept_count < KEPT_TABLES && kept_bytes + bytes <= KEPT_BYTES;
    if (has_room) {
        kept[kept_count].pages = pages;
        kept[kept_count++].bytes = bytes;
        kept_bytes += bytes;
    }
    pthread_mutex_unlock(&kept_lock);
    return has_room;
}

void *pages_sparse_new(size_t bytes)
{
    if (bytes < SPARSE_BYTES)
        return small_new(bytes);
    void *pages = take_kept(bytes);
    return pages != NULL ? pages : sparse_map(bytes);
}

void pages_sparse_give_back(void *pages, size_t bytes)
{
    if (pages == NULL || bytes < SPARSE_BYTES || !keep(pages, bytes))
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

/* Blocks that follow one another at the heap's end are given back to it, untouched: it keeps them for what is asked for next. */
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
