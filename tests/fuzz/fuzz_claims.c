/* SPDX-License-Identifier: BSD-3-Clause */
/* The tables of claims/. The first line says which: facts that are modelled and restated claims are read
 * beside a part of the project's own claims.tsv, all else is read as such a one. The readers are in views/claims.lua. */
#include <string.h>
#include <unistd.h>

#include "../claims_tables.h"
#include "fuzz.h"
#include "script/machine/designs.h"

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

static void enter(struct claims *claims, const char *id, double obtained)
{
    GVariantBuilder answer;
    g_variant_builder_init(&answer, G_VARIANT_TYPE_VARDICT);
    g_variant_builder_add(&answer, "{sv}", "has_number", g_variant_new_boolean(true));
    g_variant_builder_add(&answer, "{sv}", "obtained", g_variant_new_double(obtained));
    claims_enter(claims, id, "scenario", g_variant_builder_end(&answer), NULL);
}

/* Every claim that a line begins with is answered: where the table is of claims, by the number where the line states the low end. */
static void answer(struct claims *claims, const char *text)
{
    enum { COLUMN_ID, COLUMN_LOW = 6 };
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    for (size_t i = 0; lines[i]; i++) {
        g_auto(GStrv) fields = g_strsplit(lines[i], "\t", -1);
        bool has_low = g_strv_length(fields) > COLUMN_LOW;
        if (fields[COLUMN_ID])
            enter(claims, fields[COLUMN_ID],
                  has_low ? g_ascii_strtod(fields[COLUMN_LOW], NULL) : (double)i);
    }
    g_auto(GStrv) written = claims_texts(claims, "written", NULL);
    fuzz_expect(written && g_str_has_prefix(written[0], "id,"), "claims without a header");
}

/* Of the project's own claims those numbered 1 to 3 of each kind: they are read again with each input, and all of them take 14 ms more. */
static char *own_path(void)
{
    g_autofree char *path = g_build_filename(fuzz_root(), "claims", "claims.tsv", NULL);
    g_autofree char *text = NULL;
    fuzz_expect(g_file_get_contents(path, &text, NULL, NULL), "%s cannot be read", path);
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    g_autoptr(GString) kept = g_string_new(NULL);
    for (size_t i = 0; lines[i]; i++)
        if (i == 0 || g_regex_match_simple("^[^\t]*0[123]\t", lines[i], 0, 0))
            g_string_append_printf(kept, "%s\n", lines[i]);
    return fuzz_file("own.tsv", kept->str, kept->len);
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
         is_twins = g_str_has_prefix(text, "id\trestated"),
         is_causes = g_str_has_prefix(text, "id\tcause");
    static char *own;
    own = own ? own : own_path();
    GError *error = NULL;
    struct claims *claims =
        claims_open(is_modelled || is_twins || is_causes ? own : path, is_modelled ? path : NULL,
                    is_twins ? path : NULL, is_causes ? path : NULL, &error);
    fuzz_expect(claims || !error || strstr(error->message, path), "no place is told: %s",
                fuzz_message(error));
    fuzz_expect_told(claims != NULL, error);
    if (claims)
        answer(claims, text);
    claims_free(claims);
    return 0;
}
