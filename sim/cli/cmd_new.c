/* SPDX-License-Identifier: BSD-3-Clause */
/* gpunetsim new machine|study NAME: a commented file to start from. */
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "core/error.h"
#include "core/shown.h"
#include "study/table/output.h"

static const char study_text[] =
    "-- What is asked, in a sentence. Try it: gpunetsim check %s.lua, then gpunetsim run %s.lua\n"
    "\n"
    "local node = require \"configs.gcn3_node\" -- a machine: gpunetsim list machines, gpunetsim params gcn3_node\n"
    "\n"
    "return study {\n"
    "  title = \"%s\",\n"
    "  machine = node { nodes = 2 }, -- what is otherwise than in its file: node { nic = { doorbell_latency = \"50ns\" } }\n"
    "  vary = { -- each combination is a point; the last axis runs fastest\n"
    "    { \"design\", { \"dgpu\", \"apu\", \"comp-net\" } }, -- gpunetsim list designs\n"
    "    { \"bytes\", pow2(\"8B\", \"1MiB\") },\n"
    "  },\n"
    "  run = function(p) -- gpunetsim list workloads; what it returns are the measures\n"
    "    return get_latency { design = p.design, bytes = p.bytes, repeats = 20 }\n"
    "  end,\n"
    "  plot = { x = \"bytes\", y = \"latency_us\", by = \"design\", style = \"loglog\", x_label = \"Payload\" },\n"
    "}\n";

static const char machine_text[] =
    "-- A machine: what it is, and where that is written. Try it: gpunetsim check %s.lua, then gpunetsim params %s.lua\n"
    "--\n"
    "-- gpunetsim list components says what it may have, gpunetsim help nic what a component takes. What is not given\n"
    "-- keeps its default. A number with a source is published(value, source) or measured(value, source); one without is\n"
    "-- estimated(value, low, high, why), and sensitivity to it is tried within its range.\n"
    "\n"
    "return machine {\n"
    "  name = \"%s\",\n"
    "  nodes = 2,\n"
    "\n"
    "  host = {\n"
    "    cores = published(16, \"the vendor's data sheet\"),\n"
    "    clock = published(\"3GHz\", \"the vendor's data sheet\"),\n"
    "    memory_latency = estimated(\"80ns\", \"60ns\", \"110ns\", \"DDR4 behind the last level\"),\n"
    "  },\n"
    "  gpu = {\n"
    "    compute_units = published(64, \"the vendor's data sheet\"),\n"
    "    clock = published(\"1500MHz\", \"the vendor's data sheet\"),\n"
    "    memory_latency = measured(\"400ns\", \"a pointer chase on such a GPU\"),\n"
    "  },\n"
    "  nic = {\n"
    "    doorbell_latency = estimated(\"100ns\", \"50ns\", \"200ns\", \"an uncached store over PCIe\"),\n"
    "  },\n"
    "}\n";

static const struct {
    const char *kind, *text;
} skeletons[] = {{"study", study_text}, {"machine", machine_text}};

static bool is_name(const char *name)
{
    return g_ascii_isalpha(*name) &&
           name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")] ==
               '\0';
}

/* The text of a skeleton; NULL and an error if there is none of this kind. */
static const char *find_skeleton(const char *kind, GError **error)
{
    for (size_t i = 0; i < G_N_ELEMENTS(skeletons); i++)
        if (strcmp(skeletons[i].kind, kind) == 0)
            return skeletons[i].text;
    error_set(error, "new: there is no skeleton of a \"%s\"; machine and study are", kind);
    return NULL;
}

static bool write_skeleton(const char *kind, const char *path, GError **error)
{
    const char *skeleton = find_skeleton(kind, error);
    if (!skeleton)
        return false;
    g_autofree char *base = g_path_get_basename(path);
    size_t length = strlen(base);
    if (g_str_has_suffix(base, ".lua"))
        base[length - strlen(".lua")] = '\0';
    g_autofree char *folder = g_path_get_dirname(path), *file = g_strconcat(base, ".lua", NULL);
    g_autofree char *target = g_build_filename(folder, file, NULL);
    if (!is_name(base))
        return error_set(error, "new %s: \"%s\" is not a name; use letters, digits, - and _", kind,
                         base);
    if (g_file_test(target, G_FILE_TEST_EXISTS))
        return error_set(error, "new %s: %s is there already", kind, target);
    g_auto(GStrv) parts = g_strsplit(skeleton, "%s", -1);
    g_autofree char *text = g_strjoinv(base, parts);
    const struct output_rules rules = {.force = false};
    if (!output_write(target, text, strlen(text), &rules, error))
        return false;
    shown_print(stdout, "%s\n", target);
    return true;
}

int cmd_new(const struct command *command, int argc, char **argv)
{
    GError *error = NULL;
    if (!command_parse(command, &argc, &argv, NULL, 2, 2, &error) ||
        !write_skeleton(argv[1], argv[2], &error))
        return command_fail(error);
    return EXIT_CODE_OK;
}
