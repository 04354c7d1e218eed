/* SPDX-License-Identifier: BSD-3-Clause */
/* Parameter tables: one table for each component, the single source for the Lua binding, validation, `gpunetsim help`, the
 * reference manual, the export of the resolved configuration and the fuzzer's dictionary. A default is written once, here.
 *
 * A spec is a plain struct of int64_t fields in base units (core/units.h), and double for ratios.
 * Its table says for each field: name, kind, default, bounds and one sentence. */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/units.h"

enum param_kind {
    PARAM_QUANTITY,    /* int64_t in the base unit of `unit` */
    PARAM_RATIO,       /* double without unit */
    PARAM_BOOL,        /* int64_t 0 or 1 */
    PARAM_CHOICE,      /* int64_t index into `choices` */
    PARAM_PERCENTILES, /* int64_t, a list of percentiles (core/percentiles.h) */
    PARAM_WORDS,  /* int64_t, a text that is kept until the program ends (param_words); 0: "none" */
    PARAM_RECORD, /* a struct of fields of the other kinds, described by `record` */
    PARAM_SHARED, /* stands for rows that several tables share, and is no parameter itself: see PARAM_SHARE */
};

/* Room for the text that param_format writes, for every kind. */
#define PARAM_TEXT_SIZE 1408

/* One parameter. `low`, `high` and `default_text` are text in the notation a user would write, so that
 * the manual shows what the code means; `default_text` is the default, NULL if the parameter must be
 * given. Text with a unit for quantities, "0.5" for ratios, "true"/"false", a choice's name. */
struct param {
    const char *name;
    enum param_kind kind;
    enum unit_kind unit; /* PARAM_QUANTITY only */
    size_t offset;       /* offset of the field in the spec */
    const char *default_text;
    const char *low; /* inclusive bounds; NULL for none (bool, choice) */
    const char *high;
    const char *const *choices; /* NULL-ended, PARAM_CHOICE only */
    const char *description;    /* what the parameter is, and per what: per direction, per link */
    /* The record of a PARAM_RECORD; of PARAM_WORDS its `valid` counts. Other rows: the table that the row comes from, if several
     * tables share it. */
    const struct param_record *record;
};

struct param_table {
    const char *component; /* "nic": the key in machine files and in `gpunetsim help nic` */
    const char *description;
    const struct param *params;
    size_t count;
    size_t spec_size;
    const struct param_table *kind; /* its kind (core/param_instance.h) or NULL */
};

/* The type of a PARAM_RECORD: a struct whose fields a table of its own describes, and that has named values. Its text is a name
 * ("comp-net"), or a name and the fields that differ from it, or the fields that differ from the table's defaults:
 * "comp-net{server=gpu_warp,queue.memory=host}", "{server=none}". */
struct param_record {
    const struct param_table *table; /* no records in it */
    /* Offset of an int64_t beside the fields: 1 + the number of the named value that the struct came from, 0: none. */
    size_t base_offset;
    size_t (*count)(void); /* how many named values there are */
    const char *(*name)(size_t number);
    const void *(*value)(size_t number); /* a struct of table->spec_size bytes */
    /* The project's file that the named values are read from ("configs/designs.lua"); NULL: none. */
    const char *file;

    /* Whether the fields may be combined; else false and one sentence without full stop. */
    bool (*valid)(const void *value, GError **error);
};

/* A row of any kind, and a row of a quantity. */
#define PARAM_ROW(name, kind, unit, offset, default_text, low, high, choices, description)         \
    {                                                                                              \
        name, kind, unit, offset, default_text, low, high, choices, description, NULL              \
    }
#define PARAM_OF(name, unit, offset, default_text, low, high, description)                         \
    PARAM_ROW(name, PARAM_QUANTITY, unit, offset, default_text, low, high, NULL, description)

