/* SPDX-License-Identifier: BSD-3-Clause */
/* `require`: where it looks, what it refuses, circles, and that each file has globals of its own.
 */
#include "scratch.h"
#include "script/machine/folders.h"
#include "script/script.h"

/* The folder "project" holds configs/, so it ends the way upwards from project/scenarios/deep. */
static void write_project(void)
{
    static const char *const files[][2] = {
        {"project/configs/node.lua", "return machine { name = 'node', nodes = 3 }"},
        {"project/configs/plain.lua", "return 'plain'"},
        {"project/configs/globals.lua",
         "hidden_number = 5\nreturn { hidden_number = hidden_number }"},
        {"project/configs/empty.lua", "local x = 1"},
        {"project/configs/broken.lua", "local x =\n= 1"},
        {"project/configs/fails.lua", "\nerror('cannot be made')"},
        {"project/configs/self.lua", "\nreturn require 'configs.self'"},
        {"project/configs/a.lua", "return require 'configs.b'"},
        {"project/configs/b.lua", "\n\nreturn require 'configs.c'"},
        {"project/configs/c.lua", "local x = 1\nreturn require 'configs.a'"},
        {"project/scenarios/deep/beside.lua", "return 'beside'"},
        {"project/scenarios/above.lua", "return 'above'"},
        {"outside.lua", "return 'outside'"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(files); i++)
        g_free(scratch_file(files[i][0], files[i][1]));
}

/* Runs a script in project/scenarios/deep. */
static void check(const char *text, const char *message)
{
    char *path = scratch_file("project/scenarios/deep/x.lua", text);
    GError *error = NULL;
    bool is_good = script_check(path, &error);
    if (is_good != !message)
        g_error("%s\n%s", text, error ? error->message : "was accepted");
    if (message)
        scratch_assert_message(error, message);
    g_free(path);
}

static void test_finds(void)
{
    check("local node = require 'configs.node'\nassert(node.name == 'node')\nreturn node", NULL);
    check("assert(require 'beside' == 'beside')\nassert(require 'above' == 'above')\n"
          "assert(require 'scenarios.above' == 'above')\nreturn machine {}",
          NULL);
    check("assert(require 'configs.globals' == require 'configs.globals')\nreturn machine {}",
          NULL);
    check("assert(require('configs.globals').hidden_number == 5)\nreturn hidden_number",
          "$/project/scenarios/deep/x.lua:2: \"hidden_number\" is not defined; gpunetsim "
          "list workloads names the workloads.");
}

#define X "$/project/scenarios/deep/x.lua:1: "
#define NOT_THERE ": there is no such file below the script's folder or the project's."
#define BAD_NAME ": a name is made of letters, digits, _ and -, with dots for folders."

static void test_refuses(void)
{
    check("require 'outside'", X "require \"outside\"" NOT_THERE);
    check("require '..outside'", X "require \"..outside\"" BAD_NAME);
    check("require '/etc/passwd'", X "require \"/etc/passwd\"" BAD_NAME);
    check("require 'configs/node'", X "require \"configs/node\"" BAD_NAME);
    check("require 'configs.'", X "require \"configs.\"" BAD_NAME);
    check("require ''", X "require \"\"" BAD_NAME);
    check("require 'configs.empty'", X "require \"configs.empty\": the file returns nothing.");
    check("require 'configs.broken'",
          "$/project/configs/broken.lua:2: unexpected symbol near '='.");
    check("require 'configs.fails'", "$/project/configs/fails.lua:2: cannot be made.");
    check("assert(not pcall(require, 'configs.fails'))\n"
          "local _, why = pcall(require, 'configs.fails')\n"
          "assert(not why:find('itself', 1, true), why)\n"
          "return machine {}",
          NULL);
}

static void test_circles(void)
{
    check("require 'configs.self'", "$/project/configs/self.lua:2: $/project/configs/self.lua "
                                    "requires itself.");
    check("require 'configs.a'",
          "$/project/configs/c.lua:2: $/project/configs/a.lua requires itself through "
          "$/project/configs/b.lua, $/project/configs/c.lua.");
}

/* Files below the working folder are shown relative to it, as a user would write them. */
static void test_relative(void)
{
    char *before = g_get_current_dir(), *project = scratch_expand("$/project");
    g_assert_cmpint(g_chdir(project), ==, 0);
    GError *error = NULL;
    g_free(scratch_file("project/scenarios/deep/x.lua", "require 'configs.a'"));
    g_assert_false(script_check("scenarios/deep/x.lua", &error));
    scratch_assert_message(error, "configs/c.lua:2: configs/a.lua requires itself through "
                                  "configs/b.lua, configs/c.lua.");
    g_assert_cmpint(g_chdir(before), ==, 0);
    g_free(before);
    g_free(project);
}

static void test_root(void)
{
    g_autofree char *inside = scratch_expand("$/project/scenarios/deep/x.lua");
    g_autoptr(GPtrArray) of_inside = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GPtrArray) of_outside = g_ptr_array_new_with_free_func(g_free);
    char *outside = scratch_expand("$/outside.lua"), *project = scratch_expand("$/project");
    folders_find(of_inside, inside);
    g_assert_cmpstr(of_inside->pdata[2], ==, project); /* behind deep and scenarios */
    char *before = g_strdup(g_getenv("GPUNETSIM_ROOT"));
    g_setenv("GPUNETSIM_ROOT", project, TRUE);
    folders_find(of_outside, outside);
    g_assert_cmpstr(of_outside->pdata[1], ==, project);
    scratch_check("error('found ' .. require 'configs.plain')", "$/x.lua:1: found plain.");
    if (before)
        g_setenv("GPUNETSIM_ROOT", before, TRUE);
    else
        g_unsetenv("GPUNETSIM_ROOT");
    g_free(before);
    g_free(outside);
    g_free(project);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    scratch_open();
    write_project();
    g_test_add_func("/require/finds", test_finds);
    g_test_add_func("/require/refuses", test_refuses);
    g_test_add_func("/require/circles", test_circles);
    g_test_add_func("/require/relative", test_relative);
    g_test_add_func("/require/root", test_root);
    int result = g_test_run();
    scratch_close();
    return result;
}
