/* SPDX-License-Identifier: BSD-3-Clause */
/* The papers' claims, and what the scenarios say of them. */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>

#include "study/model/study.h"

enum claim_status {
    CLAIM_REPRODUCED, /* the first three are answers, each outweighing those before it */
    CLAIM_MISSED,
    CLAIM_ERROR,    /* the scenario's function for it failed; the note says where and why */
    CLAIM_MODELLED, /* of use `config`: it is built in, and a test holds it there */
    CLAIM_NOT_YET,  /* no scenario answers it; of use `config`: it is not modelled */
    CLAIM_OUT_OF_SCOPE,
    CLAIM_RESTATED, /* said again elsewhere; follows its restated */
    CLAIM_CONTEXT,  /* shown, not judged */
    CLAIM_STATUSES,
};

/* "reproduced", "not-yet", ... */
const char *claim_status_name(enum claim_status status);

/* A row of claims.tsv, and its answer. Texts are never NULL; an open end of a range is "". */
struct claim {
    char *id, *source, *where, *systems, *metric, *workload;
    char *low, *high, *unit, *ordering, *kind, *paraphrase, *use;

    enum claim_status status;
    enum claim_status verdict; /* of a restated claim what its restated came to; else its status */
    bool has_number;
    double obtained; /* of a range the high end */
    bool has_range;
    double obtained_low;    /* of a range */
    bool is_by_a_hair;      /* what was obtained is within 3 % of a limit, on either side */
    struct claim_band band; /* of the scenario that answers it; no samples: none */
    char *scenario, *note;  /* NULL: none */
    char *place, *test;     /* of a modelled claim: where it stands, and what holds it; else NULL */
    GPtrArray *restated;    /* of a restated claim: struct claim of the same list; else NULL */
};

struct claim_list {
    struct claim *claims; /* in the order of the file */
    size_t count;
};

/* Reads a tab-separated file whose first line names the columns above. Every claim has the status that it
 * has without any answer. NULL and one sentence with file:line (ERROR_USE). */
struct claim_list *claims_read(const char *path, GError **error);
void claims_free(struct claim_list *list);

/* NULL if there is none of this id. */
struct claim *claims_find(const struct claim_list *list, const char *id);

/* Whether it is of use `config`: a fact that goes into machine files and code, for no scenario to answer. */
bool claim_is_config(const struct claim *claim);

/* Its range of numbers, of a single one twice that. False if either end is open. */
bool claim_range(const struct claim *claim, double *low, double *high);

/* Reads claims/modelled.tsv: a row (id, place, value, test) for each place where a fact is built in. A place
 * is configs/FILE:PARAMETER, with its value as `gpunetsim params` prints it, or FILE:FUNCTION without a value.
 * A test is FILE:CASE: it fails if the mechanism were otherwise, or if the parameter had no effect.
 * Files are relative to the folder above that of `path`. The claims become modelled; one whose
 * parameter has another value is missed, and its note says so. False and one sentence with file:line
 * (ERROR_USE) for claims that do not exist or are not of use `config`, and for machine files and
 * parameters that do not exist. */
bool claims_read_modelled(struct claim_list *list, const char *path, GError **error);

/* Reads claims/restated.tsv: for each restated claim the ids of those it restates, with a blank between them.
 * One restated states the same metric and the same numbers; several are summed up: the claim's range goes from
 * least to most of their upper ends. False and one sentence with file:line (ERROR_USE). */
bool claims_read_restated(struct claim_list *list, const char *path, GError **error);

/* Whether an answer meets a claim: by the scenario's own verdict if it gave one, else by the number
 * lying within [low, high], with open ends where the claim has none. CLAIM_ERROR of one that could not be evaluated. */
enum claim_status claim_judge(const struct claim *claim, const struct claim_answer *answer);

/* Enters a scenario's answer, and its band (NULL: none). Claims that are not to be judged show it and keep their status. Where
 * several scenarios answer one claim, an error outweighs a miss, and a miss the others. */
void claim_answered(struct claim *claim, const struct claim_answer *answer,
                    const struct claim_band *band, const char *scenario);

/* Whether the verdict changes within the ranges of what is estimated. */
bool claim_wavers(const struct claim *claim);

/* Gives each restated claim the verdict of those it restates (of several the worst), the answer of the one it
 * restates, and a note that names them. Called once all answers are in. */
void claims_follow_restated(struct claim_list *list);

/* id,use,status,low,high,unit,obtained_low,obtained,scenario,place,test,note. The caller frees it with g_free. */
char *claims_to_csv(const struct claim_list *list);

/* "3.1" or, of a range, "3.1 to 10.4", with six significant digits; "" if there is no number. The caller frees it. */
char *claim_obtained(const struct claim *claim);