#define PARAM_TIME(field, spec, default_text, low, high, description)                              \
    PARAM_OF(#field, UNIT_TIME, offsetof(spec, field##_ps), default_text, low, high, description)
#define PARAM_BYTES(field, spec, default_text, low, high, description)                             \
    PARAM_OF(#field, UNIT_BYTES, offsetof(spec, field##_bytes), default_text, low, high,           \
             description)
#define PARAM_RATE(field, spec, default_text, low, high, description)                              \
    PARAM_OF(#field, UNIT_RATE, offsetof(spec, field##_Bps), default_text, low, high, description)
#define PARAM_FREQUENCY(field, spec, default_text, low, high, description)                         \
    PARAM_OF(#field, UNIT_FREQUENCY, offsetof(spec, field##_Hz), default_text, low, high,          \
             description)
#define PARAM_POWER(field, spec, default_text, low, high, description)                             \
    PARAM_OF(#field, UNIT_POWER, offsetof(spec, field##_mW), default_text, low, high, description)
#define PARAM_ENERGY(field, spec, default_text, low, high, description)                            \
    PARAM_OF(#field, UNIT_ENERGY, offsetof(spec, field##_fJ), default_text, low, high, description)
/* The offset of a field, which must have 8 bytes, the width that is stored; another width does not compile. */
#define PARAM_WORD_AT(spec, field)                                                                 \
    (offsetof(spec, field) + 0 * sizeof(char[sizeof(((spec *)0)->field) == 8 ? 1 : -1]))
#define PARAM_COUNT(field, spec, default_text, low, high, description)                             \
    PARAM_OF(#field, UNIT_COUNT, PARAM_WORD_AT(spec, field), default_text, low, high, description)
#define PARAM_NUMBER(field, spec, default_text, low, high, description)                            \
    PARAM_ROW(#field, PARAM_RATIO, UNIT_COUNT, PARAM_WORD_AT(spec, field), default_text, low,      \
              high, NULL, description)
#define PARAM_FLAG(field, spec, default_text, description)                                         \
    PARAM_ROW(#field, PARAM_BOOL, UNIT_COUNT, offsetof(spec, field), default_text, NULL, NULL,     \
              NULL, description)
#define CHOICES(...) ((const char *const[]){__VA_ARGS__, NULL}) /* of a PARAM_ENUM */
#define PARAM_ENUM(field, spec, default_text, choices, description)                                \
    PARAM_ROW(#field, PARAM_CHOICE, UNIT_COUNT, PARAM_WORD_AT(spec, field), default_text, NULL,    \
              NULL, choices, description)
#define PARAM_PERCENTILE_LIST(field, spec, description)                                            \
    PARAM_ROW(#field, PARAM_PERCENTILES, UNIT_COUNT, offsetof(spec, field), "none", NULL, NULL,    \
              NULL, description)

/* A text that is passed to `record`->valid, which checks it. Its length is limited by PARAM_TEXT_SIZE. */
#define PARAM_WORD_LIST(field, spec, record, description)                                          \
    {                                                                                              \
#field, PARAM_WORDS, UNIT_COUNT, PARAM_WORD_AT(spec, field), "none", NULL, NULL, NULL,     \
            description, record                                                                    \
    }

/* Stands for all rows of `shared` (a struct param_record of which only the table counts); their values are in the struct
 * `field`. Their names begin with `prefix`, their descriptions with `description`; "" adds nothing. `defaults` replaces some of
 * their defaults: "size=64KiB,ways=2"; a row whose value there is empty must be given. */
#define PARAM_SHARE(prefix, field, spec, shared, defaults, description)                            \
    {                                                                                              \
        prefix, PARAM_SHARED, UNIT_COUNT, offsetof(spec, field), defaults, NULL, NULL, NULL,       \
            description, shared                                                                    \
    }

#define PARAM_STRUCT(field, spec, default_text, record, description)                               \
    {                                                                                              \
#field, PARAM_RECORD, UNIT_COUNT, offsetof(spec, field), default_text, NULL, NULL, NULL,   \
            description, record                                                                    \
    }

/* A field may belong to a struct in the spec: PARAM_BYTES(coalesce.size, ...). The rows of such a struct are a record, which a
 * user may write as a table: coalesce = { size = ... } (bind_push_flat). */

/* Fields and rows from one list, which stands in the header:
 *     #define NIC_ROWS(ROW) ROW(TIME, command_gap, "10ns", "0ns", "10us", "Minimum time between two commands.") ...
 *     struct nic_spec { NIC_ROWS(PARAM_FIELD) };
 * and in the table's file PARAM_TABLE_OF; or, where SPEC is that struct, { NIC_ROWS(PARAM_ENTRY) }. The first word is the end
 * of PARAM_TIME and its like; PART is a PARAM_SHARE: ROW(PART, l1, struct cache_shape, "l1_", &cache_rows, "", ""). A flag's
 * field is 0 or 1. */
#define PARAM_ENTRY(kind, field, ...) PARAM_##kind(field, SPEC, __VA_ARGS__),
#define PARAM_PART(field, spec, type, prefix, shared, defaults, description)                       \
    PARAM_SHARE(prefix, field, spec, shared, defaults, description)
#define PARAM_FIELD(kind, field, ...) PARAM_FIELD_##kind(field, __VA_ARGS__, )
#define PARAM_FIELD_TIME(field, ...) int64_t field##_ps;
#define PARAM_FIELD_BYTES(field, ...) int64_t field##_bytes;
#define PARAM_FIELD_RATE(field, ...) int64_t field##_Bps;
#define PARAM_FIELD_FREQUENCY(field, ...) int64_t field##_Hz;
#define PARAM_FIELD_POWER(field, ...) int64_t field##_mW;
#define PARAM_FIELD_ENERGY(field, ...) int64_t field##_fJ;
#define PARAM_FIELD_COUNT(field, ...) int64_t field;
#define PARAM_FIELD_NUMBER(field, ...) double field;
#define PARAM_FIELD_FLAG(field, ...) int64_t field;
#define PARAM_FIELD_ENUM(field, ...) int64_t field;
#define PARAM_FIELD_WORD_LIST(field, ...) int64_t field;
#define PARAM_FIELD_PART(field, type, ...) type field;

/* Defines `const struct param_table NAME` from an array of params. */
#define PARAM_TABLE(name, component, spec, params, description)                                    \
    const struct param_table name = {                                                              \
        component, description, params, sizeof(params) / sizeof((params)[0]), sizeof(spec), NULL}

/* The same from an array with PARAM_SHARE, which is replaced by the shared rows when the program is loaded. */
#define PARAM_TABLE_SHARING(name, component, spec, params, description)                            \
    struct param_table name = {                                                                    \
        component, description, params, sizeof(params) / sizeof((params)[0]), sizeof(spec), NULL}; \
    __attribute__((constructor)) static void name##_take_shared(void)                              \
    {                                                                                              \
        param_take_shared(&name);                                                                  \
    }                                                                                              \
    _Static_assert(sizeof(name) > 0, "takes the semicolon")

/* Defines the array of params and the table from a list of rows, X_ROWS; at most one such table in a file. */
#define PARAM_TABLE_OF(name, component, spec, rows, description)                                   \
    typedef spec SPEC;                                                                             \
    static const struct param name##_rows[] = {rows(PARAM_ENTRY)};                                 \
    PARAM_TABLE(name, component, spec, name##_rows, description)
#define PARAM_TABLE_OF_SHARING(name, component, spec, rows, description)                           \
    typedef spec SPEC;                                                                             \
    static const struct param name##_rows[] = {rows(PARAM_ENTRY)};                                 \
    PARAM_TABLE_SHARING(name, component, spec, name##_rows, description)

/* Replaces the table's rows by a copy in which the shared rows stand in place of each PARAM_SHARE. The copy is never freed. */
void param_take_shared(struct param_table *table);

/* The parameter called `name`, or NULL. */
const struct param *param_find(const struct param_table *table, const char *name);

/* The known name nearest to `name` by edit distance, or NULL when none is near enough to be a misspelling (distance <= 1 + a
 * third of the length). `names` holds `count` strings. */
const char *param_nearest(const char *name, const char *const *names, size_t count);

/* The present name of what `name` named in an earlier version, if it is among the `count` `names`; else NULL. */
const char *param_renamed(const char *name, const char *const *names, size_t count);

/* Whether `name` belongs to a row of the record: "queue.memory" to "queue". */
static inline bool param_is_of_record(const char *name, const char *record)
{
    return g_str_has_prefix(name, record) && name[strlen(record)] == '.';
}

/* The rest of a sentence about an unknown name: `; did you mean "rate"? Accepted: latency, rate` or, when none is near, `;
 * accepted: latency, rate`; `; it has none` if there are no names; or, for the name of an earlier version, the present name.
 * The caller frees it with g_free. param_suggestion_of: among the rows of a table. */
char *param_suggestion(const char *name, const char *const *names, size_t count);
char *param_suggestion_of(const struct param_table *table, const char *name);

/* Fills `spec` (table->spec_size bytes) with the defaults; all else in it becomes 0. */
void param_set_defaults(const struct param_table *table, void *spec);

/* Parses `text`, checks it against kind, bounds and choices and stores it into `spec`.
 * Returns true; or false with an error that names the parameter, what was given and
 * what is accepted, without full stop ("nic.rate: \"12\" has no unit; a rate needs one of ...");
 * `spec` is then unchanged. */
bool param_set_text(const struct param_table *table, const struct param *param, void *spec,
                    const char *text, GError **error);

/* What follows for a parameter that nobody gives, beyond param_set_defaults: a record gets its default's fields. False and an error,
 * without full stop, if it has no default. */
bool param_set_missing(const struct param_table *table, const struct param *param, void *spec,
                       GError **error);

/* As param_set_text for a value that is already a number: a quantity in base units, a ratio, 0 or 1 for a flag, the index of a choice. */
bool param_set_number(const struct param_table *table, const struct param *param, void *spec,
                      double number, GError **error);

/* A text as the number that param_set_number takes; bounds are not checked. False and a reason if it is bad. Not for records. */
bool param_parse_number(const struct param *param, const char *text, double *number,
                        GError **error);

/* Writes the value in `spec` as a user would write it; `text` has at least PARAM_TEXT_SIZE bytes, or UNIT_TEXT_SIZE if the
 * parameter is neither a record nor words. Returns `text`. param_set_text reads it back to the same value. */
char *param_format(const struct param *param, const void *spec, char *text);

/* The same without names: all fields of a record, "{server=gpu_warp,...}". Equal texts are equal values. */
char *param_format_whole(const struct param *param, const void *spec, char *text);

/* --- records by themselves ---------------------------------------------------------------------- */

/* As param_format and param_format_whole, for the struct at `value`. */
char *param_record_format(const struct param_record *record, const void *value, bool is_whole,
                          char *text);

/* Sets the struct at `value` from text, and checks that its fields may be combined. False and a reason if the text is bad;
 * `value` is then unchanged. */
bool param_record_set_text(const struct param_record *record, void *value, const char *text,
                           GError **error);

/* Notes that the struct at `value`, all of whose fields are set, came from the named value `number` (SIZE_MAX: none), whose
 * name begins its text. If the struct equals a named value its text is that name. */
void param_record_set_base(const struct param_record *record, void *value, size_t number);

/* The number of the named value, or SIZE_MAX and a reason if there is none of this name. */
size_t param_record_find(const struct param_record *record, const char *name, GError **error);

/* Whether all fields are equal; the named values that the structs came from do not matter. */
bool param_record_equal(const struct param_record *record, const void *a, const void *b);

/* The text of a PARAM_WORDS field; NULL: none. */
static inline const char *param_words(int64_t field)
{
    return (const char *)(intptr_t)field;
}

/* -1, 0 or 1 as the value in `a` is below, equal to or above that in `b`; records are equal or not (1). */
int param_compare(const struct param *param, const void *a, const void *b);
