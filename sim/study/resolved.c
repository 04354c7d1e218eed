/* SPDX-License-Identifier: BSD-3-Clause */
/* JSON is read by SQLite. A text that is not UTF-8, as of a comment in another encoding, is kept in base64. */
#include "study/resolved.h"

#include <sqlite3.h>
#include <string.h>

#include "core/error.h"
#include "core/json.h"
#include "core/text_file.h"
#include "script/script.h"
#include "script/study/point.h"
#include "study/model/machine.h"
#include "study/table/version.h"

#define FORMAT "gpunetsim run 1"

static const struct text_kind resolved_file = {
    .name = "a resolved.json", .most_bytes = 64 << 20, .is_utf8 = true};

/* --- writing ---------------------------------------------------------------------------------- */

static void write_list(struct json *json, const char *name, const char *const *texts)
{
    json_begin_array(json, name);
    for (; texts && *texts; texts++)
        json_text(json, NULL, *texts);
    json_end_array(json);
}

static void write_axes(struct json *json, const struct study *study)
{
    json_number(json, "points", "%zu", study->point_count);
    json_begin_object(json, "axes");
    for (size_t i = 0; i < study->axis_count; i++) {
        const struct axis *axis = &study->axes[i];
        json_begin_array(json, axis->name);
        for (size_t k = 0; k < axis->count; k++) {
            g_autofree char *valid = g_utf8_make_valid(axis->values[k].text, -1);
            json_text(json, NULL, valid);
        }
        json_end_array(json);
    }
    json_end_object(json);
}

static void write_machine(struct json *json, struct study *study)
{
    struct machine *machine = study->point_count > 0 ? study_machine(study, 0, NULL) : NULL;
    json_begin_object(json, "machine_of_first_point");
    for (guint i = 0; machine && i < machine->provenance->len; i++) {
        const struct provenance *entry = g_ptr_array_index(machine->provenance, i);
        json_text(json, entry->path, entry->value);
    }
    json_end_object(json);
    machine_free(machine);
}

static void write_file(struct json *json, const struct study_file *file)
{
    json_begin_object(json, NULL);
    json_text(json, "path", file->path);
    json_text(json, "names", file->names);
    if (g_utf8_validate(file->text, -1, NULL)) {
        json_text(json, "text", file->text);
    } else {
        g_autofree char *base64 = g_base64_encode((const guchar *)file->text, strlen(file->text));
        json_text(json, "base64", base64);
    }
    json_end_object(json);
}

char *resolved_json(struct study *study, const char *const *overrides, uint64_t seed)
{
    struct json json = {.text = g_string_new(NULL), .is_spaced = true};
    g_autofree char *version = version_key(), *title = g_utf8_make_valid(study->title, -1);
    g_autofree char *seed_text = g_strdup_printf("%" G_GUINT64_FORMAT, seed);
    g_autoptr(GPtrArray) files = study_files(study);
    json_begin_object(&json, NULL);
    json_text(&json, "format", FORMAT);
    json_text(&json, "title", title);
    json_text(&json, "version", version);
    json_text(&json, "seed", seed_text); /* a number of 64 bits is not safe in JSON */
    json_text(&json, "digest", study->digest);
    write_list(&json, "overrides", overrides);
    write_axes(&json, study);
    write_machine(&json, study);
    json_begin_rows(&json, "files", "\n  ");
    for (guint i = 0; i < files->len; i++)
        write_file(&json, g_ptr_array_index(files, i));
    json_end_rows(&json);
    json_end_object(&json);
    g_string_append_c(json.text, '\n');
    return g_string_free(json.text, FALSE);
}

/* --- reading ---------------------------------------------------------------------------------- */

bool resolved_is(const char *path)
{
    return g_str_has_suffix(path, ".json");
}

/* A JSON document in SQLite's hands. */
struct document {
    sqlite3 *sqlite;
    const char *json;
};

/* What is at a path of SQLite's ("$.files[0].text"), of a type of SQLite's: a text, or the JSON of an object. NULL if there is
 * none. The caller frees it with g_free. */
static char *value_at(const struct document *document, const char *path, const char *type)
{
    sqlite3_stmt *statement;
    char *text = NULL;
    if (sqlite3_prepare_v2(document->sqlite,
                           "SELECT json_extract(?1, ?2) WHERE json_type(?1, ?2) = ?3", -1,
                           &statement, NULL) != SQLITE_OK)
        return NULL;
    sqlite3_bind_text(statement, 1, document->json, -1, SQLITE_STATIC);
    sqlite3_bind_text(statement, 2, path, -1, SQLITE_STATIC);
    sqlite3_bind_text(statement, 3, type, -1, SQLITE_STATIC);
    if (sqlite3_step(statement) == SQLITE_ROW)
        text = g_strdup((const char *)sqlite3_column_text(statement, 0));
    sqlite3_finalize(statement);
    return text;
}

static char *text_at(const struct document *document, const char *path)
{
    return value_at(document, path, "text");
}

