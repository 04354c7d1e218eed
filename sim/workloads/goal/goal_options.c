/* SPDX-License-Identifier: BSD-3-Clause */
#include "workloads/goal/goal_options.h"

#include <string.h>

#include "core/error.h"
#include "core/simtime.h"
#include "workloads/goal/goal_pattern_kinds.h"

/* --- options KEY=VALUE -------------------------------------------------------------------------- */

static const char *bare_suffix(enum unit_kind unit)
{
    return unit == UNIT_TIME ? "ns" : unit == UNIT_BYTES ? "B" : "";
}

static bool parse_value(const struct goal_option *option, const char *text, uint64_t *value,
                        GError **error)
{
    const char *digits = text + (*text == '-');
    bool bare = *digits != '\0' && strspn(digits, "0123456789") == strlen(digits);
    g_autofree char *with_unit = g_strconcat(text, bare ? bare_suffix(option->unit) : "", NULL);
    int64_t piece = option->unit == UNIT_TIME ? option->piece_ps : 1, base = 0;
    if (!unit_parse(with_unit, option->unit, &base, error))
        g_prefix_error(error, "%s=%s: ", option->name, text);
    else if (base < 0)
        error_set(error, "%s=%s is negative; it may be 0 or more", option->name, text);
    else if (base % piece != 0)
        error_set(error, "%s=%s is no whole number of nanoseconds", option->name, text);
    else {
        *value = (uint64_t)(base / piece);
        return true;
    }
    return false;
}

/* Another part before this one with the same key; NULL: none. */
static const char *same_before(const char *const *parts, const char *const *part)
{
    size_t length = strcspn(*part, "=") + 1;
    for (const char *const *other = parts; other < part; other++)
        if (strncmp(*part, *other, length) == 0)
            return *other;
    return NULL;
}

bool goal_options_parse(const char *const *parts, const struct goal_option *options, size_t count,
                        void *spec, const char *before, const char *behind, GError **error)
{
    for (const char *const *part = parts; *part; part++) {
        const char *same = same_before(parts, part);
        if (same)
            return error_set(error, "%s and %s: which of the two?", same, *part);
    }
    for (const char *const *part = parts; *part; part++) {
        size_t length = strcspn(*part, "="), i = 0;
        while (i < count && (strncmp(*part, options[i].name, length) != 0 ||
                             options[i].name[length] != '\0' || (*part)[length] == '\0'))
            i++;
        if (i == count)
            return error_set(error, "%s\"%.*s\"%s", before, (int)length, *part, behind);
        void *field = (char *)spec + options[i].offset;
        if (!parse_value(&options[i], *part + length + 1, field, error))
            return false;
    }
    return true;
}

/* --- costs --------------------------------------------------------------------------------------
 *
 * LogGOPSim's command line takes whole nanoseconds only; a byte of a 25 GB/s link takes 40 ps. */

#define COST(name, unit)                                                                           \
    {                                                                                              \
#name, unit, 1, offsetof(struct loggp_spec, name)                                          \
    }

static const struct goal_option fields[] = {
    COST(L, UNIT_TIME), COST(o, UNIT_TIME), COST(g, UNIT_TIME),
    COST(G, UNIT_TIME), COST(O, UNIT_TIME), COST(S, UNIT_BYTES),
};

static uint64_t *field_of(struct loggp_spec *costs, size_t i)
{
    return (uint64_t *)(void *)((char *)costs + fields[i].offset);
}

static bool parse_all(const char *text, struct loggp_spec *costs, GError **error)
{
    g_auto(GStrv) parts = g_strsplit(text, ",", -1);
    return goal_options_parse(
        (const char *const *)parts, fields, G_N_ELEMENTS(fields), costs, "",
        " is none of the costs, which are L, o, g, G, O and S, as in " GOAL_COSTS_DEFAULT, error);
}

/* Chooses the ticks, given all times in picoseconds. */
static void choose_ticks(struct loggp_spec *costs)
{
    bool whole = true;
    for (size_t i = 0; i < G_N_ELEMENTS(fields); i++)
        whole &= fields[i].unit != UNIT_TIME || *field_of(costs, i) % PS_PER_NS == 0;
    for (size_t i = 0; whole && i < G_N_ELEMENTS(fields); i++)
        *field_of(costs, i) /= fields[i].unit == UNIT_TIME ? PS_PER_NS : 1;
    costs->ticks_per_ns = whole ? 1 : PS_PER_NS;
}

bool goal_costs_parse(const char *text, struct loggp_spec *costs, GError **error)
{
    if (!parse_all(GOAL_COSTS_DEFAULT, costs, error) || !parse_all(text, costs, error))
        return false;
    choose_ticks(costs);
    return true;
}

/* --- patterns: "KIND:SHAPE,KEY=VALUE,..." -------------------------------------------------------- */

/* With GOAL_PHASE_OPS and a calculation in each phase, a rank then has fewer than 2^32 operations. */
#define PHASES_MAX (1u << 28)
#define NOT_GIVEN UINT64_MAX /* bytes, until the text has been read */
_Static_assert((GOAL_PHASE_OPS + 1) * (uint64_t)PHASES_MAX < UINT32_MAX, "too many operations");

