/* SPDX-License-Identifier: BSD-3-Clause */
/* The study is written into a folder of its own: the machine as it is given, and the rows with their simulated twins
 * (scenarios/calibration/parts/twins.lua). */
#include "script/searches/calibrate_machine.h"

#include <lua.h>
#include <string.h>

#include "core/error.h"
#include "core/home.h"
#include "script/script.h"
#include "script/searches/vary_lua.h"
#include "script/views/views.h"
#include "study/model/measured.h"
#include "study/system/leftover.h"
#include "study/table/output.h"

#define PARTS "scenarios.calibration.parts."
#define PREFIX "gpunetsim-calibrate-"

/* Columns of what tables tell of the machine by themselves (facts.lua). */
enum { FACT_PATH, FACT_VALUE, FACT_SOURCE, FACT_COLUMNS };

/* --- the folder of the studies -------------------------------------------------------------------- */

struct folder {
    char *path;
    int lock;
    bool is_single; /* the machine has one node */
};

static bool write_text(const struct folder *folder, const char *name, const char *text,
                       GError **error)
{
    g_autofree char *path = g_build_filename(folder->path, name, NULL);
    GError *fault = NULL;
    if (g_file_set_contents(path, text, -1, &fault))
        return true;
    error_set_code(error, ERROR_RUN, "%s", fault->message);
    g_error_free(fault);
    return false;
}

static bool open_folder(struct folder *folder, const char *data, GError **error)
{
    folder->lock = leftover_new_folder(g_get_tmp_dir(), PREFIX, &folder->path);
    if (folder->lock < 0)
        return error_set_code(error, ERROR_RUN, "%s: a folder cannot be made there",
                              g_get_tmp_dir());
    return write_text(folder, "data.lua", data, error);
}

static void close_folder(struct folder *folder)
{
    if (folder->path != NULL)
        leftover_drop(folder->path, folder->lock);
    g_free(folder->path);
}

/* What is wrong with the tables, without the line of twins.lua or its like that says it. Takes `fault`. */
static void set_without_place(GError **error, GError *fault)
{
    const char *message = fault->message, *at = strstr(message, "calibration/parts/");
    if (at != NULL && (at = strstr(at, ".lua:")) != NULL) {
        at += strlen(".lua:");
        at += strspn(at, "0123456789");
        if (g_str_has_prefix(at, ": "))
            message = at + 2;
    }
    error_set_code(error, (enum error_code)fault->code, "%s", message);
    g_error_free(fault);
}

/* --- the machine as it is given ------------------------------------------------------------------ */

/* What the tables tell by themselves: FACT_COLUMNS texts each; of one parameter the last counts. */
static GPtrArray *read_facts(const struct folder *folder, GError **error)
{
    GError *fault = NULL;
    g_autofree char *path = g_build_filename(folder->path, "facts.lua", NULL);
    if (!write_text(folder, "facts.lua",
                    "return require(\"" PARTS "facts\").facts(require(\"" PARTS
                    "texts\")(require \"data\"))\n",
                    error))
        return NULL;
    GPtrArray *facts = script_records(path, FACT_COLUMNS, &fault);
    if (facts == NULL)
        set_without_place(error, fault);
    return facts;
}

/* Facts as overrides, before the user's own, which count. The caller frees the list. */
static char **overrides_of(const struct calibrate_request *request, const GPtrArray *facts)
{
    g_autoptr(GStrvBuilder) list = g_strv_builder_new();
    for (guint i = 0; i < facts->len; i++) {
        char *const *fact = g_ptr_array_index(facts, i);
        g_autofree char *override = g_strconcat(fact[FACT_PATH], "=", fact[FACT_VALUE], NULL);
        g_strv_builder_add(list, override);
    }
    for (const char *const *fixed = request->fixed; fixed && *fixed; fixed++)
        g_strv_builder_add(list, *fixed);
    return g_strv_builder_end(list);
}

static bool is_fixed(const char *const *fixed, const char *path)
{
    size_t length = strlen(path);
    for (; fixed && *fixed; fixed++)
        if (strncmp(*fixed, path, length) == 0 && (*fixed)[length] == '=')
            return true;
    return false;
}

