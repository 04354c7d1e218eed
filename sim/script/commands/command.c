/* SPDX-License-Identifier: BSD-3-Clause */
/* The common part of all subcommands. */
#include "script/commands/command.h"

#include <stdio.h>
#include <string.h>

#include "core/error.h"
#include "core/home.h"
#include "core/param.h"
#include "core/shown.h"
#include "script/machine/designs.h"
#include "study/system/ending.h"
#include "study/system/interrupt.h"
#include "workloads/workloads.h"

/* Keeps what the command line gave until the end of the program, where it can be found. */
static void keep(gpointer given)
{
    static GPtrArray *kept;
    kept = kept ? kept : g_ptr_array_new();
    g_ptr_array_add(kept, given);
}

static void keep_texts(const GOptionEntry *entries)
{
    for (; entries && entries->long_name; entries++) {
        bool is_list = entries->arg == G_OPTION_ARG_STRING_ARRAY ||
                       entries->arg == G_OPTION_ARG_FILENAME_ARRAY;
        if (is_list || entries->arg == G_OPTION_ARG_STRING || entries->arg == G_OPTION_ARG_FILENAME)
            keep(*(gpointer *)entries->arg_data);
    }
}

static bool takes_value(const GOptionEntry *entries, char name)
{
    for (; entries && entries->long_name; entries++)
        if (entries->short_name == name)
            return entries->arg != G_OPTION_ARG_NONE;
    return false;
}

/* "-j2" is "-j 2", as elsewhere; GLib takes the second alone. */
static void part_short_options(const GOptionEntry *entries, int *argc, char ***argv)
{
    char **parted = g_new0(char *, 2 * (gsize)*argc + 1); /* GLib moves what it leaves */
    int count = 0;
    bool is_over = false;
    for (int i = 0; i < *argc; i++) {
        char *word = (*argv)[i];
        is_over = is_over || strcmp(word, "--") == 0;
        bool is_two = i > 0 && !is_over && word[0] == '-' && word[1] != '-' && strlen(word) > 2 &&
                      takes_value(entries, word[1]);
        if (is_two)
            parted[count++] = (char *)(gsize)g_intern_string((char[]){'-', word[1], '\0'});
        parted[count++] = is_two ? word + 2 : word;
    }
    keep(parted);
    *argc = count;
    *argv = parted;
}

static const char *last_word(const char *sentence)
{
    const char *space = strrchr(sentence, ' ');
    return space ? space + 1 : sentence;
}

/* Names the option that was meant by one that there is none of, or says where they stand. */
static void suggest_option(const GOptionEntry *entries, char *const *words, GError **error)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new();
    const char *nearest = NULL, *wrong = NULL;
    for (; entries && entries->long_name; entries++)
        g_ptr_array_add(names, (gpointer)(gsize)entries->long_name);
    for (; *words && !nearest; words++) {
        g_autofree char *name =
            g_str_has_prefix(*words, "--") ? g_strndup(*words + 2, strcspn(*words + 2, "=")) : NULL;
        if (!name || !g_str_has_suffix((*error)->message, *words))
            continue;
        wrong = *words;
        nearest = param_nearest(name, (const char *const *)names->pdata, names->len);
    }
    g_autofree char *option = g_strdup(wrong ? wrong : last_word((*error)->message));
    g_clear_error(error);
    if (nearest)
        error_set(error, "unknown option %s; did you mean --%s?", option, nearest);
    else
        error_set(error, "unknown option %s; \"%s --help\" lists those there are", option,
                  g_get_prgname());
}

bool command_parse(const struct command *command, int *argc, char ***argv,
                   const GOptionEntry *entries, int least, int most, GError **error)
{
    g_autofree char *program = strcmp(command->name, "gpunetsim-mpi") == 0
                                   ? g_strdup(command->name)
                                   : g_strdup_printf("gpunetsim %s", command->name);
    g_autoptr(GOptionContext) context = g_option_context_new(command->arguments);
    g_option_context_set_summary(context, command->description);
    if (entries)
        g_option_context_add_main_entries(context, entries, NULL);
    g_set_prgname(program);
    part_short_options(entries, argc, argv);
    g_autofree char **words = g_memdup2(*argv, ((gsize)*argc + 1) * sizeof **argv);
    g_autoptr(GError) cause = NULL;
    bool is_parsed = g_option_context_parse(context, argc, argv, &cause);
    keep_texts(entries);
    if (!is_parsed) {
        if (g_error_matches(cause, G_OPTION_ERROR, G_OPTION_ERROR_UNKNOWN_OPTION))
            suggest_option(entries, words, &cause);
        g_propagate_error(error, g_steal_pointer(&cause));
        return false;
    }
    if (*argc - 1 >= least && *argc - 1 <= most)
        return true;
    return error_set(error, "%s takes %s, but was given %d arguments", command->name,
                     most ? command->arguments : "no arguments", *argc - 1);
}

void command_tell(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    g_autofree char *sentence = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    shown_print(stderr, "gpunetsim: %s\n", sentence);
}

static int exit_code(const GError *error)
{
    if (error->domain == G_OPTION_ERROR)
        return EXIT_CODE_USE;
    if (error->domain != ERROR_DOMAIN)
        return EXIT_CODE_FAILED;
    if (error->code == ERROR_USE)
        return EXIT_CODE_USE;
    return error->code == ERROR_INTERRUPTED ? EXIT_CODE_INTERRUPTED : EXIT_CODE_FAILED;
}

int command_fail(GError *error)
{
    /* What goes wrong after Ctrl-C, as when it ends gnuplot, goes wrong because of it. */
    if (interrupt_pending(NULL)) {
        g_clear_error(&error);
        interrupt_pending(&error);
        ending_told();
    }
    int code = exit_code(error);
    g_autofree char *sentence = error_sentence(error->message); /* a report may have lines */
    g_autofree char *line = shown_text(sentence);
    command_tell("%s", code == EXIT_CODE_USE ? line : sentence);
    g_error_free(error);
    return code;
}

bool command_load_designs(GError **error)
{
    g_autofree char *path = home_path("configs/designs.lua", NULL);
    g_autofree char *files = home_path("benchmarks/parts/workloads", NULL);
    bool good = path == NULL || designs_load(path, error);
    return good && (files == NULL || workloads_load(error));
}
