/* Breadth-first search, a row of entering hops for each start that is asked for. */
#include "fabric/ways.h"

#include "core/check.h"

#define NOT_ENTERED (-1)

struct ways {
    int vertices;
    struct link_ends *ends;
    int *first;          /* vertex -> its first hop in `hops`; the last one's end behind it */
    platform_hop *hops;  /* that leave a vertex, vertex after vertex, in the order of drawing */
    platform_hop **rows; /* by start: the hop that enters each vertex; NULL if not yet searched */
};

static int start_of(const struct ways *ways, platform_hop hop)
{
    const struct link_ends *ends = &ways->ends[hop / 2];
    return hop % 2 ? ends->to : ends->from;
}

static int end_of(const struct ways *ways, platform_hop hop)
{
    return start_of(ways, hop ^ 1);
}

struct ways *ways_new(int vertices, const struct link_ends *ends, int links)
{
    struct ways *ways = g_new0(struct ways, 1);
    ways->vertices = vertices;
    ways->ends = g_memdup2(ends, (gsize)links * sizeof *ends);
    ways->rows = g_new0(platform_hop *, (gsize)vertices);
    ways->first = g_new0(int, (gsize)vertices + 2);
    for (platform_hop hop = 0; hop < 2 * links; hop++)
        ways->first[start_of(ways, hop) + 2]++;
    for (int i = 2; i <= vertices; i++)
        ways->first[i] += ways->first[i - 1];
    /* first[v + 1] is now where v's hops begin, and becomes where they end. */
    ways->hops = g_new(platform_hop, 2 * (gsize)links);
    for (platform_hop hop = 0; hop < 2 * links; hop++)
        ways->hops[ways->first[start_of(ways, hop) + 1]++] = hop;
    return ways;
}

void ways_free(struct ways *ways)
{
    if (!ways)
        return;
    for (int i = 0; i < ways->vertices; i++)
        g_free(ways->rows[i]);
    g_free(ways->rows);
    g_free(ways->hops);
    g_free(ways->first);
    g_free(ways->ends);
    g_free(ways);
}

static platform_hop *search(const struct ways *ways, int from)
{
    platform_hop *row = g_new(platform_hop, (gsize)ways->vertices);
    g_autofree int *queue = g_new(int, (gsize)ways->vertices);
    int taken = 0, queued = 0;
    for (int i = 0; i < ways->vertices; i++)
        row[i] = NOT_ENTERED;
    queue[queued++] = from;
    while (taken < queued) {
        int at = queue[taken++];
        for (int i = ways->first[at]; i < ways->first[at + 1]; i++) {
            int next = end_of(ways, ways->hops[i]);
            if (next == from || row[next] != NOT_ENTERED)
                continue;
            row[next] = ways->hops[i];
            queue[queued++] = next;
        }
    }
    return row;
}

static const platform_hop *row_from(struct ways *ways, int from)
{
    if (!ways->rows[from])
        ways->rows[from] = search(ways, from);
    return ways->rows[from];
}

int ways_length(struct ways *ways, int from, int to)
{
    const platform_hop *row = row_from(ways, from);
    int length = 0;
    for (int at = to; at != from; at = start_of(ways, row[at])) {
        check_always(row[at] != NOT_ENTERED, "no way leads from vertex %d to %d", from, to);
        length++;
    }
    return length;
}

void ways_append(struct ways *ways, int from, int to, platform_hop offset, GArray *hops)
{
    int length = ways_length(ways, from, to);
    const platform_hop *row = row_from(ways, from);
    guint end = hops->len + (guint)length;
    g_array_set_size(hops, end);
    for (int at = to; at != from; at = start_of(ways, row[at]))
        g_array_index(hops, platform_hop, --end) = row[at] + offset;
}
