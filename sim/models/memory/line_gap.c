#include "models/memory/line_gap.h"

struct line_time {
    gint64 line; /* first: it is the key */
    sim_time free_ps;
};

void line_gap_clear(struct line_gap *gap)
{
    if (gap->lines != NULL)
        g_hash_table_destroy(gap->lines);
    gap->lines = NULL;
}

sim_time line_gap_take(struct line_gap *gap, cache_line line, sim_time now_ps, sim_time gap_ps)
{
    if (gap_ps == 0)
        return 0;
    if (gap->lines == NULL)
        gap->lines = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    const gint64 key = (gint64)line;
    struct line_time *time = g_hash_table_lookup(gap->lines, &key);
    if (time == NULL) {
        time = g_new(struct line_time, 1);
        *time = (struct line_time){key, now_ps};
        g_hash_table_add(gap->lines, time);
    }
    sim_time start_ps = MAX(time->free_ps, now_ps);
    time->free_ps = start_ps + gap_ps;
    return start_ps - now_ps;
}
