/* SPDX-License-Identifier: BSD-3-Clause */
/* The report. Its looks and its few lines of script are in the template; here its parts are made.
 * A figure is embedded as an image of its own, not as inline SVG: gnuplot gives each drawing the
 * same element ids, which would clash in one document. */
#include "study/report.h"

#include <string.h>

#include "core/home.h"
#include "core/shown.h"
#include "core/text_file.h"
#include "script/study/point.h"
#include "study/model/machine.h"
#include "study/table/provenance.h"
#include "study/table/version.h"

/* Behind the status of a claim whose verdict changes within the ranges of what is estimated. */
#define WAVERS " \u00b1"

/* Appends markup, each %s of which is a text that is escaped (NULL: none); it has no other percent signs. */
static void append(GString *html, const char *markup, ...) G_GNUC_PRINTF(2, 3);

static void append(GString *html, const char *markup, ...)
{
    va_list texts;
    va_start(texts, markup);
    for (const char *next; (next = strstr(markup, "%s")) != NULL; markup = next + 2) {
        g_autofree char *shown = shown_text(va_arg(texts, const char *));
        g_autofree char *escaped = g_markup_escape_text(shown, -1);
        g_string_append_len(html, markup, next - markup);
        g_string_append(html, escaped);
    }
    va_end(texts);
    g_string_append(html, markup);
}

/* A sentence as people write it: "5 to 80 us" as "5 to 80 µs". */
static char *prose(const char *text)
{
    static GRegex *micro;
    if (g_once_init_enter(&micro))
        g_once_init_leave(&micro, g_regex_new("(?<=\\d )u(?=[sJ]\\b)", G_REGEX_OPTIMIZE, 0, NULL));
    char *written = text ? g_regex_replace_literal(micro, text, -1, 0, "\u00b5", 0, NULL) : NULL;
    return written ? written : g_strdup(text); /* not UTF-8 */
}

/* --- tables -------------------------------------------------------------------------------------
 */

static void append_header(GString *html, const struct table *table)
{
    g_string_append(html, "<table>\n<thead><tr>");
    for (size_t c = 0; c < table->column_count; c++)
        append(html, table->columns[c].is_number ? "<th class=\"number\">%s</th>" : "<th>%s</th>",
               table->columns[c].name);
    g_string_append(html, "</tr></thead>\n<tbody>\n");
}

/* A cell has its column's name with it, for pages that are too narrow for columns. */
static void append_cell(GString *html, const struct table_column *column, const char *text)
{
    append(html,
           column->is_number ? "<td class=\"number\" data-name=\"%s\">%s</td>"
                             : "<td data-name=\"%s\">%s</td>",
           column->name, text);
}

/* `classes`: the class of each row, for the template's colours; NULL: none. */
static void append_table(GString *html, const struct table *table, const char *const *classes)
{
    append_header(html, table);
    for (size_t r = 0; r < table->row_count; r++) {
        g_string_append_printf(html, classes ? "<tr class=\"%s\">" : "<tr>",
                               classes ? classes[r] : NULL);
        for (size_t c = 0; c < table->column_count; c++)
            append_cell(html, &table->columns[c], table_cell(table, r, c));
        g_string_append(html, "</tr>\n");
    }
    g_string_append(html, "</tbody></table>\n");
}

/* `class` may be NULL. */
static void append_folded_table(GString *html, const char *class, const char *summary,
                                const struct table *table, const char *const *classes)
{
    g_string_append_printf(html, class ? "<details class=\"%s\">" : "<details>", class);
    append(html, "<summary>%s</summary>", summary);
    append_table(html, table, classes);
    g_string_append(html, "</details>\n");
}

/* --- figures ------------------------------------------------------------------------------------
 */

static void append_figure(GString *html, const struct figure *figure, const char *title)
{
    gsize length;
    const guchar *svg = g_bytes_get_data(figure->formats[FIGURE_SVG], &length);
    g_autofree char *base64 = g_base64_encode(svg, length);
    append(html, "<img alt=\"%s\" ", title);
    g_string_append_printf(html, "src=\"data:image/svg+xml;base64,%s\">\n", base64);
}

