/* SPDX-License-Identifier: BSD-3-Clause */
/* gpunetsim list [scenarios|machines|designs|workloads|measures|components]: views/list.lua writes it. */
#include <inttypes.h>
#include <lauxlib.h>
#include <stdio.h>

#include "cli/catalogue.h"
#include "cli/command.h"
#include "core/home.h"
#include "script/script.h"
#include "script/views/views.h"
#include "study/model/machine.h"

/* Adds { name, sentence } to the list on top. */
static void add(lua_State *L, const char *name, const char *sentence)
{
    lua_createtable(L, 2, 0);
    lua_pushstring(L, name);
    lua_seti(L, -2, 1);
    lua_pushstring(L, sentence);
    lua_seti(L, -2, 2);
    lua_seti(L, -2, (lua_Integer)lua_rawlen(L, -2) + 1);
}

/* machines(): those of the files in configs/ that describe one. */
static int list_machines(lua_State *L)
{
    GError *error = NULL;
    g_autoptr(GPtrArray) names = home_machine_names(&error);
    if (!names)
        return views_raise(L, error);
    lua_newtable(L);
    for (guint i = 0; i < names->len; i++) {
        g_autofree char *path = home_file(g_ptr_array_index(names, i), HOME_MACHINE, NULL);
        struct machine *machine = path ? machine_load(path, NULL, NULL) : NULL;
        if (!machine)
            continue;
        g_autofree char *text =
            g_strdup_printf("%s, %" PRId64 " node%s", machine->name, machine->spec.nodes,
                            machine->spec.nodes == 1 ? "" : "s");
        add(L, g_ptr_array_index(names, i), text);
        machine_free(machine);
    }
    return 1;
}

/* scenarios(): an error if one of them is no good study. */
static int list_scenarios(lua_State *L)
{
    GError *error = NULL;
    GPtrArray *paths = home_scenarios(&error);
    lua_newtable(L);
    for (guint i = 0; paths && !error && i < paths->len; i++) {
        struct study *study = study_load(g_ptr_array_index(paths, i), NULL, &error);
        if (study)
            add(L, study->name, study->title);
        study_free(study);
    }
    g_clear_pointer(&paths, g_ptr_array_unref);
    return error ? views_raise(L, error) : 1;
}

static int push(lua_State *L, void *context)
{
    int count = catalogue_push(L, context);
    lua_pushcfunction(L, list_machines);
    lua_setfield(L, -2, "machines");
    lua_pushcfunction(L, list_scenarios);
    lua_setfield(L, -2, "scenarios");
    return count;
}

int cmd_list(const struct command *command, int argc, char **argv)
{
    GError *error = NULL;
    gboolean as_json = FALSE;
    const GOptionEntry entries[] = {COMMAND_JSON(&as_json), {0}};
    if (!command_parse(command, &argc, &argv, entries, 0, 1, &error))
        return command_fail(error);
    g_auto(GStrv) texts =
        argc > 1 ? views_call("list", "one", push, NULL, g_variant_new("(^ayb)", argv[1], as_json),
                              &error)
                 : views_call("list", "all", push, NULL, g_variant_new("(b)", as_json), &error);
    if (!texts)
        return command_fail(error);
    fputs(texts[0], stdout);
    return EXIT_CODE_OK;
}
