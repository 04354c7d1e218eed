/* SPDX-License-Identifier: BSD-3-Clause */
/* What the subcommands share: their form, exit codes, errors and options. */
#pragma once

#include <glib.h>
#include <stdbool.h>

#include "study/table/table.h"

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
    int (*run)(const struct command *command, int argc, char **argv); /* returns the exit code */
};

/* How a command is typed: "lua-types" for lua_types. The text stays. */
const char *command_name(const char *identifier);

/* All commands, with their arguments and what they do, in the order of the help. A new command is a file with its
 * function cmd_NAME, and its line here. */
#define COMMANDS(COMMAND)                                                                            \
    COMMAND(run, "FILE.lua",                                                                         \
            "Runs a study: prints a table, writes results.csv and draws its figures.")               \
    COMMAND(sweep, "FILE.lua",                                                                       \
            "Runs a study into a store, as run --only-store: resumable, in shares, on many "         \
            "machines.")                                                                             \
    COMMAND(explain, "FILE.lua",                                                                     \
            "Shows where the time of a study's points goes, stage by stage, and why.")               \
    COMMAND(trace, "FILE.lua", "Writes a timeline of a study's points for Perfetto or Chrome.")      \
    COMMAND(                                                                                         \
        sensitivity, "FILE.lua",                                                                     \
        "Shows what a measure depends on: changes every parameter by itself, or all together.")      \
    COMMAND(solve, "FILE.lua", "Searches for parameter values that bring a measure to a target.")    \
    COMMAND(plot, "FILE.lua", "Draws a study's figures from a store, running nothing.")              \
    COMMAND(status, "STORE.db", "Shows how far the studies in a store are.")                         \
    COMMAND(merge, "STORE.db...", "Merges stores, or saves what is left of a damaged one.")          \
    COMMAND(diff, "A.db B.db", "Compares the results in two stores.")                                \
    COMMAND(reproduce, "", "Runs every scenario, checks the papers' claims and writes a report.")    \
    COMMAND(calibrate, "STUDY.lua | MACHINE DATA...",                                                \
            "Fits a machine's values to measurements, and shows how well they are "                  \
            "determined: fitted values to a study's targets, or all values with a range to "         \
            "tables of micro-benchmarks.")                                                           \
    COMMAND(new, "study|sweep|program|design|machine NAME",                                          \
            "Writes a commented file to start from, which runs as it is.")                           \
    COMMAND(list, "[KIND]",                                                                          \
            "Lists scenarios, machines, designs, workloads, measures or components; without "        \
            "KIND, all of them.")                                                                    \
    COMMAND(help, "[TOPIC]",                                                                         \
            "Explains a command, a design, a workload, a measure, a component or one of "            \
            "its parameters, such as nic.command_gap.")                                              \
    COMMAND(                                                                                         \
        lua_types, "",                                                                               \
        "Writes annotations with which an editor completes and checks studies and machine files.")   \
    COMMAND(check, "FILE.lua", "Reads a study or a machine file without running it.")                \
    COMMAND(params, "MACHINE",                                                                       \
            "Lists a machine's numbers and where each comes from; with --point, the estimated "      \
            "values on which a study's result depends.")                                             \
    COMMAND(topo, "MACHINE", "Draws a machine's ports, switches and links as text.")                 \
    COMMAND(osu, "latency|bw|bibw|mbw_mr",                                                           \
            "Prints an OSU micro-benchmark of a runtime on a machine.")                              \
    COMMAND(collective, "all_reduce|all_gather|reduce_scatter|broadcast|alltoall",                   \
            "Prints what NCCL's collectives take on a machine, as nccl-tests does.")                 \
    COMMAND(goal, "TRACE",                                                                           \
            "Runs a GOAL schedule, Chakra traces or a pattern, on LogGOPS or on a machine.")         \
    COMMAND(derive, "MACHINE DESIGN",                                                                \
            "Makes a coarse model of a design from detailed runs, for goal --model.")                \
    COMMAND(trace_info, "TRACE.et", "Tells what is in Chakra traces, and whether they can run.")     \
    COMMAND(                                                                                         \
        export, "goal|goal-binary|program PATTERN|TRACE",                                            \
        "Writes a pattern, a schedule or Chakra traces as GOAL, text or binary, or as a study.")     \
    COMMAND(import, "topology FILE.xml",                                                             \
            "Writes a machine file from topology XML of NCCL, RCCL or hwloc.")                       \
    COMMAND(                                                                                         \
        doctor, "",                                                                                  \
        "Checks whether everything that the program needs is installed: gnuplot, fonts, disk, MPI.") \
    COMMAND(version, "", "Prints what this program is built from.")

#define COMMAND_DECLARED(name, arguments, description)                                             \
    int cmd_##name(const struct command *command, int argc, char **argv);
COMMANDS(COMMAND_DECLARED)
#undef COMMAND_DECLARED

/* Takes the options in `entries` (NULL: none) out of argc and argv, and `--help`, which ends the
 * program. Then argv[1] onwards are the arguments, and there must be `least` to `most` of them.
 * False and one sentence otherwise. Texts and lists that options give stay until the program ends. */
bool command_parse(const struct command *command, int *argc, char ***argv,
                   const GOptionEntry *entries, int least, int most, GError **error);

/* The option --json, and a table printed as text or, with it, as JSON. */
#define COMMAND_JSON(is_wanted)                                                                    \
    {                                                                                              \
        "json", 0, 0, G_OPTION_ARG_NONE, is_wanted, "Print JSON instead of text", NULL             \
    }
void command_print_table(const struct table *table, bool as_json);

/* The option -s of what takes a machine; `overrides` is a char **. */
#define COMMAND_SET(overrides)                                                                     \
    {                                                                                              \
        "set", 's', 0, G_OPTION_ARG_STRING_ARRAY, overrides, "Change a parameter of the machine",  \
            "COMPONENT.PARAMETER=VALUE"                                                            \
    }

/* The options -o and --force of what writes one file; `path` is a char *, `force` a gboolean. */
#define COMMAND_OUTPUT(path, force)                                                                \
    {                                                                                              \
        "output", 'o', 0, G_OPTION_ARG_FILENAME, path, "Write to FILE (- is standard output)",     \
        "FILE"},                                                                                   \
    {                                                                                              \
        "force", 0, 0, G_OPTION_ARG_NONE, force, "Replace a file that gpunetsim did not write",    \
            NULL                                                                                   \
    }

/* The option --trace of what takes Chakra traces; `options` is a char *. */
#define COMMAND_TRACE(options)                                                                     \
    {                                                                                              \
        "trace", 0, 0, G_OPTION_ARG_STRING, options,                                               \
            "Of Chakra traces: groups=FILE, compute=duration|roofline, flops=N, memory=N (a "      \
            "GPU's, per second), all_reduce=ring|doubling, control=ignore|wait, dims=NxN, "        \
            "ranks=N",                                                                             \
            "KEY=VALUE,..."                                                                        \
    }

/* Prints `gpunetsim: ` and a sentence on standard error, without control characters. */
void command_tell(const char *format, ...) G_GNUC_PRINTF(1, 2);

/* Prints `gpunetsim: ` and the error's sentence on standard error, frees it and gives its exit
 * code. */
int command_fail(GError *error);

/* Reads the project's named designs (script/machine/designs.h): first of all. */
bool command_load_designs(GError **error);