/* Both ends of what a claim states. */
static char *range_text(const struct claim *claim)
{
    if (!*claim->low && !*claim->high)
        return g_strdup(claim->ordering);
    if (g_str_equal(claim->low, claim->high))
        return g_strdup_printf("%s %s", claim->low, claim->unit);
    if (!*claim->low)
        return g_strdup_printf("at most %s %s", claim->high, claim->unit);
    if (!*claim->high)
        return g_strdup_printf("at least %s %s", claim->low, claim->unit);
    return g_strdup_printf("%s to %s %s", claim->low, claim->high, claim->unit);
}

/* What the papers say of the figure, each sentence with its answer. */
static void append_sentences(GString *html, const struct study *study,
                             const struct claim_list *claims)
{
    if (study->claim_count == 0)
        return;
    g_string_append(html, "<ul class=\"sentences\">\n");
    for (size_t i = 0; i < study->claim_count; i++) {
        const struct claim *claim = claims_find(claims, study->claims[i].id);
        if (!claim)
            continue;
        g_autofree char *claimed = claim_obtained(claim), *range = range_text(claim);
        g_autofree char *sentence = prose(claim->paraphrase), *stated = prose(range);
        g_autofree char *obtained = prose(claimed), *note = prose(claim->note);
        const char *status = claim_status_name(claim->status);
        append(html,
               "<li class=\"%s\"><a href=\"#claim-%s\">%s</a> <b>%s%s</b> %s <span "
               "class=\"answer\">Stated: %s%s%s%s%s</span></li>\n",
               status, claim->id, claim->id, status, claim_wavers(claim) ? WAVERS : "", sentence,
               stated, *obtained ? "; obtained: " : "", obtained, note ? ". " : ".", note);
    }
    g_string_append(html, "</ul>\n");
}

/* The scenario's file from the project's folder on: the page is the same wherever it is made. */
static const char *short_path(const struct study *study)
{
    const char *place = strstr(study->path, "/scenarios/");
    return place ? place + 1 : study->path;
}

/* Where the page says what the study and its machine are made of. */
static void append_places(GString *html, const struct study *study)
{
    append(html,
           "<p class=\"path\">Scenario <code>%s</code> \u00b7 <a href=\"#machine-%s\">its "
           "machine\u2019s parameters</a> \u00b7 <code>gpunetsim run %s</code></p>\n",
           short_path(study), study->name, short_path(study));
}

static void append_experiment(GString *html, const struct experiment *experiment,
                              const struct claim_list *claims)
{
    const struct study *study = experiment->study;
    append(html, "<section id=\"figure-%s\">\n<h3>%s</h3>", study->name, study->title);
    append_places(html, study);
    g_string_append(html, "<div class=\"beside\"><div>\n");
    for (size_t i = 0; i < study->plot_count; i++) {
        if (experiment->figures[i])
            append_figure(html, experiment->figures[i], study->title);
    }
    g_string_append(html, "</div>\n");
    append_sentences(html, study, claims);
    g_string_append(html, "</div>\n");
    g_autofree char *failure = experiment_failure(experiment);
    if (failure)
        append(html, "<p class=\"missed\">%s</p>", failure);
    append_folded_table(html, "results", "All results", experiment->table, NULL);
    g_string_append(html, "</section>\n");
}

static char *figures_part(const struct report *report)
{
    GString *html = g_string_new(NULL);
    for (guint i = 0; i < report->experiments->len; i++)
        append_experiment(html, g_ptr_array_index(report->experiments, i), report->claims);
    return g_string_free(html, FALSE);
}

static char *contents_part(const struct report *report)
{
    GString *html = g_string_new("<ul>\n");
    for (guint i = 0; i < report->experiments->len; i++) {
        const struct experiment *experiment = g_ptr_array_index(report->experiments, i);
        append(html, "<li><a href=\"#figure-%s\">%s</a></li>\n", experiment->study->name,
               experiment->study->title);
    }
    g_string_append(html, "</ul>\n");
    return g_string_free(html, FALSE);
}

/* --- claims -------------------------------------------------------------------------------------
 */

