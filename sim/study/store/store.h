/* SPDX-License-Identifier: BSD-3-Clause */
/* The store: results that are kept, in one SQLite file that survives whatever happens to its
 * writer.
 *
 * A *call* is one run of a workload, under a key made of all that decides its result: the machine's
 * parameters, the workload with its arguments, the seed and the program's version. A *point* is a
 * row of a study, under a key made of the study's text, the point's values, the seed and the
 * version. So a point that is known is not run again; and where a study's text has changed, or
 * another study asks the same, the script runs again but nothing is simulated twice. */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "study/model/machine.h"
#include "study/model/study.h"

struct result_store;

enum store_mode {
    STORE_READ,    /* it has to be there */
    STORE_SALVAGE, /* the same; also one that is damaged, of which only store_each can be asked */
    STORE_WRITE,   /* made if it is not there; several processes may do so at the same moment */
};

/* NULL and one sentence: ERROR_USE if it cannot be opened or is not a store, ERROR_RUN
 * if it is damaged, ERROR_INTERRUPTED. A store may be another's work: its layout is checked, and
 * nothing in it is executed. */
struct result_store *store_open(const char *path, enum store_mode mode, GError **error);
void store_close(struct result_store *store);

/* The kinds of rows: each has a struct. */
enum stored_kind { STORED_STUDY, STORED_POINT, STORED_CALL };

/* A study, as a run of it begins. */
struct store_study {
    char *digest; /* of its text and overrides: struct study */
    char *version, *name, *title;
    uint64_t seed;
    uint64_t points; /* all that it has */
};

/* A row of a study. */
struct store_point {
    char *key;
    char *study, *digest; /* name; digest of its text */
    char *axes;           /* study_point_json */
    uint64_t seed;        /* master seed */
    char *version;
    char *failure;                /* NULL if it went well */
    GBytes *result;               /* pack_row */
    char *columns;                /* the measures as JSON, for those who look with SQL */
    char *machine_name, *machine; /* machine_json; NULL if it had none */

    /* Of the run, not of the result. */
    char *host;
    gint64 started_us, duration_us;
};

/* A result of a workload. */
struct store_call {
    char *key;
    char *workload, *arguments, *machine; /* machine_json */
    uint64_t seed;
    char *version;
    GBytes *result; /* pack_result */
};

/* Frees what the row, a struct of that kind, holds; not the struct. */
void store_row_clear(enum stored_kind kind, void *row);

/* Keys, as 64 hexadecimal digits. The caller frees them with g_free. */
char *store_point_key(const struct study *study, size_t n, uint64_t seed, const char *version);
char *store_call_key(const struct workload_call *call, const char *version);

/* Writes one row, a struct of that kind, which is safe from then on. A study or a call that is there stays; a point
 * that is there is replaced. False and one sentence (ERROR_RUN), as when the disk is full;
 * what was there is still there. */
bool store_put(struct result_store *store, enum stored_kind kind, const void *row, GError **error);

/* The axes (study_point_json) of all points of the study, by its digest, that are there with that seed and version: a set
 * of texts, which the caller unrefs. */
GHashTable *store_axes(struct result_store *store, const char *digest, uint64_t seed,
                       const char *version);

/* A point or a call. False if there is none of this key, or what is there has been damaged. The caller clears it. */
bool store_get(struct result_store *store, enum stored_kind kind, const char *key, void *row);

/* All rows of a kind, in no particular order, also those of a damaged file that can still be read.
 * False as soon as `each` says so; false and an error if interrupted, or if nothing more can be read
 * although the file is there. */
typedef bool store_visitor(void *context, const void *row);
bool store_each(struct result_store *store, enum stored_kind kind, store_visitor *each,
                void *context, GError **error);

/* Whether the file was found to be damaged so far, and how many rows were seen that cannot be read.
 * Others may be lost without a trace. */
bool store_is_damaged(const struct result_store *store, uint64_t *lost);
