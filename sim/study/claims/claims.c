/* SPDX-License-Identifier: BSD-3-Clause */
/* Claims. A scenario's function for a claim that fails has given no verdict on the model: that is an error. */
#include "study/claims/claims.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "study/claims/claims_tsv.h"
#include "study/table/export.h"

static const struct {
    const char *name;
    size_t offset;
} columns[] = {
    {"id", offsetof(struct claim, id)},         {"source", offsetof(struct claim, source)},
    {"where", offsetof(struct claim, where)},   {"systems", offsetof(struct claim, systems)},
    {"metric", offsetof(struct claim, metric)}, {"workload", offsetof(struct claim, workload)},
    {"low", offsetof(struct claim, low)},       {"high", offsetof(struct claim, high)},
    {"unit", offsetof(struct claim, unit)},     {"ordering", offsetof(struct claim, ordering)},
    {"kind", offsetof(struct claim, kind)},     {"paraphrase", offsetof(struct claim, paraphrase)},
    {"use", offsetof(struct claim, use)},
};

static char **field(struct claim *claim, size_t column)
{
    return (char **)(void *)((char *)claim + columns[column].offset);
}

const char *claim_status_name(enum claim_status status)
{
    static const char *const names[CLAIM_STATUSES] = {"reproduced", "missed",  "error",
                                                      "modelled",   "not-yet", "out-of-scope",
                                                      "restated",   "context"};
    return names[status];
}

static void free_texts(struct claim *claim)
{
    for (size_t i = 0; i < G_N_ELEMENTS(columns); i++)
        g_free(*field(claim, i));
    g_free(claim->scenario);
    g_free(claim->place);
    g_free(claim->test);
    g_free(claim->note);
    if (claim->restated)
        g_ptr_array_unref(claim->restated);
}

void claims_free(struct claim_list *list)
{
    if (!list)
        return;
    for (size_t i = 0; i < list->count; i++)
        free_texts(&list->claims[i]);
    g_free(list->claims);
    g_free(list);
}

/* --- reading ---------------------------------------------------------------------------------- */

static enum claim_status status_of_use(const char *use)
{
    if (strcmp(use, "out-of-scope") == 0)
        return CLAIM_OUT_OF_SCOPE;
    if (strcmp(use, "restated") == 0)
        return CLAIM_RESTATED;
    if (strcmp(use, "context") == 0)
        return CLAIM_CONTEXT;
    return CLAIM_NOT_YET;
}

static bool use_is_known(const char *use)
{
    static const char *const uses[] = {"config",   "fit",     "test",         "check",
                                       "restated", "context", "out-of-scope", NULL};
    return g_strv_contains(uses, use);
}

static bool is_number_or_empty(const char *text)
{
    char *end;
    g_ascii_strtod(text, &end);
    return *end == '\0';
}

/* The sentence that says what is wrong with a claim; NULL if nothing is. */
static const char *fault_of(const struct claim *claim)
{
    if (!is_number_or_empty(claim->low) || !is_number_or_empty(claim->high))
        return "low and high are numbers or empty";
    if (!use_is_known(claim->use))
        return "use is config, fit, test, check, restated, context or out-of-scope";
    return NULL;
}

static bool fill(struct claim *claim, const char *path, const struct claims_row *row,
                 GError **error)
{
    for (size_t i = 0; i < G_N_ELEMENTS(columns); i++)
        *field(claim, i) = g_strdup(row->fields[i]);
    const char *fault = fault_of(claim);
    if (fault)
        return claims_tsv_fail(error, path, row->line, "%s", fault);
    claim->status = claim->verdict = status_of_use(claim->use);
    return true;
}

struct claim_list *claims_read(const char *path, GError **error)
{
    g_autoptr(GString) header = g_string_new(NULL);
    for (size_t i = 0; i < G_N_ELEMENTS(columns); i++)
        g_string_append_printf(header, "%s%s", i ? "\t" : "", columns[i].name);
    g_autoptr(GPtrArray) rows = claims_tsv_read(path, header->str, error);
    if (!rows)
        return NULL;
    struct claim_list *list = g_new0(struct claim_list, 1);
    list->count = rows->len;
    list->claims = g_new0(struct claim, rows->len + 1);
    for (guint i = 0; list && i < rows->len; i++) {
        if (!fill(&list->claims[i], path, g_ptr_array_index(rows, i), error))
            g_clear_pointer(&list, claims_free);
    }
    return list;
}

struct claim *claims_find(const struct claim_list *list, const char *id)
{
    for (size_t i = 0; i < list->count; i++) {
        if (strcmp(list->claims[i].id, id) == 0)
            return &list->claims[i];
    }
    return NULL;
}

bool claim_range(const struct claim *claim, double *low, double *high)
{
    *low = g_ascii_strtod(claim->low, NULL);
    *high = g_ascii_strtod(claim->high, NULL);
    return *claim->low && *claim->high;
}

bool claim_is_config(const struct claim *claim)
{
    return strcmp(claim->use, "config") == 0;
}

/* --- judging ---------------------------------------------------------------------------------- */