static char *text_of(const struct document *document, const char *list, guint number,
                     const char *field)
{
    g_autofree char *path = g_strdup_printf("$.%s[%u]%s%s", list, number, *field ? "." : "", field);
    return text_at(document, path);
}

/* One of the files; NULL behind the last. */
static struct study_file *read_file(const struct document *document, guint number)
{
    struct study_file *file = g_new0(struct study_file, 1);
    file->path = text_of(document, "files", number, "path");
    file->names = text_of(document, "files", number, "names");
    file->text = text_of(document, "files", number, "text");
    g_autofree char *base64 = file->text ? NULL : text_of(document, "files", number, "base64");
    if (base64) {
        gsize length;
        guchar *bytes = g_base64_decode(base64, &length);
        file->text = g_strndup((const char *)bytes, length);
        g_free(bytes);
    }
    if (file->path && file->names && file->text)
        return file;
    study_file_free(file);
    return NULL;
}

static GPtrArray *read_files(const struct document *document)
{
    GPtrArray *files = g_ptr_array_new_with_free_func(study_file_free);
    for (struct study_file *file; (file = read_file(document, files->len)) != NULL;)
        g_ptr_array_add(files, file);
    return files;
}

/* Those of the file, then `more`; NULL-ended. */
static char **read_overrides(const struct document *document, const char *const *more)
{
    GPtrArray *overrides = g_ptr_array_new();
    for (char *text; (text = text_of(document, "overrides", overrides->len, "")) != NULL;)
        g_ptr_array_add(overrides, text);
    for (; more && *more; more++)
        g_ptr_array_add(overrides, g_strdup(*more));
    g_ptr_array_add(overrides, NULL);
    return (char **)g_ptr_array_free(overrides, FALSE);
}

/* The axes and the machine stand there for a reader: whoever changes them is told that a run does not read them. A
 * version that has other parameters gives other machines. */
static bool check_told(const struct document *document, struct resolved *resolved, const char *path,
                       GError **error)
{
    g_autofree char *json =
        resolved_json(resolved->study, (const char *const *)resolved->overrides, resolved->seed);
    const struct document now = {.sqlite = document->sqlite, .json = json};
    const char *const told[] = {"axes", "machine_of_first_point"};
    for (size_t i = 0; i < (resolved->version ? 1 : 2); i++) {
        g_autofree char *where = g_strdup_printf("$.%s", told[i]);
        g_autofree char *here = value_at(document, where, "object");
        g_autofree char *there = value_at(&now, where, "object");
        if (g_strcmp0(here, there) != 0)
            return error_set(error,
                             "%s: \"%s\" was changed, but only tells what was run; change the "
                             "study's text and run that, or a parameter by -s",
                             path, told[i]);
    }
    return true;
}

static bool read_document(const struct document *document, const char *path,
                          const char *const *more, struct resolved *resolved, GError **error)
{
    g_autofree char *format = text_at(document, "$.format");
    g_autofree char *digest = text_at(document, "$.digest");
    g_autofree char *seed = text_at(document, "$.seed");
    g_autofree char *now = version_key();
    g_autoptr(GPtrArray) files = read_files(document);
    if (g_strcmp0(format, FORMAT) != 0 || !digest || files->len == 0 ||
        !g_ascii_string_to_unsigned(seed ? seed : "", 10, 0, G_MAXINT64, &resolved->seed, NULL))
        return error_set(error, "%s: is no resolved.json as \"gpunetsim run\" writes it", path);
    resolved->version = text_at(document, "$.version");
    if (g_strcmp0(resolved->version, now) == 0)
        g_clear_pointer(&resolved->version, g_free);
    resolved->overrides = read_overrides(document, NULL);
    resolved->study = study_load_files(files, (const char *const *)resolved->overrides, error);
    if (!resolved->study)
        return false;
    if (strcmp(resolved->study->digest, digest) != 0)
        return error_set(
            error,
            "%s: what it describes is not what was run: its texts were changed, or the "
            "named designs of the project (configs/designs.lua) are others now",
            path);
    if (!check_told(document, resolved, path, error))
        return false;
    if (!more || !*more)
        return true;
    study_free(resolved->study);
    g_strfreev(resolved->overrides);
    resolved->overrides = read_overrides(document, more);
    resolved->study = study_load_files(files, (const char *const *)resolved->overrides, error);
    return resolved->study != NULL;
}

bool resolved_read(const char *path, const char *const *overrides, struct resolved *resolved,
                   GError **error)
{
    g_autofree char *json = text_file_read(path, &resolved_file, NULL, error);
    struct document document = {.sqlite = NULL};
    *resolved = (struct resolved){.study = NULL};
    if (!json)
        return false;
    document.json = json;
    bool good = sqlite3_open(":memory:", &document.sqlite) == SQLITE_OK &&
                read_document(&document, path, overrides, resolved, error);
    sqlite3_close(document.sqlite);
    if (!good)
        g_clear_pointer(&resolved->study, study_free);
    return good;
}

void resolved_clear(struct resolved *resolved)
{
    g_strfreev(resolved->overrides);
    g_free(resolved->version);
}
