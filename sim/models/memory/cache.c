/* SPDX-License-Identifier: BSD-3-Clause */
/* Set-associative tags. The least recently used line is found by one time stamp per way: sets are small (up to 16 ways in all
 * machines known to us), so a search through a set costs less than a list.
 *
 * The statistical kind keeps the lines that are used by address in a larger table of the same layout. Its `used` is not the
 * stamp of the last use but the count of arrivals at which the line is pushed out. So in both kinds the line to replace is the
 * one with the least `used`.
 *
 * Tables are made when the first line comes in: most caches of a large machine never see one.
 *
 * Dropping all shared lines happens at every acquire, that is at every poll; so lines carry the
 * epoch in which they came and cache_drop_shared begins a new epoch. */
#include "models/memory/cache.h"

#include <string.h>

#include "core/check.h"
#include "core/pages.h"

#define MOST_WAYS 1024

#define SHAPE struct cache_shape
static const struct param rows[] = {
    PARAM_BYTES(size, SHAPE, "64KiB", "64B", "1GiB", "size."),
    PARAM_COUNT(ways, SHAPE, "16", "1", "1024", "associativity."), /* MOST_WAYS */
    PARAM_COUNT(
        latency_cycles, SHAPE, "4", "0", "100000",
        "cycles until a hit, counted from the load or from the miss in the cache in front of it."),
};
#undef SHAPE
static PARAM_TABLE(cache_table, "cache", struct cache_shape, rows, "A cache.");
const struct param_record cache_rows = {.table = &cache_table};

struct cache_entry {
    uint64_t used;  /* stamp of the last use, or the count at which it is pushed out */
    uint64_t since; /* lines that had passed through at the last use */
    uint32_t epoch;
    bool dirty : 1, locked : 1, is_private : 1;
    uint16_t ordered; /* the way at this place of its set's order, not of this line */
};

/* The tag of a way without a line; otherwise a tag is the line's number + 1, so that a table of zeros is empty. */
#define TAG_NONE 0
typedef uint64_t cache_tag;

/* Lines that are used together. */
struct cache_block {
    cache_line line;
    int64_t count, held;
    uint64_t changes;     /* the cache's `changes` when the lines were last searched for */
    uint64_t used, since; /* as in an entry, for the last use */
    bool is_dirty;
    bool is_noted; /* the last use is not yet entered for each line */
};
#define CACHE_BLOCKS 1024

/* A full set's ways from the least recently used one on, as they were at one time. Ways that have been used since come behind
 * all others, so that the first one that has not is still the least recently used of all. */
struct use_order {
    uint64_t sorted; /* the cache's `clock` at that time */
    uint32_t epoch;  /* the cache's */
    uint16_t left;   /* ways from the order's end that were not replaced since */
    uint16_t filled; /* ways of the set that were filled since, by the order or without it */
};

struct cache {
    /* Tags lie apart, since a search for a line reads nothing else in most caches. They are aligned, so that a set of 8 is one
     * line of the real cache. */
    cache_tag *tags;             /* sets * ways */
    struct cache_entry *entries; /* sets * ways */
    struct use_order *orders;    /* sets */
    uint8_t *data;               /* NULL without copies */
    bool with_data;
    uint64_t sets, ways;
    uint64_t set_mask;    /* sets - 1 if that is a power of two, else 0 */
    uint64_t set_inverse; /* 2^64 / sets, rounded down; with one set 2^64 - 1 */
    uint64_t clock;       /* number of uses, or of arrivals (statistical) */
    uint32_t epoch;       /* 0: cache_drop_shared was never called */
    uint64_t passed;      /* lines that have passed through (statistical: see clock) */
    bool is_statistical;
    uint64_t real_sets;  /* the sets of the cache that a statistical one models */
    uint64_t next_death; /* no line is pushed out before this count */
    struct rng chance;
    uint64_t changes;           /* lines inserted or dropped, and drops of all lines */
    struct cache_block *blocks; /* CACHE_BLOCKS, by line; NULL: none */
    bool has_notes;             /* some blocks have a noted use */
    uint64_t *used_sets;        /* bits: the sets that have taken in a line */
};

bool cache_shape_valid(int64_t bytes, int64_t ways)
{
    return bytes > 0 && ways > 0 && ways <= MOST_WAYS && bytes % (ways * CACHE_LINE_BYTES) == 0;
}