enum claim_status claim_judge(const struct claim *claim, const struct claim_answer *answer)
{
    if (answer->is_error)
        return CLAIM_ERROR;
    if (answer->judged)
        return answer->holds ? CLAIM_REPRODUCED : CLAIM_MISSED;
    if (!answer->has_number || (!*claim->low && !*claim->high))
        return CLAIM_MISSED;
    /* Written so that a number which is none (NaN) is a miss. */
    double least = answer->has_range ? answer->obtained_low : answer->obtained;
    bool above = !*claim->low || least >= g_ascii_strtod(claim->low, NULL);
    bool below = !*claim->high || answer->obtained <= g_ascii_strtod(claim->high, NULL);
    return above && below ? CLAIM_REPRODUCED : CLAIM_MISSED;
}

#define HAIR 0.03 /* of a limit */

static bool is_near(double number, const char *limit_text)
{
    double limit = g_ascii_strtod(limit_text, NULL);
    return limit != 0 && fabs(number / limit - 1) <= HAIR;
}

static bool is_by_a_hair(const struct claim *claim, const struct claim_answer *answer)
{
    if (answer->judged || !answer->has_number)
        return answer->has_margin && answer->margin <= HAIR;
    double least = answer->has_range ? answer->obtained_low : answer->obtained;
    return is_near(least, claim->low) || is_near(answer->obtained, claim->high);
}

/* A verdict that the claim's own range would not give is said to be one. */
static char *note_of(const struct claim *claim, const struct claim_answer *answer)
{
    const char *note = answer->note ? answer->note : "";
    struct claim_answer by_range = *answer;
    by_range.judged = false;
    bool has_range = answer->has_number && (*claim->low || *claim->high);
    if (!answer->judged || !has_range ||
        claim_judge(claim, &by_range) == claim_judge(claim, answer))
        return g_strdup(answer->note);
    return g_strdup_printf("judged by the scenario%s%s", *note ? ": " : "", note);
}

bool claim_wavers(const struct claim *claim)
{
    bool is_judged = claim->status == CLAIM_REPRODUCED || claim->status == CLAIM_MISSED;
    size_t steady = claim->status == CLAIM_REPRODUCED ? claim->band.samples : 0;
    return is_judged && claim->band.held != steady;
}

/* Appends what the samples say to the claim's note. */
static void note_band(struct claim *claim)
{
    if (claim->band.samples == 0)
        return;
    char least[G_ASCII_DTOSTR_BUF_SIZE], most[G_ASCII_DTOSTR_BUF_SIZE];
    g_ascii_formatd(least, sizeof least, "%.3g", claim->band.least);
    g_ascii_formatd(most, sizeof most, "%.3g", claim->band.most);
    g_autofree char *failed =
        claim->band.failed
            ? g_strdup_printf(" (in %zu it could not be evaluated)", claim->band.failed)
            : g_strdup("");
    char *note = g_strdup_printf("%s%sheld in %zu of %zu samples of what is estimated%s%s%s%s%s",
                                 claim->note ? claim->note : "", claim->note ? "; " : "",
                                 claim->band.held, claim->band.samples, failed,
                                 claim->has_number ? ", " : "", claim->has_number ? least : "",
                                 claim->has_number ? " to " : "", claim->has_number ? most : "");
    g_free(claim->note);
    claim->note = note;
}

void claim_answered(struct claim *claim, const struct claim_answer *answer,
                    const struct claim_band *band, const char *scenario)
{
    bool judged = claim->status <= CLAIM_ERROR;
    enum claim_status status = claim_judge(claim, answer);
    if (judged && (status == CLAIM_REPRODUCED || status < claim->status))
        return;
    if (judged || claim->status == CLAIM_NOT_YET || status == CLAIM_ERROR)
        claim->status = status;
    claim->has_number = answer->has_number;
    claim->obtained = answer->obtained;
    claim->has_range = answer->has_range;
    claim->obtained_low = answer->obtained_low;
    g_free(claim->scenario);
    claim->scenario = g_strdup(scenario);
    g_free(claim->note);
    claim->note = note_of(claim, answer);
    claim->is_by_a_hair = is_by_a_hair(claim, answer);
    claim->band = band ? *band : (struct claim_band){0};
    note_band(claim);
}

/* --- writing ---------------------------------------------------------------------------------- */

static char *number_text(bool is_there, double number)
{
    char text[G_ASCII_DTOSTR_BUF_SIZE] = "";
    return g_strdup(is_there ? g_ascii_formatd(text, sizeof text, "%.6g", number) : "");
}

char *claim_obtained(const struct claim *claim)
{
    g_autofree char *low = number_text(claim->has_range, claim->obtained_low);
    g_autofree char *high = number_text(claim->has_number, claim->obtained);
    return g_strconcat(low, *low ? " to " : "", high, NULL);
}

char *claims_to_csv(const struct claim_list *list)
{
    GString *csv = g_string_new(
        "id,use,status,low,high,unit,obtained_low,obtained,scenario,place,test,note\n");
    for (size_t i = 0; i < list->count; i++) {
        const struct claim *claim = &list->claims[i];
        g_autofree char *low = number_text(claim->has_range, claim->obtained_low);
        g_autofree char *obtained = number_text(claim->has_number, claim->obtained);
        const char *fields[] = {claim->id,    claim->use,  claim_status_name(claim->status),
                                claim->low,   claim->high, claim->unit,
                                low,          obtained,    claim->scenario,
                                claim->place, claim->test, claim->note};
        for (size_t f = 0; f < G_N_ELEMENTS(fields); f++) {
            export_csv_field(csv, fields[f]);
            g_string_append_c(csv, f + 1 < G_N_ELEMENTS(fields) ? ',' : '\n');
        }
    }
    return g_string_free(csv, FALSE);
}
