/* SPDX-License-Identifier: BSD-3-Clause */
/* gpunetsim: finds the subcommand and hands over to it. */
#include <locale.h>
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/help_word.h"
#include "core/error.h"
#include "core/param.h"
#include "script/views/terminal.h"
#include "study/system/interrupt.h"
#include "study/system/standard_streams.h"

#define COMMAND_ROW(name, arguments, description) {#name, arguments, description, cmd_##name},
static const struct command commands[] = {COMMANDS(COMMAND_ROW)};
#undef COMMAND_ROW

/* Narrow enough for a man page of 80 columns, which indents the text by 7. */
#define USAGE_COLUMNS 73
#define USAGE_INDENT 6

static void print_usage(void)
{
    puts("gpunetsim simulates how GPUs are networked.\n\nUsage:");
    for (size_t i = 0; i < G_N_ELEMENTS(commands); i++) {
        g_autoptr(GString) description = g_string_new(NULL);
        terminal_wrap(description, commands[i].description, USAGE_COLUMNS - USAGE_INDENT);
        g_auto(GStrv) lines = g_strsplit(g_strchomp(description->str), "\n", -1);
        printf("  gpunetsim %s%s%s\n", command_name(commands[i].name),
               *commands[i].arguments ? " " : "", commands[i].arguments);
        for (size_t line = 0; lines[line]; line++)
            printf("%*s%s\n", USAGE_INDENT, "", g_strchug(lines[line]));
    }
    puts("\ngpunetsim COMMAND --help lists the command's options.");
}

static const struct command *find_command(const char *name)
{
    for (size_t i = 0; i < G_N_ELEMENTS(commands); i++) {
        if (strcmp(command_name(commands[i].name), name) == 0)
            return &commands[i];
    }
    return NULL;
}

static int unknown_command(const char *name)
{
    const char *names[G_N_ELEMENTS(commands)];
    for (size_t i = 0; i < G_N_ELEMENTS(commands); i++)
        names[i] = command_name(commands[i].name);
    const char *nearest = param_nearest(name, names, G_N_ELEMENTS(names));
    GError *error = NULL;
    error_set(&error,
              "there is no command \"%s\"%s%s%s \"gpunetsim help\" lists them all, \"gpunetsim "
              "list\" machines, designs, workloads and measures",
              name, nearest ? "; did you mean \"" : "", nearest ? nearest : "",
              nearest ? "\"?" : ";");
    return command_fail(error);
}

/* `help run` is `run --help`. */
static int help_on_command(const struct command *command)
{
    char name[] = "gpunetsim", option[] = "--help";
    char *arguments[] = {name, option, NULL};
    return command->run(command, 2, arguments);
}

static int run_command(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "help";
    if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0)
        name = "version";
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 ||
        (strcmp(name, "help") == 0 && argc <= 2)) {
        print_usage();
        return argc > 1 ? EXIT_CODE_OK : EXIT_CODE_USE;
    }
    const struct command *command = find_command(name);
    if (!command)
        return unknown_command(name);
    if (strcmp(name, "help") == 0 && argc == 3 && find_command(argv[2])) {
        g_autofree char *word = help_word(argv[2]);
        if (word)
            printf("%s, in a study: %s\n\nThe command:\n", argv[2], word);
        return help_on_command(find_command(argv[2]));
    }
    argv[1] = argv[0];
    return command->run(command, argc - 1, argv + 1);
}

int main(int argc, char **argv)
{
    GError *error = NULL;
    setlocale(LC_CTYPE, "C.UTF-8"); /* GLib's help has an ellipsis */
    standard_streams_take();
    interrupt_install();
    if (!command_load_designs(&error))
        return command_fail(error);
    return standard_streams_close(run_command(argc, argv));
}