struct cache *cache_new(int64_t bytes, int64_t ways, bool with_data)
{
    check_always(cache_shape_valid(bytes, ways), "%lld bytes do not make whole sets of %lld ways",
                 (long long)bytes, (long long)ways);
    struct cache *cache = g_new0(struct cache, 1);
    cache->next_death = UINT64_MAX;
    cache->ways = (uint64_t)ways;
    cache->sets = (uint64_t)bytes / (cache->ways * CACHE_LINE_BYTES);
    cache->set_mask = (cache->sets & (cache->sets - 1)) == 0 ? cache->sets - 1 : 0;
    cache->set_inverse = UINT64_MAX / cache->sets;
    cache->with_data = with_data;
    return cache;
}

static size_t table_bytes(const struct cache *cache, size_t of_way)
{
    return (size_t)(cache->sets * cache->ways) * of_way;
}

#define SETS_OF_WORD 64

static size_t words_of_sets(const struct cache *cache)
{
    return (size_t)(cache->sets + SETS_OF_WORD - 1) / SETS_OF_WORD;
}

static size_t order_bytes(const struct cache *cache)
{
    return (size_t)cache->sets * sizeof(struct use_order);
}

static void make_tables(struct cache *cache)
{
    cache->orders = pages_sparse_new(order_bytes(cache));
    cache->used_sets = g_new0(uint64_t, words_of_sets(cache));
    cache->tags = pages_sparse_new(table_bytes(cache, sizeof(cache_tag)));
    cache->entries = pages_sparse_new(table_bytes(cache, sizeof(struct cache_entry)));
    if (cache->with_data)
        cache->data = pages_sparse_new(table_bytes(cache, CACHE_LINE_BYTES));
}

/* The table's size, as a multiple of the modelled cache: room for lines used by address, and for dead ones that were not
 * cleared yet. */
#define STATISTICAL_SPARE 4

struct cache *cache_new_statistical(int64_t bytes, int64_t ways, const struct rng *chance)
{
    struct cache *cache = cache_new(bytes * STATISTICAL_SPARE, ways, false);
    cache->is_statistical = true;
    cache->real_sets = cache->sets / STATISTICAL_SPARE;
    cache->chance = *chance;
    return cache;
}

static void clear_set(struct cache *cache, uint64_t set)
{
    size_t first = (size_t)(set * cache->ways), ways = (size_t)cache->ways;
    memset(&cache->tags[first], 0, ways * sizeof(cache_tag));
    memset(&cache->entries[first], 0, ways * sizeof(struct cache_entry));
    memset(&cache->orders[set], 0, sizeof(struct use_order));
    if (cache->data != NULL)
        memset(&cache->data[first * CACHE_LINE_BYTES], 0, ways * CACHE_LINE_BYTES);
}

/* Clears the sets that were used; the rest of the tables is still zero. */
static void clear_used_sets(struct cache *cache)
{
    for (size_t word = 0; word < words_of_sets(cache); word++)
        for (uint64_t bits = cache->used_sets[word]; bits != 0; bits &= bits - 1)
            clear_set(cache, word * SETS_OF_WORD + (uint64_t)__builtin_ctzll(bits));
}

void cache_free(struct cache *cache)
{
    if (cache == NULL)
        return;
    if (cache->tags != NULL)
        clear_used_sets(cache);
    pages_sparse_give_back(cache->orders, order_bytes(cache));
    pages_sparse_give_back(cache->tags, table_bytes(cache, sizeof(cache_tag)));
    pages_sparse_give_back(cache->entries, table_bytes(cache, sizeof(struct cache_entry)));
    pages_sparse_give_back(cache->data, table_bytes(cache, CACHE_LINE_BYTES));
    g_free(cache->used_sets);
    g_free(cache->blocks);
    g_free(cache);
}

/* The number of lines that have passed through. */
static uint64_t passed(const struct cache *cache)
{
    return cache->is_statistical ? cache->clock : cache->passed;
}

/* How many lines in all have to pass through the set of a line to push it out: the number of ways without those whose lines
 * were used after it. */
static uint64_t ways_below(const struct cache *cache, uint64_t way)
{
    const struct cache_entry *entry = &cache->entries[way];
    uint64_t first = way / cache->ways * cache->ways, above = 0;
    for (uint64_t i = first; i < first + cache->ways; i++)
        above += cache->tags[i] != TAG_NONE && cache->entries[i].used > entry->used;
    return above < cache->ways ? cache->ways - above : 0;
}