/* "restated: missed". */
static char *status_text(const struct claim *claim)
{
    const char *status = claim_status_name(claim->status);
    if (claim->status == CLAIM_RESTATED)
        return g_strdup_printf("%s: %s", status, claim_status_name(claim->verdict));
    return g_strconcat(status, claim_wavers(claim) ? WAVERS : NULL, NULL);
}

/* The scenario that answers a claim, or where it is built in and what holds it there. */
static char *place_text(const struct claim *claim)
{
    return claim->place ? g_strdup_printf("%s (%s)", claim->place, claim->test)
                        : g_strdup(claim->scenario);
}

static void append_claim(struct table *table, const struct claim *claim)
{
    g_autofree char *status = status_text(claim);
    g_autofree char *stated = range_text(claim);
    g_autofree char *obtained = claim_obtained(claim);
    g_autofree char *place = place_text(claim);
    g_autofree char *paper = g_strdup_printf("%s, %s", claim->source, claim->where);
    g_autofree char *sentence = prose(claim->paraphrase), *range = prose(stated);
    g_autofree char *answer = prose(obtained), *note = prose(claim->note);
    const char *const texts[] = {claim->id, claim->use, status, sentence, range,
                                 answer,    place,      note,   paper};
    table_append(table, texts);
}

/* The first class is the status, by which the page filters; a restated claim has the colour of its
 * verdict as well. */
static char *class_text(const struct claim *claim)
{
    const char *status = claim_status_name(claim->status);
    return claim->status == CLAIM_RESTATED
               ? g_strdup_printf("%s %s", status, claim_status_name(claim->verdict))
               : g_strdup(status);
}

/* The names of scenarios in the column "where" lead to their figures. */
static void link_scenarios(GString *html, const GPtrArray *experiments)
{
    for (guint i = 0; i < experiments->len; i++) {
        const char *name = ((const struct experiment *)experiments->pdata[i])->study->name;
        g_autoptr(GString) plain = g_string_new(NULL), linked = g_string_new(NULL);
        append(plain, "<td data-name=\"where\">%s</td>", name);
        append(linked, "<td data-name=\"where\"><a href=\"#figure-%s\">%s</a></td>", name, name);
        g_string_replace(html, plain->str, linked->str, 0);
    }
}

static char *claims_part(const struct report *report)
{
    static const char *const names[] = {"id",       "use",   "status", "claim", "stated",
                                        "obtained", "where", "note",   "paper"};
    struct table *table = table_of_texts(names, G_N_ELEMENTS(names));
    g_autoptr(GPtrArray) classes = g_ptr_array_new_with_free_func(g_free);
    for (size_t i = 0; i < report->claims->count; i++) {
        const struct claim *claim = &report->claims->claims[i];
        append_claim(table, claim);
        g_ptr_array_add(classes, class_text(claim));
    }
    GString *html = g_string_new(NULL);
    append_table(html, table, (const char *const *)classes->pdata);
    table_free(table);
    for (size_t i = 0; i < report->claims->count; i++) { /* rows that figures link to */
        g_autofree char *cell =
            g_strdup_printf("<td data-name=\"id\">%s</td>", report->claims->claims[i].id);
        g_autofree char *with_id =
            g_strdup_printf("<td data-name=\"id\" id=\"claim-%s\">%s</td>",
                            report->claims->claims[i].id, report->claims->claims[i].id);
        g_string_replace(html, cell, with_id, 1);
    }
    link_scenarios(html, report->experiments);
    return g_string_free(html, FALSE);
}

/* --- summary ------------------------------------------------------------------------------------ */

