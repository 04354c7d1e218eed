/* SPDX-License-Identifier: BSD-3-Clause */
/* Breadth-first search. Each start that is asked for gets a row with the hop by which each vertex is entered. */
#include "fabric/paths.h"

#include "core/check.h"

#define NOT_ENTERED (-1)

struct paths {
    int vertices;
    int first_end, last_end; /* the vertices that no path passes through */
    struct link_ends *ends;
    int *first;              /* by vertex: its first hop in `hops`; last: the number of hops */
    platform_hop *hops;      /* hops that leave a vertex, vertex after vertex, in drawing order */
    struct path_step **rows; /* by start: how each vertex is entered; NULL if not yet searched */
};

/* The last step of the path to a vertex: its hop, and how many links the path has. */
struct path_step {
    platform_hop hop;
    int length; /* NOT_ENTERED: no path leads to the vertex */
};

static int start_of(const struct paths *paths, platform_hop hop)
{
    const struct link_ends *ends = &paths->ends[hop / 2];
    return hop % 2 ? ends->to : ends->from;
}

static int end_of(const struct paths *paths, platform_hop hop)
{
    return start_of(paths, hop ^ 1);
}

struct paths *paths_new(int vertices, const struct link_ends *ends, int links, int first_end,
                        int last_end)
{
    struct paths *paths = g_new0(struct paths, 1);
    paths->vertices = vertices;
    paths->first_end = first_end;
    paths->last_end = last_end;
    paths->ends = g_memdup2(ends, (gsize)links * sizeof *ends);
    paths->rows = g_new0(struct path_step *, (gsize)vertices);
    paths->first = g_new0(int, (gsize)vertices + 2);
    for (platform_hop hop = 0; hop < 2 * links; hop++)
        paths->first[start_of(paths, hop) + 2]++;
    for (int i = 2; i <= vertices; i++)
        paths->first[i] += paths->first[i - 1];
    /* first[v + 1] is now where v's hops begin, and becomes where they end. */
    paths->hops = g_new(platform_hop, 2 * (gsize)links);
    for (platform_hop hop = 0; hop < 2 * links; hop++)
        paths->hops[paths->first[start_of(paths, hop) + 1]++] = hop;
    return paths;
}

void paths_free(struct paths *paths)
{
    if (!paths)
        return;
    for (int i = 0; i < paths->vertices; i++)
        g_free(paths->rows[i]);
    g_free(paths->rows);
    g_free(paths->hops);
    g_free(paths->first);
    g_free(paths->ends);
    g_free(paths);
}

static bool is_end(const struct paths *paths, int vertex)
{
    return vertex >= paths->first_end && vertex < paths->last_end;
}

static struct path_step *search(const struct paths *paths, int from)
{
    struct path_step *row = g_new(struct path_step, (gsize)paths->vertices);
    g_autofree int *queue = g_new(int, (gsize)paths->vertices);
    int taken = 0, queued = 0;
    for (int i = 0; i < paths->vertices; i++)
        row[i].length = NOT_ENTERED;
    row[from].length = 0;
    queue[queued++] = from;
    while (taken < queued) {
        int at = queue[taken++];
        if (at != from && is_end(paths, at))
            continue;
        for (int i = paths->first[at]; i < paths->first[at + 1]; i++) {
            int next = end_of(paths, paths->hops[i]);
            if (row[next].length != NOT_ENTERED)
                continue;
            row[next] = (struct path_step){paths->hops[i], row[at].length + 1};
            queue[queued++] = next;
        }
    }
    return row;
}

static const struct path_step *row_from(struct paths *paths, int from)
{
    if (!paths->rows[from])
        paths->rows[from] = search(paths, from);
    return paths->rows[from];
}

int paths_length(struct paths *paths, int from, int to)
{
    int length = row_from(paths, from)[to].length;
    check_always(length != NOT_ENTERED, "no way leads from vertex %d to %d", from, to);
    return length;
}

void paths_append(struct paths *paths, int from, int to, platform_hop offset, GArray *hops)
{
    guint end = hops->len + (guint)paths_length(paths, from, to);
    const struct path_step *row = row_from(paths, from);
    g_array_set_size(hops, end);
    for (int at = to; at != from; at = start_of(paths, row[at].hop))
        g_array_index(hops, platform_hop, --end) = row[at].hop + offset;
}

/* Whether a path with the fewest links to the vertex that `back` leaves may come over `back`, against its direction. */
static bool is_before(const struct paths *paths, const struct path_step *row, platform_hop back)
{
    int at = start_of(paths, back), before = end_of(paths, back);
    return row[before].length == row[at].length - 1 &&
           (row[before].length == 0 || !is_end(paths, before));
}

void paths_write(struct paths *paths, int from, int to, int number, platform_hop *hops)
{
    const struct path_step *row = row_from(paths, from);
    int length = paths_length(paths, from, to);
    for (int at = to; at != from;) {
        int choices = 0, chosen;
        for (int i = paths->first[at]; i < paths->first[at + 1]; i++)
            choices += is_before(paths, row, paths->hops[i]);
        chosen = number % choices;
        number /= choices;
        platform_hop back = -1;
        for (int i = paths->first[at]; chosen >= 0; i++)
            if (is_before(paths, row, paths->hops[i]) && chosen-- == 0)
                back = paths->hops[i];
        hops[--length] = back ^ 1;
        at = end_of(paths, back);
    }
}