/* Whether the line is still held after the lines that have passed through. */
static bool outlives(const struct cache *cache, uint64_t way)
{
    const struct cache_entry *entry = &cache->entries[way];
    uint64_t come = (cache->passed - entry->since) / cache->sets;
    return come == 0 || entry->locked || come < ways_below(cache, way);
}

/* The same as is_alive, of a cache through which lines pass. */
G_GNUC_NO_INLINE static bool is_alive_beside_streams(const struct cache *cache, uint64_t way)
{
    const struct cache_entry *entry = &cache->entries[way];
    if (cache->is_statistical)
        return entry->used > cache->clock || entry->locked;
    return outlives(cache, way) && (entry->epoch == cache->epoch || entry->is_private);
}

/* Whether the way's tag is still valid: its line may have been pushed out, or dropped with all others. */
static inline bool is_alive(const struct cache *cache, uint64_t way)
{
    const struct cache_entry *entry = &cache->entries[way];
    if (cache->is_statistical || cache->passed > 0)
        return is_alive_beside_streams(cache, way);
    return entry->epoch == cache->epoch || entry->is_private;
}

static bool holds(const struct cache *cache, uint64_t way)
{
    return cache->tags[way] != TAG_NONE && is_alive(cache, way);
}

/* line % sets for a number of sets that is no power of two, without the division, which took a quarter of a search's time. The
 * quotient by the inverse is too small by less than one. */
static uint64_t set_by_inverse(const struct cache *cache, cache_line line)
{
    uint64_t quotient = (uint64_t)((unsigned __int128)line * cache->set_inverse >> 64);
    uint64_t rest = line - quotient * cache->sets;
    return rest < cache->sets ? rest : rest - cache->sets;
}

static uint64_t set_of(const struct cache *cache, cache_line line)
{
    if (cache->is_statistical) /* spreads lines over sets, whatever their distance */
        line = line * UINT64_C(0x9E3779B97F4A7C15) >> 32;
    return cache->set_mask != 0 ? line & cache->set_mask : set_by_inverse(cache, line);
}

/* Enters the last use of a block for each of its lines. */
static void tell_block(const struct cache *cache, const struct cache_block *block)
{
    for (cache_line line = block->line; line < block->line + (uint64_t)block->count; line++) {
        uint64_t first = set_of(cache, line) * cache->ways;
        for (uint64_t i = first; i < first + cache->ways; i++) {
            struct cache_entry *entry = &cache->entries[i];
            if (cache->tags[i] != line + 1)
                continue;
            entry->used = MAX(entry->used, block->used);
            entry->since = MAX(entry->since, block->since);
            entry->dirty = entry->dirty || block->is_dirty;
        }
    }
}

static void tell_blocks(struct cache *cache)
{
    for (int i = 0; cache->has_notes && i < CACHE_BLOCKS; i++) {
        if (cache->blocks[i].is_noted)
            tell_block(cache, &cache->blocks[i]);
        cache->blocks[i].is_noted = cache->blocks[i].is_dirty = false;
    }
    cache->has_notes = false;
}

/* Whether a line that seems to be pushed out is still held, because its block has been used since. */
static bool lives_by_notes(struct cache *cache, uint64_t way)
{
    if (!cache->has_notes)
        return false;
    tell_blocks(cache);
    return is_alive(cache, way);
}

/* The first tag from `tag` on that is the line's; `end` if none is. */
static inline const cache_tag *next_tag(const cache_tag *tag, const cache_tag *end, cache_line line)
{
    const cache_tag wanted = line + 1;
    for (; end - tag >= 4; tag += 4) /* a test of the end for each four tags */
        if (tag[0] == wanted || tag[1] == wanted || tag[2] == wanted || tag[3] == wanted)
            break;
    while (tag < end && *tag != wanted)
        tag++;
    return tag;
}

/* A function of its own, so that cache_peek calls none in most caches and keeps its values in registers that it need not save. */
G_GNUC_NO_INLINE static cache_way peek_alive(struct cache *cache, cache_line line,
                                             const cache_tag *tag, const cache_tag *end)
{
    for (; tag < end; tag = next_tag(tag + 1, end, line)) {
        uint64_t way = (uint64_t)(tag - cache->tags);
        if (is_alive(cache, way) || lives_by_notes(cache, way))
            return (cache_way)way;
    }
    return CACHE_MISS;
}

/* Whether a tag alone says that its line is held. It does not if the cache counts passing lines or has dropped all lines. */
static inline bool is_held_by_tag(const struct cache *cache)
{
    return !cache->is_statistical && cache->passed == 0 && cache->epoch == 0;
}