/* A bar for each paper: how many of its claims have come to what; a restated one counts as its verdict. */
static void append_bar(GString *html, const char *paper, const struct claim_list *claims)
{
    size_t counts[CLAIM_STATUSES] = {0}, all = 0;
    for (size_t i = 0; i < claims->count; i++) {
        const struct claim *claim = &claims->claims[i];
        if (strcmp(claim->source, paper) != 0)
            continue;
        counts[claim->status == CLAIM_RESTATED ? claim->verdict : claim->status]++;
        all++;
    }
    append(html, "<tr><th>%s</th><td><div class=\"bar\">", paper);
    for (int status = 0; status < CLAIM_STATUSES; status++) {
        const char *name = claim_status_name((enum claim_status)status);
        if (counts[status] > 0)
            g_string_append_printf(
                html, "<span class=\"%s\" style=\"flex:%zu\" title=\"%zu %s\">%zu</span>", name,
                counts[status], counts[status], name, counts[status]);
    }
    g_string_append_printf(html, "</div></td><td class=\"number\">%zu</td></tr>\n", all);
}

/* Which scenarios would answer what is not answered yet, and how to have them. */
static void append_left_out(GString *html, const struct report *report)
{
    if (!report->left_out || report->left_out->len == 0)
        return;
    g_string_append_printf(html,
                           "<p id=\"left-out\">%u scenarios take long and were left out. What they "
                           "answer counts as <i>not-yet</i> here. <code>gpunetsim reproduce</code> "
                           "without <code>--quick</code> runs them too.</p>\n<ul>\n",
                           report->left_out->len);
    for (guint i = 0; i < report->left_out->len; i++) {
        const struct study *study = g_ptr_array_index(report->left_out, i);
        append(html, "<li>%s: <code>gpunetsim run %s</code>%s", study->title, short_path(study),
               study->claim_count > 0 ? "; claims" : "");
        for (size_t k = 0; k < study->claim_count; k++)
            append(html, "%s<a href=\"#claim-%s\">%s</a>", k > 0 ? ", " : " ", study->claims[k].id,
                   study->claims[k].id);
        g_string_append(html, "</li>\n");
    }
    g_string_append(html, "</ul>\n");
}

static char *papers_part(const struct report *report)
{
    GString *html = g_string_new("<table class=\"papers\"><tbody>\n");
    g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);
    for (size_t i = 0; i < report->claims->count; i++) {
        char *paper = report->claims->claims[i].source;
        if (g_hash_table_add(seen, paper))
            append_bar(html, paper, report->claims);
    }
    g_string_append(html, "</tbody></table>\n<p class=\"key\">");
    for (int status = 0; status < CLAIM_STATUSES; status++) {
        const char *name = claim_status_name((enum claim_status)status);
        if (status != CLAIM_RESTATED)
            g_string_append_printf(html, "<span class=\"%s\">%s</span> ", name, name);
    }
    g_string_append(html, "</p>\n");
    append_left_out(html, report);
    return g_string_free(html, FALSE);
}

static char *summary_part(const struct report *report)
{
    size_t counts[CLAIM_STATUSES] = {0};
    for (size_t i = 0; i < report->claims->count; i++)
        counts[report->claims->claims[i].status]++;
    GString *html = g_string_new(NULL);
    for (int status = 0; status < CLAIM_STATUSES; status++) {
        const char *name = claim_status_name((enum claim_status)status);
        g_string_append_printf(html,
                               "<label class=\"%s\"><input type=\"checkbox\" value=\"%s\" checked> "
                               "%s <b>%zu</b></label>\n",
                               name, name, name, counts[status]);
    }
    return g_string_free(html, FALSE);
}

/* --- parameters ---------------------------------------------------------------------------------
 */

/* Adds the values that `machine` has to the lists, one a parameter, where they are new. */
static void collect_values(GPtrArray *lists, const struct machine *machine)
{
    for (guint i = 0; i < machine->provenance->len; i++) {
        const struct provenance *entry = g_ptr_array_index(machine->provenance, i);
        if (i == lists->len)
            g_ptr_array_add(lists, g_ptr_array_new_with_free_func(g_free));
        GPtrArray *values = g_ptr_array_index(lists, i);
        if (!g_ptr_array_find_with_equal_func(values, entry->value, g_str_equal, NULL))
            g_ptr_array_add(values, g_strdup(entry->value));
    }
}

