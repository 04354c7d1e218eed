/* gpunetsim: finds the subcommand and hands over to it. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "core/param.h"
#include "study/interrupt.h"

static const struct command commands[] = {
    {"run", "FILE.lua", "Runs a study: prints a table, writes results.csv and draws its figures.",
     cmd_run},
    {"sweep", "FILE.lua", "Runs a study into a store: resumable, in shares, on many machines.",
     cmd_sweep},
    {"plot", "FILE.lua", "Draws a study's figures from a store, running nothing.", cmd_plot},
    {"status", "STORE.db", "Tells how far the studies in a store are.", cmd_status},
    {"merge", "STORE.db...", "Puts stores together, or saves what a damaged one still has.",
     cmd_merge},
    {"diff", "A.db B.db", "Compares the results in two stores.", cmd_diff},
    {"reproduce", "", "Runs every scenario, answers the papers' claims and writes a report.",
     cmd_reproduce},
    {"list", "[scenarios|designs|workloads|components]",
     "Lists scenarios, designs, workloads and components.", cmd_list},
    {"help", "[COMMAND | DESIGN | COMPONENT[.PARAMETER]]",
     "Tells about a command, a design, a component or a workload.", cmd_help},
    {"check", "FILE.lua", "Reads a study or a machine file without running it.", cmd_check},
    {"params", "MACHINE", "Lists a machine's numbers and where each comes from.", cmd_params},
    {"topo", "MACHINE", "Draws a machine's ports, switches and links as text.", cmd_topo},
    {"osu", "latency|bw|bibw|mbw_mr", "Prints an OSU micro-benchmark of a runtime on a machine.",
     cmd_osu},
    {"goal", "TRACE.goal", "Runs a GOAL schedule or a pattern, on LogGOPS or on a machine.",
     cmd_goal},
    {"export", "goal PATTERN|TRACE.goal", "Writes a pattern or a schedule as GOAL text.",
     cmd_export},
    {"version", "", "Prints what this program is built from.", cmd_version},
};

static void print_usage(void)
{
    puts("gpunetsim simulates the ways in which GPUs are networked.\n\nUsage:");
    for (size_t i = 0; i < G_N_ELEMENTS(commands); i++) {
        g_autofree char *call = g_strjoin(" ", commands[i].name, commands[i].arguments, NULL);
        printf("  gpunetsim %-50s %s\n", call, commands[i].description);
    }
    puts("\ngpunetsim COMMAND --help lists the command's options.");
}

static const struct command *find_command(const char *name)
{
    for (size_t i = 0; i < G_N_ELEMENTS(commands); i++) {
        if (strcmp(commands[i].name, name) == 0)
            return &commands[i];
    }
    return NULL;
}

static int unknown_command(const char *name)
{
    const char *names[G_N_ELEMENTS(commands)];
    for (size_t i = 0; i < G_N_ELEMENTS(commands); i++)
        names[i] = commands[i].name;
    const char *nearest = param_nearest(name, names, G_N_ELEMENTS(names));
    GError *error = NULL;
    command_misuse(&error, "there is no command \"%s\"%s%s; \"gpunetsim help\" lists them all",
                   name, nearest ? ": did you mean " : "", nearest ? nearest : "");
    return command_fail(error);
}

/* `help run` is `run --help`. */
static int help_on_command(const struct command *command)
{
    char name[] = "gpunetsim", option[] = "--help";
    char *arguments[] = {name, option, NULL};
    return command->run(command, 2, arguments);
}

/* What was printed has perhaps not arrived: a full disk shows when the buffer is emptied. */
static int close_output(int code)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return code;
    fprintf(stderr, "gpunetsim: cannot write standard output: %s\n", g_strerror(errno));
    return code == EXIT_CODE_OK ? EXIT_CODE_FAILED : code;
}

static int run_command(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "help";
    if (strcmp(name, "--version") == 0)
        name = "version";
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 ||
        (strcmp(name, "help") == 0 && argc <= 2)) {
        print_usage();
        return argc > 1 ? EXIT_CODE_OK : EXIT_CODE_USE;
    }
    const struct command *command = find_command(name);
    if (!command)
        return unknown_command(name);
    if (strcmp(name, "help") == 0 && find_command(argv[2]))
        return help_on_command(find_command(argv[2]));
    argv[1] = argv[0];
    return command->run(command, argc - 1, argv + 1);
}

int main(int argc, char **argv)
{
    GError *error = NULL;
    interrupt_install();
    if (!command_load_designs(&error))
        return command_fail(error);
    return close_output(run_command(argc, argv));
}
