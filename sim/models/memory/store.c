/* SPDX-License-Identifier: BSD-3-Clause */
/* Two regions in one address space: with contents from offset 0 on, in pages that are made when they are first
 * written; payloads from PAYLOAD_BASE on, where only addresses are handed out. A bit of its own marks fine-grained
 * memory. */
#include "models/memory/store.h"

#include <string.h>

#include "core/check.h"
#include "models/memory/cache.h"

#define PAYLOAD_BASE (UINT64_C(1) << 40)
#define FINE_GRAINED (UINT64_C(1) << 46)
_Static_assert(STORE_CONTENTS_BYTES <= PAYLOAD_BASE &&
                   PAYLOAD_BASE + STORE_PAYLOAD_BYTES <= FINE_GRAINED,
               "contents, payloads and the bit of fine-grained memory do not overlap");

/* Contents are held in pages, not in an array: on a large machine each process has a line for every other process, but writes
 * only a few of them. Pages are of a few lines, so that memory grows with what is written. */
#define PAGE_BYTES 512
#define PAGES_A_TABLE 64
#define TABLES_A_BOOK 128
#define BOOKS (STORE_CONTENTS_BYTES / TABLES_A_BOOK / PAGES_A_TABLE / PAGE_BYTES)

/* NULL: all zero */
struct page_table {
    uint8_t *pages[PAGES_A_TABLE];
};
struct page_book {
    struct page_table *tables[TABLES_A_BOOK];
};

struct store {
    int slot;
    struct page_book *books[BOOKS];
    uint64_t contents_end, payload_end;
};

struct store *store_new(int slot)
{
    struct store *store = g_new0(struct store, 1);
    store->slot = slot;
    store->payload_end = PAYLOAD_BASE;
    return store;
}

static void free_table(struct page_table *table)
{
    for (int i = 0; table != NULL && i < PAGES_A_TABLE; i++)
        g_free(table->pages[i]);
    g_free(table);
}

void store_free(struct store *store)
{
    if (store == NULL)
        return;
    for (int64_t i = 0; i < BOOKS; i++) {
        for (int table = 0; store->books[i] != NULL && table < TABLES_A_BOOK; table++)
            free_table(store->books[i]->tables[table]);
        g_free(store->books[i]);
    }
    g_free(store);
}

/* --- allocation -------------------------------------------------------------------------------- */

static uint64_t whole_lines(int64_t bytes)
{
    uint64_t lines = ((uint64_t)bytes + CACHE_LINE_BYTES - 1) / CACHE_LINE_BYTES;
    return lines * CACHE_LINE_BYTES;
}

static bool is_payload(enum store_kind kind)
{
    return kind == STORE_PAYLOAD || kind == STORE_PRIVATE;
}

address store_next(const struct store *store, enum store_kind kind)
{
    if (is_payload(kind))
        return address_make(store->slot, store->payload_end);
    uint64_t mark = kind == STORE_FINE_GRAINED ? FINE_GRAINED : 0;
    return address_make(store->slot, store->contents_end | mark);
}

static uint64_t offset_of(address at)
{
    return address_offset(at) & ~FINE_GRAINED;
}

void store_advance(struct store *store, enum store_kind kind, address at)
{
    uint64_t *end = is_payload(kind) ? &store->payload_end : &store->contents_end;
    *end = MAX(*end, offset_of(at));
}

address store_allocate(struct store *store, int64_t bytes, enum store_kind kind)
{
    check_always(bytes > 0, "an allocation of %lld bytes", (long long)bytes);
    uint64_t limit = is_payload(kind) ? PAYLOAD_BASE + STORE_PAYLOAD_BYTES : STORE_CONTENTS_BYTES;
    address at = store_next(store, kind);
    if (whole_lines(bytes) > limit - offset_of(at))
        return ADDRESS_NONE;
    store_advance(store, kind, at + whole_lines(bytes));
    return at;
}

/* --- contents ---------------------------------------------------------------------------------- */

/* Whether the bytes at `offset` have contents; an address that was never allocated is a bug. */
static bool has_contents(const struct store *store, uint64_t offset, size_t bytes)
{
    bool has = offset < PAYLOAD_BASE;
    uint64_t end = has ? store->contents_end : store->payload_end;
    check_release(offset + bytes <= end, "address offset %llx was never allocated",
                  (unsigned long long)offset);
    return has;
}

/* The page of an offset with contents; NULL if the page was never written. */
static uint8_t *page_at(const struct store *store, uint64_t offset)
{
    uint64_t page = offset / PAGE_BYTES, table = page / PAGES_A_TABLE;
    const struct page_book *book = store->books[table / TABLES_A_BOOK];
    const struct page_table *of = book != NULL ? book->tables[table % TABLES_A_BOOK] : NULL;
    return of != NULL ? of->pages[page % PAGES_A_TABLE] : NULL;
}

static uint8_t *make_page(struct store *store, uint64_t offset)
{
    uint64_t page = offset / PAGE_BYTES, table = page / PAGES_A_TABLE;
    struct page_book **book = &store->books[table / TABLES_A_BOOK];
    if (*book == NULL)
        *book = g_new0(struct page_book, 1);
    struct page_table **of = &(*book)->tables[table % TABLES_A_BOOK];
    if (*of == NULL)
        *of = g_new0(struct page_table, 1);
    return (*of)->pages[page % PAGES_A_TABLE] = g_malloc0(PAGE_BYTES);
}

/* How many of `bytes` bytes from `offset` on lie in its page. */
static size_t part_in_page(uint64_t offset, size_t bytes)
{
    return MIN(bytes, PAGE_BYTES - offset % PAGE_BYTES);
}

void store_read(const struct store *store, address at, void *data, size_t bytes)
{
    uint64_t offset = offset_of(at);
    if (!has_contents(store, offset, bytes)) {
        memset(data, 0, bytes);
        return;
    }
    for (uint8_t *to = data; bytes > 0;) {
        size_t part = part_in_page(offset, bytes);
        const uint8_t *page = page_at(store, offset);
        if (page != NULL)
            memcpy(to, page + offset % PAGE_BYTES, part);
        else
            memset(to, 0, part);
        to += part;
        offset += part;
        bytes -= part;
    }
}

void store_write(struct store *store, address at, const void *data, size_t bytes)
{
    uint64_t offset = offset_of(at);
    if (!has_contents(store, offset, bytes))
        return;
    for (const uint8_t *from = data; bytes > 0;) {
        size_t part = part_in_page(offset, bytes);
        uint8_t *page = page_at(store, offset);
        memcpy((page != NULL ? page : make_page(store, offset)) + offset % PAGE_BYTES, from, part);
        from += part;
        offset += part;
        bytes -= part;
    }
}

uint64_t store_atomic_result(enum atomic_op op, uint64_t old, uint64_t operand, uint64_t compare)
{
    if (op == ATOMIC_ADD)
        return old + operand;
    if (op == ATOMIC_COMPARE_SWAP && old != compare)
        return old;
    return operand;
}

uint64_t store_atomic(struct store *store, address at, enum atomic_op op, uint64_t operand,
                      uint64_t compare)
{
    check_release(address_offset(at) % sizeof(uint64_t) == 0, "an atomic at unaligned offset %llx",
                  (unsigned long long)address_offset(at));
    uint64_t old;
    store_read(store, at, &old, sizeof old);
    uint64_t value = store_atomic_result(op, old, operand, compare);
    store_write(store, at, &value, sizeof value);
    return old;
}