/* Where points of the study differ, the value is all of theirs. */
static void show_varied_values(struct table *table, const GPtrArray *lists)
{
    enum { VALUE = 1, ORIGIN = 2 };
    for (size_t row = 0; row < table->row_count; row++) {
        GPtrArray *values = g_ptr_array_index(lists, row);
        if (values->len < 2)
            continue;
        char **cells = &table->cells[row * table->column_count];
        g_ptr_array_add(values, NULL);
        g_free(cells[VALUE]);
        cells[VALUE] = g_strjoinv(", ", (char **)values->pdata);
        g_ptr_array_remove_index(values, values->len - 1);
        g_free(cells[ORIGIN]);
        cells[ORIGIN] = g_strdup("varied");
    }
}

/* The machine of a study: that of its first point, with what its points vary. Machines that several
 * studies use are shown once. */
static void append_machine(GString *html, GHashTable *shown, struct study *study)
{
    append(html, "<span id=\"machine-%s\"></span>", study->name);
    g_autoptr(GPtrArray) lists = g_ptr_array_new_with_free_func((GDestroyNotify)g_ptr_array_unref);
    struct machine *first = study_machine(study, 0, NULL);
    if (!first)
        return;
    for (size_t point = 0; point < study->point_count; point++) {
        struct machine *machine = study_machine(study, point, NULL);
        if (machine)
            collect_values(lists, machine);
        machine_free(machine);
    }
    struct table *table = provenance_table(first);
    show_varied_values(table, lists);
    g_autoptr(GPtrArray) origins = g_ptr_array_new();
    for (size_t row = 0; row < table->row_count; row++)
        g_ptr_array_add(origins, (char *)(void *)(intptr_t)table_cell(table, row, 2));
    GString *part = g_string_new(NULL);
    append_folded_table(part, NULL, first->name, table, (const char *const *)origins->pdata);
    if (g_hash_table_add(shown, g_strdup(part->str)))
        g_string_append(html, part->str);
    g_string_free(part, TRUE);
    table_free(table);
    machine_free(first);
}

static char *parameters_part(const struct report *report)
{
    GString *html = g_string_new(NULL);
    g_autoptr(GHashTable) shown = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    for (guint i = 0; i < report->experiments->len; i++) {
        const struct experiment *experiment = g_ptr_array_index(report->experiments, i);
        append_machine(html, shown, experiment->study);
    }
    return g_string_free(html, FALSE);
}

static char *versions_part(const struct report *report)
{
    GString *html = g_string_new(NULL);
    struct table *table = version_table();
    g_autofree char *seed = g_strdup_printf("%" G_GUINT64_FORMAT, report->seed);
    table_append(table, (const char *[]){"seed", seed});
    table_append(table, (const char *[]){"command", report->command});
    append_table(html, table, NULL);
    table_free(table);
    return g_string_free(html, FALSE);
}

/* --- the page -----------------------------------------------------------------------------------
 */

static char *read_template(GError **error)
{
    static const struct text_kind page = {
        .name = "a page's template", .most_bytes = 16 << 20, .is_utf8 = true};
    g_autofree char *path = home_path("plots/report.html", error);
    return path ? text_file_read(path, &page, NULL, error) : NULL;
}

char *report_html(const struct report *report, GError **error)
{
    /* The marks stand in the template in this order. */
    static const struct {
        const char *mark;
        char *(*make)(const struct report *report);
    } parts[] = {
        {"{{papers}}", papers_part},     {"{{contents}}", contents_part},
        {"{{figures}}", figures_part},   {"{{claim-counts}}", summary_part},
        {"{{claims}}", claims_part},     {"{{parameters}}", parameters_part},
        {"{{versions}}", versions_part},
    };
    g_autofree char *template = read_template(error);
    if (!template)
        return NULL;
    GString *page = g_string_new(NULL);
    const char *rest = template;
    for (size_t i = 0; i < G_N_ELEMENTS(parts); i++) {
        const char *mark = g_strstr_len(rest, -1, parts[i].mark);
        if (!mark)
            continue;
        g_autofree char *part = parts[i].make(report);
        g_string_append_len(page, rest, mark - rest);
        g_string_append(page, part);
        rest = mark + strlen(parts[i].mark);
    }
    g_string_append(page, rest);
    return g_string_free(page, FALSE);
}
