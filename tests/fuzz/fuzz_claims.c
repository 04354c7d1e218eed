/* SPDX-License-Identifier: BSD-3-Clause */
/* The tables of claims/. The first line says which: facts that are modelled and restated claims are read
 * beside the project's own claims.tsv, all else is read as such a one. */
#include <string.h>
#include <unistd.h>

#include "fuzz.h"
#include "script/machine/designs.h"
#include "study/claims/claims.h"

/* A folder beside which configs/ and tests/ stand, as the readers want it. */
static char *table_path(const char *text)
{
    static bool is_made;
    for (const char *const *name = (const char *[]){"configs", "tests", "sim", NULL};
         *name && !is_made; name++) {
        g_autofree char *from = g_build_filename(fuzz_root(), *name, NULL);
        g_autofree char *to = fuzz_path(*name);
        fuzz_expect(symlink(from, to) == 0, "%s cannot be linked", to);
    }
    g_autofree char *folder = fuzz_path("claims");
    fuzz_expect(g_mkdir_with_parents(folder, 0700) == 0, "%s cannot be made", folder);
    is_made = true;
    return fuzz_file("claims/table.tsv", text, strlen(text));
}

/* Every claim is answered by a number between its bounds, as far as it has some. */
static void answer(struct claim_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        struct claim *claim = &list->claims[i];
        const struct claim_answer answer = {
            .has_number = true, .obtained = g_ascii_strtod(claim->low, NULL), .note = claim->note};
        claim_answered(claim, &answer, NULL, "scenario");
    }
    claims_follow_restated(list);
    g_autofree char *csv = claims_to_csv(list);
    fuzz_expect(g_str_has_prefix(csv, "id,"), "claims without a header");
}

static struct claim_list *own_claims(void)
{
    g_autofree char *path = g_build_filename(fuzz_root(), "claims", "claims.tsv", NULL);
    struct claim_list *list = claims_read(path, NULL);
    fuzz_expect(list != NULL, "%s cannot be read", path);
    return list;
}

/* Machines have the message libraries and MPIs that are loaded with the designs. */
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    g_autofree char *designs = g_strdup_printf("%s/configs/designs.lua", fuzz_root());
    fuzz_expect(designs_load(designs, NULL), "%s", designs);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    g_autofree char *text = fuzz_text(data, size);
    g_autofree char *path = table_path(text);
    bool is_modelled = g_str_has_prefix(text, "id\tplace"),
         is_twins = g_str_has_prefix(text, "id\trestated");
    GError *error = NULL;
    struct claim_list *list = is_modelled || is_twins ? own_claims() : claims_read(path, &error);
    bool good = list != NULL;
    if (is_modelled)
        good = claims_read_modelled(list, path, &error);
    else if (is_twins)
        good = claims_read_restated(list, path, &error);
    fuzz_expect(good || !error || strstr(error->message, path), "no place is told: %s",
                fuzz_message(error));
    fuzz_expect_told(good, error);
    if (good)
        answer(list);
    if (list)
        claims_free(list);
    return 0;
}