cache_way cache_peek(struct cache *cache, cache_line line)
{
    if (cache->tags == NULL)
        return CACHE_MISS;
    const cache_tag *first = cache->tags + set_of(cache, line) * cache->ways,
                    *end = first + cache->ways;
    const cache_tag *tag = next_tag(first, end, line);
    if (tag == end)
        return CACHE_MISS;
    return is_held_by_tag(cache) ? (cache_way)(tag - cache->tags)
                                 : peek_alive(cache, line, tag, end);
}

/* Draws the number of arrivals until the set of a line has taken in `ways` of them: a sum of exponentials. It is drawn in
 * sixteenths, since a set may get few of the arrivals. */
static uint64_t draw_life(struct cache *cache)
{
    const int64_t fractions = 16;
    int64_t sum = 0;
    for (uint64_t i = 0; i < cache->ways; i++)
        sum += rng_exponential_ps(&cache->chance, (int64_t)cache->real_sets * fractions);
    return (uint64_t)(sum / fractions) + 1;
}

static uint64_t draw_end(struct cache *cache)
{
    uint64_t end = cache->clock + draw_life(cache);
    cache->next_death = end < cache->next_death ? end : cache->next_death;
    return end;
}

static inline uint64_t stamp_of_use(struct cache *cache)
{
    return cache->is_statistical ? draw_end(cache) : ++cache->clock;
}

/* A use brings a line to the top of its set and pushes down the lines that were above it, for which it counts as an arrival.
 * The further down the line was, the more of the set these are. */
static void count_use_as_arrival(struct cache *cache, const struct cache_entry *entry)
{
    if (entry->used > cache->clock &&
        rng_below(&cache->chance, entry->used - entry->since) < cache->clock - entry->since)
        cache->clock++;
}

static inline void use(struct cache *cache, cache_way way)
{
    struct cache_entry *entry = &cache->entries[way];
    if (cache->is_statistical)
        count_use_as_arrival(cache, entry);
    entry->since = passed(cache);
    entry->used = stamp_of_use(cache);
}

cache_way cache_find(struct cache *cache, cache_line line)
{
    cache_way way = cache_peek(cache, line);
    if (way != CACHE_MISS)
        use(cache, way);
    return way;
}

static struct cache_block *block_at(struct cache *cache, cache_line line, int64_t count)
{
    uint64_t key = line + ((uint64_t)count << 20);
    if (cache->blocks == NULL)
        cache->blocks = g_new0(struct cache_block, CACHE_BLOCKS);
    return &cache->blocks[key * UINT64_C(0x9E3779B97F4A7C15) >> 32 & (CACHE_BLOCKS - 1)];
}

static int64_t count_held(struct cache *cache, cache_line line, int64_t count)
{
    int64_t held = 0;
    for (int64_t i = 0; i < count; i++)
        held += cache_peek(cache, line + (cache_line)i) != CACHE_MISS;
    return held;
}

/* Whether the block's lines that were held are certainly still held: no line was inserted or dropped since, and fewer lines
 * have passed than there are sets. */
static bool is_certain(const struct cache *cache, const struct cache_block *block, cache_line line,
                       int64_t count)
{
    return block->line == line && block->count == count && block->changes == cache->changes &&
           cache->passed - block->since < cache->sets;
}

static int64_t use_each(struct cache *cache, cache_line line, int64_t count, bool is_write)
{
    int64_t held = 0;
    for (int64_t i = 0; i < count; i++) {
        cache_way way = cache_find(cache, line + (cache_line)i);
        held += way != CACHE_MISS;
        if (way != CACHE_MISS && is_write)
            cache_set_dirty(cache, way);
    }
    return held;
}

int64_t cache_use_block(struct cache *cache, cache_line line, int64_t count, bool is_write)
{
    if (cache->is_statistical || cache->with_data)
        return -1;
    if (cache->tags == NULL) /* no line was ever inserted */
        return 0;
    struct cache_block *block = block_at(cache, line, count);
    if (!is_certain(cache, block, line, count)) {
        int64_t held = count_held(cache, line, count);
        if (block->is_noted)
            tell_block(cache, block);
        *block = (struct cache_block){line, count, held, .changes = cache->changes};
    }
    if (block->held == 0)
        return 0;
    if (block->held < count &&
        cache->passed > 0) /* lines that were pushed out may still have their tags */
        return use_each(cache, line, count, is_write);
    block->used = ++cache->clock;
    block->since = cache->passed;
    block->is_dirty = block->is_dirty || is_write;
    block->is_noted = cache->has_notes = true;
    return block->held;
}

