/* SPDX-License-Identifier: BSD-3-Clause */
/* Facts of the papers that are built in: where each one stands, and the test that holds it there. What the
 * table says of machine files is looked up each time: one with another value makes its claim a missed one. Sources and
 * tests are looked up by the project's own tests alone: an installed program has neither. */
#include <string.h>

#include "protocols/design.h"
#include "script/script.h"
#include "study/claims/claims.h"
#include "study/claims/claims_tsv.h"
#include "study/model/machine.h"

/* Named designs are read when the program starts. */
#define DESIGNS_FILE "configs/designs.lua"

enum { COLUMN_ID, COLUMN_PLACE, COLUMN_VALUE, COLUMN_TEST };

struct reading {
    const char *path;     /* of the table */
    char *root;           /* the project's folder, which places are relative to */
    GHashTable *machines; /* path in the project -> struct machine */
};

static void free_machine(gpointer machine)
{
    machine_free(machine);
}

static bool fail(const struct reading *reading, const struct claims_row *row, GError **error,
                 const char *what, const char *name)
{
    return claims_tsv_fail(error, reading->path, row->line, "%s \"%s\"", what, name);
}

static bool check_test(const struct reading *reading, const struct claims_row *row, GError **error)
{
    const char *text = row->fields[COLUMN_TEST];
    g_auto(GStrv) parts = g_strsplit(text, ":", 2);
    g_autofree char *base = *text ? g_path_get_basename(parts[0]) : g_strdup("");
    if (!g_str_has_prefix(text, "tests/") || !g_str_has_prefix(base, "test_"))
        return fail(reading, row, error, "a test is tests/FOLDER/test_NAME:CASE, not", text);
    return (parts[1] && *parts[1]) || fail(reading, row, error, "no case is named of", text);
}

/* --- parameters ---------------------------------------------------------------------------------
 */

/* The machine of a file of the project. */
static struct machine *machine_of(struct reading *reading, const char *name, GError **error)
{
    struct machine *machine = g_hash_table_lookup(reading->machines, name);
    if (!machine) {
        g_autofree char *path = g_build_filename(reading->root, name, NULL);
        machine = machine_load(path, NULL, error);
        if (machine)
            g_hash_table_insert(reading->machines, g_strdup(name), machine);
    }
    return machine;
}

/* The value of "comp-net.completion" as text, or NULL if there is no such design or axis. */
static const char *axis_of(const char *name, char *text)
{
    g_auto(GStrv) parts = g_strsplit(name, ".", 2);
    const struct design *design = parts[0] ? design_named(parts[0]) : NULL;
    const struct param *axis = parts[0] && parts[1] ? param_find(&design_params, parts[1]) : NULL;
    return design && axis ? param_format(axis, design, text) : NULL;
}

/* Puts `text` behind the others of a list, unless it is there. */
static void append(char **list, const char *text)
{
    g_auto(GStrv) there = g_strsplit(*list ? *list : "", "; ", -1);
    if (g_strv_contains((const char *const *)there, text))
        return;
    char *longer = *list ? g_strconcat(*list, "; ", text, NULL) : g_strdup(text);
    g_free(*list);
    *list = longer;
}

/* --- rows ---------------------------------------------------------------------------------------
 */

static bool add_parameter(struct reading *reading, const struct claims_row *row,
                          struct claim *claim, char **parts, GError **error)
{
    const char *stated = row->fields[COLUMN_VALUE];
    char axis_value[UNIT_TEXT_SIZE];
    bool is_design = strcmp(parts[0], DESIGNS_FILE) == 0;
    g_autoptr(GError) cause = NULL;
    struct machine *machine = is_design ? NULL : machine_of(reading, parts[0], &cause);
    if (cause)
        return claims_tsv_fail(error, reading->path, row->line, "%s", cause->message);
    const struct provenance *entry = is_design ? NULL : machine_find(machine, parts[1]);
    const char *value = is_design ? axis_of(parts[1], axis_value) : entry ? entry->value : NULL;
    if (!value)
        return fail(reading, row, error, "there is no parameter", row->fields[COLUMN_PLACE]);
    if (!*stated)
        return fail(reading, row, error, "no value is stated of", row->fields[COLUMN_PLACE]);
    g_autofree char *place = g_strdup_printf("%s = %s", row->fields[COLUMN_PLACE], value);
    append(&claim->place, place);
    if (strcmp(value, stated) != 0) {
        g_autofree char *note =
            g_strdup_printf("%s is %s, not %s", row->fields[COLUMN_PLACE], value, stated);
        append(&claim->note, note);
        claim->status = CLAIM_MISSED;
    }
    return true;
}

static bool add_mechanism(struct reading *reading, const struct claims_row *row,
                          struct claim *claim, GError **error)
{
    if (*row->fields[COLUMN_VALUE])
        return fail(reading, row, error, "only a parameter has a value, not",
                    row->fields[COLUMN_PLACE]);
    append(&claim->place, row->fields[COLUMN_PLACE]);
    return true;
}

static bool add_place(struct reading *reading, const struct claims_row *row, struct claim *claim,
                      GError **error)
{
    g_auto(GStrv) parts = g_strsplit(row->fields[COLUMN_PLACE], ":", 2);
    if (!parts[0] || !parts[1] || !*parts[1])
        return fail(reading, row, error, "a place is FILE:PARAMETER or FILE:FUNCTION, not",
                    row->fields[COLUMN_PLACE]);
    if (g_str_has_prefix(parts[0], "configs/"))
        return add_parameter(reading, row, claim, parts, error);
    return add_mechanism(reading, row, claim, error);
}

static bool add_row(struct reading *reading, const struct claim_list *list,
                    const struct claims_row *row, GError **error)
{
    const char *id = row->fields[COLUMN_ID];
    struct claim *claim = claims_find(list, id);
    if (!claim)
        return fail(reading, row, error, "there is no claim", id);
    if (!claim_is_config(claim))
        return claims_tsv_fail(error, reading->path, row->line, "%s is of use %s, not config", id,
                               claim->use);
    if (claim->status == CLAIM_NOT_YET)
        claim->status = CLAIM_MODELLED;
    if (!check_test(reading, row, error))
        return false;
    append(&claim->test, row->fields[COLUMN_TEST]);
    return add_place(reading, row, claim, error);
}

bool claims_read_modelled(struct claim_list *list, const char *path, GError **error)
{
    g_autoptr(GPtrArray) rows = claims_tsv_read(path, "id\tplace\tvalue\ttest", error);
    g_autofree char *folder = g_path_get_dirname(path);
    struct reading reading = {
        .path = path,
        .root = g_path_get_dirname(folder),
        .machines = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, free_machine)};
    bool good = rows != NULL;
    for (guint i = 0; good && i < rows->len; i++)
        good = add_row(&reading, list, g_ptr_array_index(rows, i), error);
    g_hash_table_unref(reading.machines);
    g_free(reading.root);
    return good;
}
