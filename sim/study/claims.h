/* The papers' claims, and what the scenarios say of them. */
#ifndef GPUNETSIM_STUDY_CLAIMS_H
#define GPUNETSIM_STUDY_CLAIMS_H

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>

#include "script/script.h"

enum claim_status {
    CLAIM_REPRODUCED,
    CLAIM_MISSED,
    CLAIM_NOT_YET, /* no scenario answers it */
    CLAIM_OUT_OF_SCOPE,
    CLAIM_RESTATED, /* said again elsewhere; follows its twin */
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
    bool has_number;
    double obtained;
    char *scenario, *note; /* NULL: none */
};

struct claim_list {
    struct claim *claims; /* in the order of the file */
    size_t count;
};

/* Reads a tab-separated file whose first line names the columns above. Rows of use `config` are
 * facts that went into machine files: they are left out. Every other one has the status that it has
 * without any answer. NULL and one sentence with file:line (STUDY_ERROR_USE). */
struct claim_list *claims_read(const char *path, GError **error);
void claims_free(struct claim_list *list);

/* NULL if there is none of this id. */
struct claim *claims_find(const struct claim_list *list, const char *id);

/* Whether an answer meets a claim: by the scenario's own verdict if it gave one, else by the number
 * lying within [low, high], with open ends where the claim has none. */
enum claim_status claim_judge(const struct claim *claim, const struct claim_answer *answer);

/* Enters a scenario's answer. Claims that are not to be judged show it and keep their status. Where
 * several scenarios answer one claim, a miss outweighs the others. */
void claim_answered(struct claim *claim, const struct claim_answer *answer, const char *scenario);

/* Gives each restated claim the answer of the one it restates, and a note that names it. Called
 * once all answers are in. */
void claims_follow_twins(struct claim_list *list);

/* id,use,status,low,high,unit,obtained,scenario,note. The caller frees it with g_free. */
char *claims_to_csv(const struct claim_list *list);

/* `obtained` with six significant digits; "" if there is no number. The caller frees it. */
char *claim_obtained(const struct claim *claim);

#endif
