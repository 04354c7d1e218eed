/* SPDX-License-Identifier: BSD-3-Clause */
#include "fabric/cables.h"

#include <string.h>

#include "core/error.h"
#include "core/units.h"

/* The state of reading, and the cable that the options of a part describe. */
struct cable_reading {
    GArray *cables;
    GStringChunk *names;
    struct link_spec link;
    guint64 beside; /* the number of parallel cables */
};

/* --- ends ------------------------------------------------------------------------------------- */

/* Where the whole number begins that ends at `end`; and where the one ends that begins at `begin`. */
static const char *number_before(const char *begin, const char *end)
{
    while (end > begin && g_ascii_isdigit(end[-1]))
        end--;
    return end;
}

static const char *number_behind(const char *begin)
{
    while (g_ascii_isdigit(*begin))
        begin++;
    return begin;
}

/* All names that a text such as "leaf0..3.nic1" stands for, in order; the caller frees them. NULL and a sentence if it is wrong. */
static GStrv expand(const char *text, GError **error)
{
    g_autoptr(GStrvBuilder) names = g_strv_builder_new();
    const char *dots = strstr(text, "..");
    if (dots == NULL) {
        g_strv_builder_add(names, text);
        return g_strv_builder_end(names);
    }
    const char *first = number_before(text, dots), *behind = number_behind(dots + 2);
    guint64 from = g_ascii_strtoull(first, NULL, 10), to = g_ascii_strtoull(dots + 2, NULL, 10);
    if (first == dots || behind == dots + 2 || from > to || to >= CABLES_MOST) {
        error_set(error, "\"%s\" is no range; write the first and the last number, as in leaf0..3",
                  text);
        return NULL;
    }
    for (guint64 i = from; i <= to; i++) {
        g_autofree char *name =
            g_strdup_printf("%.*s%" G_GUINT64_FORMAT "%s", (int)(first - text), text, i, behind);
        g_strv_builder_add(names, name);
    }
    return g_strv_builder_end(names);
}

/* --- parts ------------------------------------------------------------------------------------ */

/* Adds a cable named like "cable-node0-nic1-leaf0", with its number at the end if there are parallel cables. */
static void add_cable(struct cable_reading *reading, const char *from, const char *to,
                      guint64 number)
{
    g_autofree char *name =
        reading->beside == 1 ? g_strdup_printf("cable-%s-%s", from, to)
                             : g_strdup_printf("cable-%s-%s-%" G_GUINT64_FORMAT, from, to, number);
    struct node_link cable = {g_string_chunk_insert_const(reading->names, from),
                              g_string_chunk_insert_const(reading->names, to), reading->link};
    cable.link.name = g_string_chunk_insert(reading->names, g_strdelimit(name, ".", '-'));
    g_array_append_val(reading->cables, cable);
}

static bool join(struct cable_reading *reading, GStrv from, GStrv to, bool is_same, GError **error)
{
    guint64 count = g_strv_length(from), others = g_strv_length(to);
    if (reading->cables->len + count * others * reading->beside > CABLES_MOST)
        return error_set(error, "more than %d cables", CABLES_MOST);
    for (guint64 i = 0; i < count; i++)
        for (guint64 k = is_same ? i + 1 : 0; k < others; k++)
            for (guint64 number = 0; number < reading->beside; number++)
                add_cable(reading, from[i], to[k], number);
    return true;
}

/* Reads an option of a part: "x2", "25GB/s" or "1us". */
static bool read_option(struct cable_reading *reading, const char *word, GError **error)
{
    guint64 most = CABLES_MOST;
    if (word[0] == 'x' && g_ascii_string_to_unsigned(word + 1, 10, 1, most, &reading->beside, NULL))
        return true;
    if (unit_parse(word, UNIT_RATE, &reading->link.bandwidth_Bps, NULL))
        return reading->link.bandwidth_Bps > 0 || error_set(error, "a rate is above 0");
    if (unit_parse(word, UNIT_TIME, &reading->link.latency_ps, NULL))
        return reading->link.latency_ps >= 0 || error_set(error, "a latency is 0 or more");
    return error_set(
        error, "\"%s\" is no number of cables, rate or latency; accepted: as in x2, 25GB/s, 1us",
        word);
}

static bool read_part(struct cable_reading *reading, GStrv words, GError **error)
{
    if (g_strv_length(words) < 2)
        return error_set(error, "a cable needs two ends, as in \"node0 leaf0\"");
    for (GStrv word = words + 2; *word != NULL; word++)
        if (!read_option(reading, *word, error))
            return false;
    g_auto(GStrv) from = expand(words[0], error);
    g_auto(GStrv) to = from != NULL ? expand(words[1], error) : NULL;
    return to != NULL && join(reading, from, to, strcmp(words[0], words[1]) == 0, error);
}

/* The words of a part, without the empty ones between several spaces; the caller frees them. */
static GStrv words_of(const char *part)
{
    g_autoptr(GStrvBuilder) words = g_strv_builder_new();
    g_auto(GStrv) all = g_strsplit_set(part, " \t\n", -1);
    for (GStrv word = all; *word != NULL; word++)
        if (**word != '\0')
            g_strv_builder_add(words, *word);
    return g_strv_builder_end(words);
}

bool cables_parse(const char *text, const struct wire_spec *wire, GArray *cables,
                  GStringChunk *names, GError **error)
{
    g_auto(GStrv) parts = g_strsplit(text, ";", -1);
    for (GStrv part = parts; *part != NULL; part++) {
        struct cable_reading reading = {
            cables, names, {NULL, wire->latency_ps, wire->rate_Bps, false}, 1};
        g_auto(GStrv) words = words_of(*part);
        if (!read_part(&reading, words, error)) {
            g_prefix_error(error, "cables \"%s\": ", g_strstrip(*part));
            return false;
        }
    }
    return true;
}

static bool words_valid(const void *text, GError **error)
{
    const struct wire_spec wire = {.latency_ps = 0, .rate_Bps = 1};
    g_autoptr(GArray) cables = g_array_new(FALSE, FALSE, sizeof(struct node_link));
    GStringChunk *names = g_string_chunk_new(1024);
    bool is_valid = cables_parse(text, &wire, cables, names, error);
    g_string_chunk_free(names);
    return is_valid;
}

/* For PARAM_WORDS: checks that a text is such a list. */
const struct param_record cables_words = {.valid = words_valid};
