/* SPDX-License-Identifier: BSD-3-Clause */
/* Lua files, as a study and as a machine. A study's first points run, and its claims are asked. */
#include <string.h>

#include "fuzz.h"
#include "fuzz_table.h"
#include "script/script.h"
#include "script/study/point.h"
#include "study/model/machine.h"
#include "study/model/study.h"

#define MOST_POINTS 2

struct work {
    struct study *study;
    struct machine *machines[MOST_POINTS];
    size_t count;
};

/* One point has the platform of this process; the others fail, and say so. */
static void run(void *argument)
{
    struct work *work = argument;
    struct row *rows[MOST_POINTS];
    for (size_t i = 0; i < work->count; i++) {
        rows[i] = study_run_point(work->study, i, work->machines[i], 1);
        fuzz_expect(!rows[i]->failure || *rows[i]->failure, "a failure without a word");
    }
    fuzz_table(work->study->axes, work->study->axis_count, rows, work->count);
    g_autoptr(GVariant) claims = study_table(work->study, "claims");
    for (size_t i = 0; i < g_variant_n_children(claims); i++) {
        GError *error = NULL;
        g_autoptr(GVariant) claim = NULL;
        g_variant_get_child(claims, i, "v", &claim);
        g_autoptr(GVariant) answer = study_evaluate_claim(
            work->study, g_variant_get_bytestring(claim), rows, work->count, &error);
        fuzz_expect_told(answer != NULL, error);
    }
}

static void run_points(struct study *study)
{
    struct work work = {.study = study};
    GError *error = NULL;
    while (!error && work.count < MIN(study->point_count, MOST_POINTS)) {
        struct machine *machine = study_machine(study, work.count, &error);
        if (machine)
            work.machines[work.count++] = machine;
        else
            fuzz_expect_told(false, g_error_copy(error));
    }
    g_clear_error(&error);
    fuzz_in_child(run, &work);
    for (size_t i = 0; i < work.count; i++)
        machine_free(work.machines[i]);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    g_setenv("GPUNETSIM_ROOT", fuzz_root(), TRUE);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    GError *error = NULL;
    g_autofree char *path = fuzz_file("x.lua", data, size);
    struct study *study = study_load(path, NULL, &error);
    fuzz_expect_told(study != NULL, error);
    if (study)
        run_points(study);
    else {
        error = NULL;
        struct machine *machine = machine_load(path, NULL, &error);
        fuzz_expect_told(machine != NULL, error);
        machine_free(machine);
    }
    study_free(study);
    return 0;
}