void cache_use_all(struct cache *cache, struct cached_line *lines, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct cached_line *one = &lines[i];
        if (cache->tags[one->way] != one->line + 1) {
            cache_way way = cache_peek(cache, one->line);
            if (way == CACHE_MISS)
                continue;
            one->way = way;
        }
        use(cache, one->way);
    }
}

/* The first free way from `way` on; `end` if there is none. */
static uint64_t next_free(const struct cache *cache, uint64_t way, uint64_t end)
{
    if (cache->is_statistical || cache->passed > 0) {
        while (way < end && holds(cache, way))
            way++;
        return way;
    }
    const struct cache_entry *entries = cache->entries;
    uint32_t epoch = cache->epoch;
    bool by_tag = epoch == 0;
    while (way < end && cache->tags[way] != TAG_NONE &&
           (by_tag || entries[way].epoch == epoch || entries[way].is_private))
        way++;
    return way;
}

/* The least recently used unlocked way. No branch depends on which of two was used first, since a processor could not predict
 * that. */
static cache_way least_recent(const struct cache *cache, uint64_t first)
{
    uint64_t oldest = UINT64_MAX;
    for (uint64_t i = 0; i < cache->ways; i++) {
        const struct cache_entry *entry = &cache->entries[first + i];
        uint64_t stamp = (uint64_t)entry->locked << 63 | (entry->used * MOST_WAYS + i);
        oldest = MIN(oldest, stamp);
    }
    return oldest >> 63 ? CACHE_MISS : (cache_way)(first + oldest % MOST_WAYS);
}

/* A number that is the greater the later the way of the set was used; of lines used together, the first way's is the least. */
static uint64_t order_of_use(const struct cache_entry *entries, uint64_t way)
{
    return entries[way].used * MOST_WAYS + way;
}

/* Sorts a full set's ways by their last use, beginning with the order that they had: ways that were replaced in that order are
 * still sorted. */
static void sort_uses(const struct cache *cache, uint64_t set)
{
    struct cache_entry *entries = &cache->entries[set * cache->ways];
    bool had_order = cache->orders[set].sorted > 0;
    for (uint64_t i = 0; i < cache->ways; i++) {
        uint64_t way = had_order ? entries[i].ordered : i, at = i;
        uint64_t use = order_of_use(entries, way);
        for (; at > 0 && order_of_use(entries, entries[at - 1].ordered) > use; at--)
            entries[at].ordered = entries[at - 1].ordered;
        entries[at].ordered = (uint16_t)way;
    }
    cache->orders[set] = (struct use_order){cache->clock, cache->epoch, (uint16_t)cache->ways, 0};
}

/* The next way of the set's order that was not used since; CACHE_MISS if none is left, or if the next one is locked. */
static cache_way next_in_order(const struct cache *cache, uint64_t set)
{
    struct use_order *order = &cache->orders[set];
    uint64_t first = set * cache->ways, end = first + cache->ways;
    for (; order->epoch == cache->epoch && order->left > 0; order->left--) {
        uint64_t way = first + cache->entries[end - order->left].ordered;
        if (cache->entries[way].locked)
            return CACHE_MISS;
        if (cache->entries[way].used <= order->sorted) {
            order->filled++;
            return (cache_way)way;
        }
    }
    return CACHE_MISS;
}

/* The place for a new line in its set: a free way, else the least recently used unlocked one. Sets of a cache through which
 * lines are streamed are full, and are searched and sorted once for as many lines as they have ways. Where an order does not
 * last, since lines are used or dropped in between, most lines find their place by a search alone. */
static cache_way choose_place(const struct cache *cache, uint64_t set)
{
    bool has_order = !cache->is_statistical && cache->passed == 0;
    cache_way next = has_order ? next_in_order(cache, set) : CACHE_MISS;
    if (next != CACHE_MISS)
        return next;
    uint64_t first = set * cache->ways, end = first + cache->ways;
    uint64_t place = next_free(cache, first, end);
    if (place != end)
        return (cache_way)place;
    if (has_order && ++cache->orders[set].filled >= cache->ways) {
        sort_uses(cache, set);
        next = next_in_order(cache, set);
    }
    return next != CACHE_MISS ? next : least_recent(cache, first);
}

