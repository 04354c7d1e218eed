/* SPDX-License-Identifier: BSD-3-Clause */
/* The papers' claims, and what the scenarios say of them. Here are the paths of the tables and the answers; views/claims.lua reads the
 * tables, judges the answers and writes what has come of them. */
#pragma once

#include <glib.h>

struct claims;

/* Reads claims.tsv, modelled.tsv and restated.tsv, whose formats views/claims.lua says (the last two NULL: not read). Machine files that
 * modelled.tsv names are relative to the folder above its own. NULL and one sentence with file:line (ERROR_USE). */
struct claims *claims_open(const char *stated, const char *modelled, const char *restated,
                           GError **error);

/* The project's own claims.tsv alone. */
struct claims *claims_open_own(GError **error);

void claims_free(struct claims *claims);

/* Enters what a scenario answers to the claim of this id (study_evaluate_claim) and its answers in samples of what is estimated, a list
 * (NULL: there are none). Both may be floating, and are taken over then. */
void claims_enter(struct claims *claims, const char *id, const char *scenario, GVariant *answer,
                  GVariant *samples);

/* What the functions of views/claims.lua are called with first; floating. */
GVariant *claims_value(const struct claims *claims);

/* What a function of views/claims.lua makes of all this, and of further arguments. The caller frees it with g_strfreev. NULL and an error. */
char **claims_texts(const struct claims *claims, const char *function, GError **error);
char **claims_texts_of(const struct claims *claims, const char *function, GVariant *further,
                       GError **error);
