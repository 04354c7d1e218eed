/* Claims. A claim's status is a verdict on the model, never on the run: a scenario whose points
 * failed has missed what it was to show. */
#include "study/claims.h"

#include <stddef.h>
#include <string.h>

#include "study/error.h"
#include "study/export.h"

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
    static const char *const names[CLAIM_STATUSES] = {"reproduced",   "missed",   "not-yet",
                                                      "out-of-scope", "restated", "context"};
    return names[status];
}

static void free_texts(struct claim *claim)
{
    for (size_t i = 0; i < G_N_ELEMENTS(columns); i++)
        g_free(*field(claim, i));
    g_free(claim->scenario);
    g_free(claim->note);
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

/* --- reading ------------------------------------------------------------------------------------
 */

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

/* The sentence that says what is wrong with a row; NULL if nothing is. */
static const char *fault_of_row(char **fields)
{
    struct claim view = {0};
    if (g_strv_length(fields) != G_N_ELEMENTS(columns))
        return "a claim has 13 fields, separated by tabs";
    for (size_t i = 0; i < G_N_ELEMENTS(columns); i++)
        *field(&view, i) = fields[i];
    if (!is_number_or_empty(view.low) || !is_number_or_empty(view.high))
        return "low and high are numbers or empty";
    if (!use_is_known(view.use))
        return "use is config, fit, test, check, restated, context or out-of-scope";
    return NULL;
}

static bool header_is_right(const char *line)
{
    g_auto(GStrv) names = g_strsplit(line, "\t", -1);
    bool right = g_strv_length(names) == G_N_ELEMENTS(columns);
    for (size_t i = 0; right && i < G_N_ELEMENTS(columns); i++)
        right = strcmp(names[i], columns[i].name) == 0;
    return right;
}

static bool fail(GError **error, const char *path, size_t line, const char *sentence)
{
    g_set_error(error, STUDY_ERROR, STUDY_ERROR_USE, "%s:%zu: %s", path, line, sentence);
    return false;
}

static bool add_line(GArray *claims, const char *path, size_t number, const char *line,
                     GError **error)
{
    char **fields = g_strsplit(line, "\t", -1);
    const char *fault = fault_of_row(fields);
    if (fault) {
        g_strfreev(fields);
        return fail(error, path, number, fault);
    }
    struct claim claim = {0};
    for (size_t i = 0; i < G_N_ELEMENTS(columns); i++)
        *field(&claim, i) = fields[i];
    g_free(fields);
    claim.status = status_of_use(claim.use);
    if (strcmp(claim.use, "config") == 0)
        free_texts(&claim);
    else
        g_array_append_val(claims, claim);
    return true;
}

struct claim_list *claims_read(const char *path, GError **error)
{
    g_autofree char *content = NULL;
    g_autoptr(GError) cause = NULL;
    if (!g_file_get_contents(path, &content, NULL, &cause)) {
        g_set_error(error, STUDY_ERROR, STUDY_ERROR_USE, "cannot read the claims: %s",
                    cause->message);
        return NULL;
    }
    g_auto(GStrv) lines = g_strsplit(content, "\n", -1);
    GArray *claims = g_array_new(FALSE, FALSE, sizeof(struct claim));
    bool good = header_is_right(lines[0] ? lines[0] : "") ||
                fail(error, path, 1, "the first line must name the columns id, source, ... use");
    for (size_t i = 1; good && lines[0] && lines[i]; i++) {
        if (*lines[i])
            good = add_line(claims, path, i + 1, lines[i], error);
    }
    struct claim_list *list = g_new0(struct claim_list, 1);
    list->count = claims->len;
    list->claims = (struct claim *)(void *)g_array_free(claims, FALSE);
    if (!good)
        g_clear_pointer(&list, claims_free);
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

/* --- judging ------------------------------------------------------------------------------------
 */

enum claim_status claim_judge(const struct claim *claim, const struct claim_answer *answer)
{
    if (answer->judged)
        return answer->holds ? CLAIM_REPRODUCED : CLAIM_MISSED;
    if (!answer->has_number || (!*claim->low && !*claim->high))
        return CLAIM_MISSED;
    /* Written so that a number which is none (NaN) is a miss. */
    bool above = !*claim->low || answer->obtained >= g_ascii_strtod(claim->low, NULL);
    bool below = !*claim->high || answer->obtained <= g_ascii_strtod(claim->high, NULL);
    return above && below ? CLAIM_REPRODUCED : CLAIM_MISSED;
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

void claim_answered(struct claim *claim, const struct claim_answer *answer, const char *scenario)
{
    bool judged = claim->status == CLAIM_REPRODUCED || claim->status == CLAIM_MISSED;
    enum claim_status status = claim_judge(claim, answer);
    if (judged && status != CLAIM_MISSED)
        return;
    if (judged || claim->status == CLAIM_NOT_YET)
        claim->status = status;
    claim->has_number = answer->has_number;
    claim->obtained = answer->obtained;
    g_free(claim->scenario);
    claim->scenario = g_strdup(scenario);
    g_free(claim->note);
    claim->note = note_of(claim, answer);
}

/* The one claim that says the same of the same systems, in another place. */
static const struct claim *twin_of(const struct claim_list *list, const struct claim *claim)
{
    const struct claim *twin = NULL;
    for (size_t i = 0; i < list->count; i++) {
        const struct claim *other = &list->claims[i];
        if (other->status == CLAIM_RESTATED || strcmp(other->systems, claim->systems) != 0 ||
            strcmp(other->metric, claim->metric) != 0 || strcmp(other->low, claim->low) != 0 ||
            strcmp(other->high, claim->high) != 0 || strcmp(other->unit, claim->unit) != 0)
            continue;
        if (twin)
            return NULL;
        twin = other;
    }
    return twin;
}

void claims_follow_twins(struct claim_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        struct claim *claim = &list->claims[i];
        const struct claim *twin = claim->status == CLAIM_RESTATED ? twin_of(list, claim) : NULL;
        if (!twin)
            continue;
        claim->has_number = twin->has_number;
        claim->obtained = twin->obtained;
        g_free(claim->scenario);
        claim->scenario = g_strdup(twin->scenario);
        g_free(claim->note);
        claim->note =
            g_strdup_printf("says the same as %s (%s)", twin->id, claim_status_name(twin->status));
    }
}

/* --- writing ------------------------------------------------------------------------------------
 */

char *claim_obtained(const struct claim *claim)
{
    char text[G_ASCII_DTOSTR_BUF_SIZE] = "";
    if (claim->has_number)
        g_ascii_formatd(text, sizeof text, "%.6g", claim->obtained);
    return g_strdup(text);
}

char *claims_to_csv(const struct claim_list *list)
{
    GString *csv = g_string_new("id,use,status,low,high,unit,obtained,scenario,note\n");
    for (size_t i = 0; i < list->count; i++) {
        const struct claim *claim = &list->claims[i];
        g_autofree char *obtained = claim_obtained(claim);
        const char *fields[] = {claim->id,  claim->use,      claim_status_name(claim->status),
                                claim->low, claim->high,     claim->unit,
                                obtained,   claim->scenario, claim->note};
        for (size_t f = 0; f < G_N_ELEMENTS(fields); f++) {
            export_csv_field(csv, fields[f]);
            g_string_append_c(csv, f + 1 < G_N_ELEMENTS(fields) ? ',' : '\n');
        }
    }
    return g_string_free(csv, FALSE);
}