/* What the tables tell is measured, and not of the command line. */
static void note_facts(struct machine *machine, const struct calibrate_request *request,
                       const GPtrArray *facts)
{
    for (guint i = 0; i < facts->len; i++) {
        char *const *fact = g_ptr_array_index(facts, i);
        struct provenance *entry = machine_find(machine, fact[FACT_PATH]);
        if (entry == NULL || is_fixed(request->fixed, entry->path))
            continue;
        entry->kind = SOURCE_MEASURED;
        g_free(entry->source);
        entry->source = g_strdup(fact[FACT_SOURCE]);
    }
}

/* The machine with facts and the user's overrides, which is also written for the studies. */
static struct machine *load(struct folder *folder, const struct calibrate_request *request,
                            const char *path, const GPtrArray *facts, const char *const *overrides,
                            GError **error)
{
    struct machine *machine = machine_load(path, overrides, error);
    if (machine == NULL)
        return NULL;
    note_facts(machine, request, facts);
    g_autofree char *text = search_machine_text(machine, "as it is given", error);
    folder->is_single = machine->spec.nodes < 2;
    if (text && write_text(folder, "machine.lua", text, error))
        return machine;
    machine_free(machine);
    return NULL;
}

/* What twins.lua makes of `call` on the folder's machine; services of queues are of two nodes at least. */
static struct variants *open_study(const struct folder *folder, const char *name, const char *call,
                                   const struct calibrate_request *request, GError **error)
{
    g_autofree char *lua = g_strdup_printf(
        "local machine_given, twins = require \"machine\"%s, require \"" PARTS "twins\"\n"
        "return twins.%s\n",
        folder->is_single ? " { nodes = 2 }" : "", call);
    g_autofree char *path = g_build_filename(folder->path, name, NULL);
    if (!write_text(folder, name, lua, error))
        return NULL;
    GError *fault = NULL;
    struct study *study = study_load(path, NULL, &fault);
    if (study != NULL)
        return variants_new(study, &request->options);
    set_without_place(error, fault);
    return NULL;
}

/* --- the command --------------------------------------------------------------------------------- */

/* What views/calibrate/machine.lua answers for. */
struct machine_given {
    const struct folder *folder;
    const struct calibrate_request *request;
    struct machine *machine;
    struct variants *study, *catalogue; /* the catalogue is opened when it is asked for */
};

static int open_catalogue(lua_State *L)
{
    struct machine_given *given = lua_touserdata(L, lua_upvalueindex(1));
    GError *error = NULL;
    given->catalogue = open_study(given->folder, "catalogue.lua", "catalogue(machine_given)",
                                  given->request, &error);
    if (!given->catalogue)
        return views_raise(L, error);
    vary_lua_push_variants(L, given->catalogue);
    return 1;
}

static int push_given(lua_State *L, void *context)
{
    struct machine_given *given = context;
    const struct calibrate_request *request = given->request;
    g_auto(GStrv) names = g_new0(char *, (gsize)request->count + 1);
    for (int i = 0; i < request->count; i++)
        names[i] = g_path_get_basename(request->data[i]);
    lua_newtable(L);
    vary_lua_push_machine(L, given->machine);
    lua_setfield(L, -2, "machine");
    vary_lua_push_variants(L, given->study);
    lua_setfield(L, -2, "variants");
    lua_pushlightuserdata(L, given);
    lua_pushcclosure(L, open_catalogue, 1);
    lua_setfield(L, -2, "open_catalogue");
    vary_lua_push_texts(L, names);
    lua_setfield(L, -2, "data");
    vary_lua_push_texts(L, (char *const *)(gsize)request->fixed);
    lua_setfield(L, -2, "fixed");
    lua_pushinteger(L, (lua_Integer)request->folds);
    lua_setfield(L, -2, "folds");
    lua_pushboolean(L, request->keep);
    lua_setfield(L, -2, "keep");
    return 1;
}

/* Where the outputs go, before anything is run. */
static bool prepare(const struct calibrate_request *request, const struct output_rules *rules,
                    GError **error)
{
    return (!request->output || output_prepare_file(request->output, rules, error)) &&
           (!request->rows || output_prepare_file(request->rows, rules, error));
}

/* Searches, shows and writes. */
static bool answer(struct machine_given *given, const struct output_rules *rules, GError **error)
{
    const struct calibrate_request *request = given->request;
    g_auto(GStrv) texts =
        views_call("calibrate/machine", "answer", push_given, given, g_variant_new("()"), error);
    return texts &&
           (!request->rows ||
            output_write(request->rows, texts[0], strlen(texts[0]), rules, error)) &&
           (!request->output ||
            output_write(request->output, texts[1], strlen(texts[1]), rules, error));
}

