/* SPDX-License-Identifier: BSD-3-Clause */
/* A folder of Lua files for one test program. Messages are compared whole; in what a test expects,
 * $ stands for the folder. */
#pragma once

#include <glib.h>
#include <glib/gstdio.h>
#include <string.h>

#include "../sanitized.h"
#include "core/error.h"
#include "script/script.h"
#include "script/study/point.h"
#include "study/model/machine.h"
#include "study/model/study.h"

static char *scratch;

/* Whether the file runs, whatever it describes. */
static inline bool script_check(const char *path, GError **error)
{
    return script_read(path, NULL, NULL, error);
}

static inline void scratch_open(void)
{
    scratch = g_dir_make_tmp("gpunetsim-XXXXXX", NULL);
    g_assert_nonnull(scratch);
}

static inline void scratch_remove(const char *path)
{
    GDir *folder = g_dir_open(path, 0, NULL);
    for (const char *name; folder && (name = g_dir_read_name(folder));) {
        char *inner = g_build_filename(path, name, NULL);
        scratch_remove(inner);
        g_free(inner);
    }
    if (folder)
        g_dir_close(folder);
    g_remove(path);
}

static inline void scratch_close(void)
{
    scratch_remove(scratch);
    g_free(scratch);
}

/* Writes a file (making its folder) and returns its path, which the caller frees. */
static inline char *scratch_file(const char *name, const char *text)
{
    char *path = g_build_filename(scratch, name, NULL), *folder = g_path_get_dirname(path);
    g_mkdir_with_parents(folder, 0700);
    g_assert_true(g_file_set_contents(path, text, -1, NULL));
    g_free(folder);
    return path;
}

/* `text` with every $ replaced by the folder. */
static inline char *scratch_expand(const char *text)
{
    GString *expanded = g_string_new(text);
    g_string_replace(expanded, "$", scratch, 0);
    return g_string_free(expanded, FALSE);
}

static inline void scratch_assert_message(GError *error, const char *message)
{
    char *expected = scratch_expand(message);
    g_assert_nonnull(error);
    char *sentence = error_sentence(error->message);
    g_assert_cmpstr(sentence, ==, expected);
    g_free(sentence);
    g_error_free(error);
    g_free(expected);
}

/* Checks x.lua with that text: its error has to be `message`, or none if that is NULL. */
static inline void scratch_check(const char *text, const char *message)
{
    char *path = scratch_file("x.lua", text);
    GError *error = NULL;
    bool is_good = script_check(path, &error);
    if (is_good != !message)
        g_error("%s\n%s", text, error ? error->message : "was accepted");
    if (message)
        scratch_assert_message(error, message);
    g_free(path);
}

struct script_case {
    const char *text;
    const char *message; /* NULL: accepted */
};

/* Cases that run until a limit stops them take seconds under sanitizers. */
static inline bool scratch_is_slow(const struct script_case *one)
{
    return one->message &&
           (strstr(one->message, "does not end") || strstr(one->message, "256 MiB"));
}

static inline void scratch_check_all(const struct script_case *cases, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!scratch_is_slow(&cases[i]) || is_sampled(i, 10))
            scratch_check(cases[i].text, cases[i].message);
}

/* The id of a claim, which the caller frees. */
static inline char *scratch_claim(const struct study *study, size_t number)
{
    g_autoptr(GVariant) claims = study_table(study, "claims"), claim = NULL;
    g_variant_get_child(claims, number, "v", &claim);
    return g_strdup(g_variant_get_bytestring(claim));
}

/* Point `n` on its machine, as a worker runs it. */
static inline struct row *scratch_run(struct study *study, size_t n, uint64_t seed)
{
    GError *error = NULL;
    struct machine *machine = study_machine(study, n, &error);
    g_assert_no_error(error);
    struct row *row = study_run_point(study, n, machine, seed);
    machine_free(machine);
    return row;
}
