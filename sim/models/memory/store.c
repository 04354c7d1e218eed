/* Two regions in one address space: with contents from offset 0 on, in one growing array; payloads
 * from PAYLOAD_BASE on, where only addresses are handed out. A bit of its own marks fine-grained
 * memory. */
#include "models/memory/store.h"

#include <glib.h>
#include <string.h>

#include "core/check.h"
#include "models/memory/cache.h"

#define PAYLOAD_BASE (UINT64_C(1) << 40)
#define FINE_GRAINED (UINT64_C(1) << 46)

struct store {
    int slot;
    GByteArray *contents;
    uint64_t payload_end;
};

struct store *store_new(int slot)
{
    struct store *store = g_new0(struct store, 1);
    store->slot = slot;
    store->contents = g_byte_array_new();
    store->payload_end = PAYLOAD_BASE;
    return store;
}

void store_free(struct store *store)
{
    if (store == NULL)
        return;
    g_byte_array_unref(store->contents);
    g_free(store);
}

static uint64_t whole_lines(int64_t bytes)
{
    uint64_t lines = ((uint64_t)bytes + CACHE_LINE_BYTES - 1) / CACHE_LINE_BYTES;
    return lines * CACHE_LINE_BYTES;
}

address store_allocate(struct store *store, int64_t bytes, enum store_kind kind)
{
    check_always(bytes > 0, "an allocation of %lld bytes", (long long)bytes);
    if (kind == STORE_PAYLOAD || kind == STORE_PRIVATE) {
        uint64_t offset = store->payload_end;
        store->payload_end += whole_lines(bytes);
        return address_make(store->slot, offset);
    }
    uint64_t offset = store->contents->len;
    g_byte_array_set_size(store->contents, (guint)(offset + whole_lines(bytes)));
    memset(store->contents->data + offset, 0, whole_lines(bytes));
    return address_make(store->slot, kind == STORE_FINE_GRAINED ? offset | FINE_GRAINED : offset);
}

static uint64_t offset_of(address at)
{
    return address_offset(at) & ~FINE_GRAINED;
}

/* Whether the bytes at `offset` have contents; an address that was never allocated is a bug. */
static bool has_contents(const struct store *store, uint64_t offset, size_t bytes)
{
    bool is_payload = offset >= PAYLOAD_BASE;
    uint64_t end = is_payload ? store->payload_end : store->contents->len;
    check_release(offset + bytes <= end, "address offset %llx was never allocated",
                  (unsigned long long)offset);
    return !is_payload;
}

void store_read(const struct store *store, address at, void *data, size_t bytes)
{
    uint64_t offset = offset_of(at);
    if (has_contents(store, offset, bytes))
        memcpy(data, store->contents->data + offset, bytes);
    else
        memset(data, 0, bytes);
}

void store_write(struct store *store, address at, const void *data, size_t bytes)
{
    uint64_t offset = offset_of(at);
    if (has_contents(store, offset, bytes))
        memcpy(store->contents->data + offset, data, bytes);
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