static int by_name(gconstpointer one, gconstpointer other)
{
    return strcmp(*(const char *const *)one, *(const char *const *)other);
}

/* The tables of a folder, by name. */
static bool add_tables(GPtrArray *files, const char *folder, GError **error)
{
    guint before = files->len;
    GDir *dir = g_dir_open(folder, 0, NULL);
    for (const char *name; dir && (name = g_dir_read_name(dir)) != NULL;)
        if (g_str_has_suffix(name, ".tsv"))
            g_ptr_array_add(files, g_build_filename(folder, name, NULL));
    if (dir)
        g_dir_close(dir);
    if (files->len == before)
        return error_set(error, "%s: has no table (*.tsv) that can be read", folder);
    qsort(&files->pdata[before], files->len - before, sizeof(char *), by_name);
    return true;
}

/* Paths of the data, of folders their tables. */
static bool list_data(GPtrArray *files, const struct calibrate_request *request, GError **error)
{
    for (int i = 0; i < request->count; i++) {
        if (!g_file_test(request->data[i], G_FILE_TEST_IS_DIR))
            g_ptr_array_add(files, g_strdup(request->data[i]));
        else if (!add_tables(files, request->data[i], error))
            return false;
    }
    return true;
}

/* Appends the file as an entry of a Lua list (views/calibrate/data.lua). */
static bool append_file(GString *data, const char *path, GError **error)
{
    g_autofree char *text = text_file_read(path, &measured_file, NULL, error);
    g_auto(GStrv) entry =
        text ? views_texts("calibrate/data", "entry", g_variant_new("(^ay^ay)", path, text), error)
             : NULL;
    if (entry)
        g_string_append(data, entry[0]);
    return entry != NULL;
}

/* The files as a Lua list; NULL and an error if one of them cannot be read. */
static GString *read_data(const GPtrArray *files, GError **error)
{
    GString *data = g_string_new("return {\n");
    for (guint i = 0; i < files->len; i++)
        if (!append_file(data, g_ptr_array_index(files, i), error)) {
            g_string_free(data, TRUE);
            return NULL;
        }
    return g_string_append(data, "}\n");
}

/* Reads the data, and answers for the machine at `path`. */
static bool calibrate(const struct calibrate_request *request, const char *path,
                      const GPtrArray *files, const struct output_rules *rules, GError **error)
{
    struct folder folder = {.lock = -1};
    struct calibrate_request with_facts = *request;
    struct machine_given given = {.folder = &folder, .request = &with_facts};
    g_autoptr(GPtrArray) facts = NULL;
    g_auto(GStrv) set = NULL; /* none of these is searched for */
    GString *data = read_data(files, error);
    if (data != NULL && open_folder(&folder, data->str, error))
        facts = read_facts(&folder, error);
    if (facts != NULL) {
        set = overrides_of(request, facts);
        with_facts.fixed = (const char *const *)set;
        given.machine = load(&folder, request, path, facts, with_facts.fixed, error);
    }
    if (given.machine != NULL)
        given.study = open_study(&folder, "study.lua", "study(machine_given, require \"data\")",
                                 &with_facts, error);
    bool good = given.study != NULL && answer(&given, rules, error);
    if (data != NULL)
        g_string_free(data, TRUE);
    variants_free(given.catalogue);
    variants_free(given.study);
    machine_free(given.machine);
    close_folder(&folder);
    return good;
}

bool calibrate_machine(const struct calibrate_request *request, GError **error)
{
    g_autoptr(GPtrArray) files = g_ptr_array_new_with_free_func(g_free);
    g_autofree char *machine_path = home_file(request->machine, HOME_MACHINE, error);
    if (!machine_path || !list_data(files, request, error))
        return false;
    g_autoptr(GPtrArray) inputs = g_ptr_array_new();
    g_ptr_array_add(inputs, machine_path);
    for (guint i = 0; i < files->len; i++)
        g_ptr_array_add(inputs, files->pdata[i]);
    g_ptr_array_add(inputs, NULL);
    g_autoptr(GPtrArray) planned = g_ptr_array_new_with_free_func(g_free);
    const struct output_rules rules = {
        .force = request->force, .inputs = (const char *const *)inputs->pdata, .planned = planned};
    return prepare(request, &rules, error) &&
           calibrate(request, machine_path, files, &rules, error);
}
