/* SPDX-License-Identifier: BSD-3-Clause */
/* The store keeps results in one SQLite file, which stays intact whatever happens to its writer.
 *
 * A *call* is one run of a workload; its key is made of all that decides its result: the machine's parameters, the workload with
 * its arguments, the seed and the program's version. A *point* is a row of a study; its key is made of the study's text, the
 * point's values, the seed and the version. So a known point is not run again; and if a study's text has changed, or another
 * study makes the same calls, the script runs again but nothing is simulated twice. */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "study/model/machine.h"
#include "study/model/study.h"

struct result_store;

enum store_mode {
    STORE_READ,    /* the file has to exist */
    STORE_SALVAGE, /* the same, and it may be damaged; then only store_each works */
    STORE_WRITE,   /* made if it does not exist; several processes may do so at once */
};

/* NULL and one sentence: ERROR_USE if it cannot be opened or is not a store, ERROR_RUN if it is damaged, ERROR_INTERRUPTED. A
 * store may come from a stranger: its layout is checked, and nothing in it is executed. */
struct result_store *store_open(const char *path, enum store_mode mode, GError **error);
void store_close(struct result_store *store);

/* The kinds of rows; each kind has a struct. */
enum stored_kind { STORED_STUDY, STORED_POINT, STORED_CALL };

/* A study, recorded when a run of it begins. */
struct store_study {
    char *digest; /* of the study's text and overrides, as in struct study */
    char *version, *name, *title;
    uint64_t seed;
    uint64_t points; /* number of all its points */
};

/* A row of a study. */
struct store_point {
    char *key;
    char *study, *digest; /* name; digest of its text */
    char *axes;           /* study_point_json */
    uint64_t seed;        /* master seed */
    char *version;
    char *failure;                /* NULL: the point did not fail */
    GBytes *result;               /* pack_row */
    char *columns;                /* the measures as JSON, for users of SQL */
    char *machine_name, *machine; /* machine_json; NULL: the point has no machine */

    /* These describe the run, not the result. */
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

/* Frees the contents of the row, a struct of that kind, but not the struct. */
void store_row_clear(enum stored_kind kind, void *row);

/* Keys, as 64 hexadecimal digits. The caller frees them with g_free. */
char *store_point_key(const struct study *study, size_t n, uint64_t seed, const char *version);
char *store_call_key(const struct workload_call *call, const char *version);

/* Writes one row, a struct of that kind, durably. An existing study or call stays; an existing point is replaced. False and one
 * sentence (ERROR_RUN), for instance if the disk is full; the store is then unchanged. */
bool store_put(struct result_store *store, enum stored_kind kind, const void *row, GError **error);

/* The axes (study_point_json) of all stored points of the study with that digest, seed and version: a set of texts, which the
 * caller unrefs. */
GHashTable *store_axes(struct result_store *store, const char *digest, uint64_t seed,
                       const char *version);

/* Reads a point or a call. False if there is none with this key, or if the stored one is damaged. The caller clears the row. */
bool store_get(struct result_store *store, enum stored_kind kind, const char *key, void *row);

/* Visits all rows of a kind, in no particular order; in a damaged file, those that can still be read. False as soon as `each`
 * returns false; false and an error if interrupted, or if the file exists but nothing more can be read. */
typedef bool store_visitor(void *context, const void *row);
bool store_each(struct result_store *store, enum stored_kind kind, store_visitor *each,
                void *context, GError **error);

/* Whether the file was found to be damaged so far, and how many rows were seen but cannot be read. More rows may be lost
 * without a trace. */
bool store_is_damaged(const struct result_store *store, uint64_t *lost);