cache_way cache_insert(struct cache *cache, cache_line line, struct cache_victim *victim)
{
    check_debug(cache_peek(cache, line) == CACHE_MISS, "line %llu is held already",
                (unsigned long long)line);
    if (cache->tags == NULL)
        make_tables(cache);
    tell_blocks(cache);
    cache->changes++;
    uint64_t set = set_of(cache, line);
    cache_way way = choose_place(cache, set);
    if (victim != NULL)
        *victim = (struct cache_victim){0};
    if (way == CACHE_MISS)
        return CACHE_MISS;
    struct cache_entry *entry = &cache->entries[way];
    bool left_unseen = passed(cache) > 0 && cache->tags[way] != TAG_NONE;
    if (victim != NULL && (left_unseen || holds(cache, (uint64_t)way)))
        *victim = (struct cache_victim){true, entry->dirty, cache->tags[way] - 1};
    if (cache->is_statistical)
        cache->clock++;
    cache->used_sets[set / SETS_OF_WORD] |= UINT64_C(1) << set % SETS_OF_WORD;
    cache->tags[way] = line + 1;
    *entry = (struct cache_entry){.used = stamp_of_use(cache),
                                  .since = passed(cache),
                                  .epoch = cache->epoch,
                                  .ordered = entry->ordered};
    return way;
}

void cache_pass_through(struct cache *cache, int64_t lines)
{
    *(cache->is_statistical ? &cache->clock : &cache->passed) += (uint64_t)lines;
}

uint64_t cache_until_death(const struct cache *cache)
{
    uint64_t now = passed(cache);
    if (cache->next_death == UINT64_MAX)
        return UINT64_MAX;
    return now < cache->next_death ? cache->next_death - now : 0;
}

bool cache_death_is_due(const struct cache *cache)
{
    return cache_until_death(cache) == 0;
}

void cache_forget_deaths(struct cache *cache)
{
    cache->next_death = UINT64_MAX;
}

bool cache_expect_death(struct cache *cache, cache_line line)
{
    cache_way way = cache_peek(cache, line);
    if (way == CACHE_MISS)
        return false;
    const struct cache_entry *entry = &cache->entries[way];
    uint64_t end = cache->is_statistical
                       ? entry->used
                       : entry->since + ways_below(cache, (uint64_t)way) * cache->sets;
    cache->next_death = end < cache->next_death ? end : cache->next_death;
    return true;
}

void cache_set_dirty(struct cache *cache, cache_way way)
{
    cache->entries[way].dirty = true;
}

bool cache_is_dirty(const struct cache *cache, cache_way way)
{
    return cache->tags != NULL && cache->entries[way].dirty;
}

void cache_set_locked(struct cache *cache, cache_way way, bool locked)
{
    cache->entries[way].locked = locked;
}

bool cache_is_locked(const struct cache *cache, cache_way way)
{
    return cache->tags != NULL && cache->entries[way].locked;
}

bool cache_set_is_locked(const struct cache *cache, cache_way way)
{
    uint64_t first = (uint64_t)way / cache->ways * cache->ways;
    for (uint64_t i = first; i < first + cache->ways; i++)
        if (!cache->entries[i].locked)
            return false;
    return true;
}

uint8_t *cache_data(struct cache *cache, cache_way way)
{
    check_debug(cache->data != NULL, "this cache keeps tags only");
    return cache->data + (size_t)way * CACHE_LINE_BYTES;
}

bool cache_drop(struct cache *cache, cache_line line)
{
    cache_way way = cache_peek(cache, line);
    if (way == CACHE_MISS)
        return false;
    cache->changes++;
    cache->tags[way] = TAG_NONE;
    cache->orders[(uint64_t)way / cache->ways].left = 0; /* the set is not full */
    return true;
}

void cache_set_private(struct cache *cache, cache_way way)
{
    cache->entries[way].is_private = true;
}

void cache_drop_shared(struct cache *cache)
{
    if (++cache->epoch != 0)
        return;
    /* After 2^32 epochs an old line could seem to be held, so epochs are reset once in that time. */
    cache->epoch = 1;
    for (cache_way way = 0; cache->tags != NULL && way < cache_way_count(cache); way++)
        if (!cache->entries[way].is_private)
            cache->tags[way] = TAG_NONE;
    if (cache->tags != NULL)
        memset(cache->orders, 0, order_bytes(cache));
}

int64_t cache_way_count(const struct cache *cache)
{
    return (int64_t)(cache->sets * cache->ways);
}
