/* SPDX-License-Identifier: BSD-3-Clause */
/* Parses "KIND:SHAPE,KEY=VALUE,..." into a pattern. */
#include <string.h>

#include "core/error.h"
#include "core/units.h"
#include "workloads/goal/goal_pattern_kinds.h"
#include "workloads/goal/goal_quantity.h"

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