static bool parse_kind(const char *name, struct goal_pattern_spec *spec, GError **error)
{
    g_autoptr(GString) known = g_string_new(NULL);
    for (size_t i = 0; i < goal_pattern_kind_count; i++) {
        spec->kind = &goal_pattern_kinds[i];
        if (strcmp(name, spec->kind->name) == 0)
            return true;
        g_string_append_printf(known, "%s%s", i ? ", " : "", spec->kind->name);
    }
    return error_set(error, "there is no pattern \"%s\": they are %s", name, known->str);
}

static bool parse_shape(const char *text, struct goal_pattern_spec *spec, GError **error)
{
    g_auto(GStrv) sides = g_strsplit(text, "x", -1);
    uint64_t ranks = 1;
    static const char *const sides_of[] = {"", "the number of ranks", "two sides, as in 8x64",
                                           "three sides, as in 16x16x12",
                                           "four sides, as in 1x64x8x2"};
    spec->shape[0] = spec->shape[1] = spec->shape[2] = spec->shape[3] = 1;
    if (g_strv_length(sides) != (guint)spec->kind->dimensions)
        return error_set(error, "%s needs %s, not \"%s\"", spec->kind->name,
                         sides_of[spec->kind->dimensions], text);
    for (int i = 0; i < spec->kind->dimensions; i++) {
        guint64 side = 0;
        if (!g_ascii_string_to_unsigned(sides[i], 10, 1, GOAL_MAX_RANKS, &side, NULL) ||
            (ranks *= side) > GOAL_MAX_RANKS)
            return error_set(error, "\"%s\" is no number of ranks from 1 to %u", text,
                             GOAL_MAX_RANKS);
        spec->shape[i] = (uint32_t)side;
    }
    spec->ranks = (uint32_t)ranks;
    return true;
}

/* Parses options such as "bytes=32768". */
static bool parse_options(const char *const *parts, struct goal_pattern_spec *spec, GError **error)
{
    static const struct goal_option options[] = {
        {"iterations", UNIT_COUNT, 1, offsetof(struct goal_pattern_spec, iterations)},
        {"bytes", UNIT_BYTES, 1, offsetof(struct goal_pattern_spec, bytes)},
        {"calc", UNIT_TIME, PS_PER_NS, offsetof(struct goal_pattern_spec, calc_ns)},
        {"seed", UNIT_COUNT, 1, offsetof(struct goal_pattern_spec, seed)},
    };
    for (const char *const *part = parts; *part; part++)
        if (!strchr(*part, '='))
            return error_set(error, "expected key=value and found \"%s\"", *part);
    if (!goal_options_parse(parts, options, G_N_ELEMENTS(options), spec, "a pattern has no ",
                            ": it has iterations, bytes, calc and seed", error))
        return false;
    return (spec->iterations >= 1 && spec->iterations <= UINT32_MAX) ||
           error_set(error, "iterations must be between 1 and %u", UINT32_MAX);
}

/* Whether each peer's part of a rank's bytes is a byte or more. Bytes that are not given are 8, or one for each peer. */
static bool parts_valid(const char *kind, struct goal_pattern_spec *spec, GError **error)
{
    uint32_t most = 1;
    for (int i = 0; i < GOAL_SECTIONS && spec->kind->sections[i].what; i++)
        if (spec->kind->sections[i].parts != GOAL_ALL)
            most = MAX(most, spec->shape[spec->kind->sections[i].parts]);
    if (spec->bytes == NOT_GIVEN)
        spec->bytes = MAX(8, most);
    if (spec->bytes >= most || most == 1)
        return true;
    return error_set(error,
                     "bytes=%" G_GUINT64_FORMAT
                     " are a rank's, which %s divides into %u parts: accepted is %u or more",
                     spec->bytes, kind, most, most);
}

bool goal_pattern_parse(const char *text, struct goal_pattern_spec *spec, GError **error)
{
    g_auto(GStrv) parts = g_strsplit(text, ",", -1);
    *spec = (struct goal_pattern_spec){.iterations = 1, .bytes = NOT_GIVEN, .seed = 1};
    char *shape = parts[0] ? strchr(parts[0], ':') : NULL;
    if (!shape)
        return error_set(error, "expected PATTERN:RANKS and found \"%s\"", text);
    *shape++ = '\0';
    if (!parse_kind(parts[0], spec, error) || !parse_shape(shape, spec, error) ||
        !parse_options((const char *const *)parts + 1, spec, error) ||
        !parts_valid(parts[0], spec, error))
        return false;
    goal_pattern_place(spec);
    uint64_t phases = spec->iterations * spec->begins[GOAL_SECTIONS];
    if (phases <= PHASES_MAX)
        return true;
    return error_set(error, "\"%s\" has %" G_GUINT64_FORMAT " phases, more than 2^28", text,
                     phases);
}
