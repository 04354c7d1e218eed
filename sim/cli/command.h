/* What the subcommands share: their form, exit codes, errors and options. */
#ifndef GPUNETSIM_CLI_COMMAND_H
#define GPUNETSIM_CLI_COMMAND_H

#include <glib.h>
#include <stdbool.h>

enum exit_code {
    EXIT_CODE_OK = 0,
    EXIT_CODE_FAILED = 1,        /* it was right to ask, but it went wrong */
    EXIT_CODE_USE = 2,           /* bad use: options, files, scripts */
    EXIT_CODE_INTERRUPTED = 130, /* as shells report SIGINT */
};

struct command {
    const char *name;
    const char *arguments; /* "FILE.lua" */
    const char *description;
    int (*run)(const struct command *command, int argc, char **argv); /* gives an exit code */
};

int cmd_run(const struct command *command, int argc, char **argv);
int cmd_sweep(const struct command *command, int argc, char **argv);
int cmd_plot(const struct command *command, int argc, char **argv);
int cmd_status(const struct command *command, int argc, char **argv);
int cmd_merge(const struct command *command, int argc, char **argv);
int cmd_diff(const struct command *command, int argc, char **argv);
int cmd_reproduce(const struct command *command, int argc, char **argv);
int cmd_list(const struct command *command, int argc, char **argv);
int cmd_help(const struct command *command, int argc, char **argv);
int cmd_check(const struct command *command, int argc, char **argv);
int cmd_params(const struct command *command, int argc, char **argv);
int cmd_topo(const struct command *command, int argc, char **argv);
int cmd_osu(const struct command *command, int argc, char **argv);
int cmd_goal(const struct command *command, int argc, char **argv);
int cmd_export(const struct command *command, int argc, char **argv);
int cmd_version(const struct command *command, int argc, char **argv);

/* Takes the options in `entries` (NULL: none) out of argc and argv, and `--help`, which ends the
 * program. Then argv[1] onwards are the arguments, and there must be `least` to `most` of them.
 * False and one sentence otherwise. */
bool command_parse(const struct command *command, int *argc, char ***argv,
                   const GOptionEntry *entries, int least, int most, GError **error);

/* Prints `gpunetsim: ` and a sentence on standard error, without control characters. */
void command_tell(const char *format, ...) G_GNUC_PRINTF(1, 2);

/* Prints `gpunetsim: ` and the error's sentence on standard error, frees it and gives its exit
 * code. */
int command_fail(GError *error);

/* Sets a bad use that is nobody else's: returns false. */
bool command_misuse(GError **error, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* Reads the project's named designs (script/designs.h): first of all. */
bool command_load_designs(GError **error);

/* The file of a machine that is given as a path or as a name in configs/ ("gcn3_node"). The caller
 * frees it with g_free. */
char *command_machine_path(const char *name);

#endif
